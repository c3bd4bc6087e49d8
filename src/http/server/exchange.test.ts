import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Metrics } from '../../metrics.ts';
import { type Random, systemRandom } from '../../random.ts';
import { nextTurn, TestTime } from '../../testing/doubles/test-time.ts';
import { BackpressureSampler } from './backpressure-sampler.ts';
import { Exchange, type ResponsePort } from './exchange.ts';
import { bodyless } from './reply.ts';
import { Traces } from './traces.ts';

const seeded = (bytes: Uint8Array<ArrayBuffer>): Random => ({ bytes: () => bytes });
/** Picks every answer, or none of the first. */
const pickingAll = () => new BackpressureSampler(seeded(new Uint8Array(256)));
const pickingNone = () => new BackpressureSampler(seeded(new Uint8Array(256).fill(0xff)));

function exchangeOf(port: Partial<ResponsePort>, sampler: BackpressureSampler) {
  const response = {
    cork: (write: () => void) => write(),
    writeStatus: () => {},
    writeHeader: () => {},
    ...port,
  } as ResponsePort;
  const time = TestTime.standing();
  const meter = new Metrics().routeMeter('twin', 'GET /');
  const sending = new Set<Exchange>();
  const traces = new Traces({ time, random: systemRandom, log: pino({ level: 'silent' }) });
  const context = { time, proxies: undefined, traces, sampler, sending };
  return { time, sending, exchange: new Exchange(response, 'r', meter, context) };
}

const VARY = 'Vary: Accept';
const page = (body: Uint8Array) => ({ status: 200, type: 'text/plain', headers: [], body });

test.each(['isLast', 'isDeferred'] as const)(
  'an answer that %s is sent in the next turn, unchanged even if its bytes are overwritten',
  async (flag) => {
    const sent: string[] = [];
    const end = (body: string | Uint8Array) => sent.push(Buffer.from(body).toString());
    const { exchange } = exchangeOf({ end }, pickingNone());
    exchange[flag] = true;
    const body = new TextEncoder().encode('the frame of now');
    exchange.answer(page(body), VARY);
    body.fill(0x78);
    expect(sent).toEqual([]);
    await nextTurn();
    expect(sent).toEqual(['the frame of now']);
  },
);

test('an answer that the sampler picks is pending until it is written', () => {
  const calls: string[] = [];
  const port: Partial<ResponsePort> = {
    end: () => calls.push('end'),
    tryEnd: () => {
      calls.push('tryEnd');
      return [false, false];
    },
    onWritable: () => {},
  };
  const { exchange: picked, sending } = exchangeOf(port, pickingAll());
  picked.answer(page(new Uint8Array(1)), VARY);
  expect(sending).toEqual(new Set([picked]));
  picked.abandon();
  expect(sending.size).toBe(0);
  exchangeOf(port, pickingNone()).exchange.answer(page(new Uint8Array(1)), VARY);
  exchangeOf(port, pickingNone()).exchange.answer(page(new Uint8Array(65_537)), VARY);
  expect(calls).toEqual(['tryEnd', 'end', 'tryEnd']);
});

test('an answer without a body that the sampler picks is pending for a moment', async () => {
  let endCount = 0;
  const endWithoutBody = () => {
    endCount += 1;
  };
  const { time, exchange } = exchangeOf({ endWithoutBody }, pickingAll());
  exchange.answer(bodyless(304), VARY);
  expect(endCount).toBe(0);
  await time.advance(5);
  expect(endCount).toBe(1);
  exchangeOf({ endWithoutBody }, pickingNone()).exchange.answer(bodyless(304), VARY);
  expect(endCount).toBe(2);
});

test('the address of a client is found as long as an answer can be sent, and then known', () => {
  let asked = 0;
  const getRemoteAddress = () => {
    asked += 1;
    return new Uint8Array([127, 0, 0, 9]).buffer;
  };
  const { exchange: known } = exchangeOf({ getRemoteAddress }, pickingNone());
  expect(known.addressKey()).toBe('127.0.0.9');
  known.abandon();
  expect(known.addressKey()).toBe('127.0.0.9');
  const { exchange: gone } = exchangeOf({ getRemoteAddress }, pickingNone());
  gone.abandon();
  expect(() => gone.addressKey()).toThrow('request_timeout');
  expect(asked).toBe(1);
});
