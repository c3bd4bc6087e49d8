import { expect, test } from 'vitest';
import { Metrics } from '../../metrics.ts';
import { nextTurn } from '../../testing/doubles/test-time.ts';
import { systemTime } from '../../time.ts';
import { Exchange, type ResponsePort } from './exchange.ts';

test('a last answer is sent unchanged, even if its bytes are overwritten meanwhile', async () => {
  const sent: string[] = [];
  const response = {
    cork: (write: () => void) => write(),
    writeStatus: () => {},
    writeHeader: () => {},
    end: (body: Uint8Array) => sent.push(Buffer.from(body).toString()),
  } as unknown as ResponsePort;
  const exchange = new Exchange(response, 'r', new Metrics().routeMeter('twin', 'GET /'), {
    time: systemTime,
  });
  exchange.isLast = true;
  const body = new TextEncoder().encode('the frame of now');
  exchange.answer({ status: 200, type: 'text/plain', headers: [], body }, ['Vary', 'Accept']);
  body.fill(0x78);
  await nextTurn();
  expect(sent).toEqual(['the frame of now']);
});
