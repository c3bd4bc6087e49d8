import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { patientAnswer } from './patient-answer.ts';

/** A server that answers with one status after the other. */
async function serve(statuses: number[]): Promise<URL> {
  const server = createServer((_, response) => {
    response.writeHead(statuses.shift() ?? 200).end('{"changes":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test('a node that asks to come again is asked again, and one that refuses is not', async () => {
  const statuses = [503, 429];
  expect(await patientAnswer(await serve(statuses), '/journal')).toEqual({ changes: [] });
  expect(statuses).toEqual([]);
  await expect(patientAnswer(await serve([404]), '/journal')).rejects.toThrow('/journal: 404');
});
