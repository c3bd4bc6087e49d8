import { expect, test } from 'vitest';
import { startTestNode } from '../../src/testing/rigs/node.ts';
import { until } from '../../src/testing/rigs/until.ts';
import { operations } from './body-inputs.ts';
import { fuzz, replay } from './fuzz.ts';
import { inputOf, VIN, WORLD_ID, wordOf } from './input.ts';
import { targetOf } from './node-target.ts';
import { openTestTarget } from './test-target.ts';

test('[H28] no request and no message ends, confuses or changes the node', async () => {
  const target = await openTestTarget();
  const options = { seed: 1, inputs: 5000, kinds: ['http', 'http', 'frames'] } as const;
  const { statuses, effects, faults } = await fuzz(target, options);
  expect(faults).toEqual([]);
  expect(effects).toBeGreaterThan(50);
  for (const status of [101, 200, 201, 303, 400, 401, 404, 405, 426, 431, 505]) {
    expect(statuses[status], `answers with ${status}`).toBeGreaterThan(10);
  }
  expect(target.watcherCount()).toBe(0);
  await target.close();
});

test('[H16] bodies are taken and refused as the documents say', async () => {
  const node = await startTestNode();
  const target = await targetOf({ twin: node.twinUrl, dealer: node.dealerUrl }, () => []);
  // The world has no incident, and no input has the password of the admin.
  const impossible = ['replayIncident', 'logInAdmin'];
  const missing = new Set(operations.map(({ id }) => id).filter((id) => !impossible.includes(id)));
  const met = new Set<string>();
  let seed = 0;
  // Where the disk is busy some writes are refused.
  await until('a request that is taken, for every operation', async () => {
    seed += 1;
    const options = { seed, inputs: 400, kinds: ['bodies'] } as const;
    const { statuses, accepted, faults } = await fuzz(target, options);
    expect(faults).toEqual([]);
    for (const status of Object.keys(statuses)) met.add(status);
    for (const id of accepted) missing.delete(id);
    return missing.size === 0;
  });
  expect([...met]).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '403', '404', '409', '422']),
  );
  await node.discard();
});

test('the word of an input repeats it', async () => {
  const target = await openTestTarget();
  const text = `PUT /api/v1/vehicle/features/aeb HTTP/1.1\r\nHost: ${WORLD_ID}\r\nX-VIN: ${VIN}\r\n`;
  const parts = [text, 'Content-Length: 17\r\n\r\n', '{"enabled":false}'];
  const input = inputOf(wordOf({ service: 'twin', parts, leaves: false }));
  if (input === undefined) throw new Error('the word of an input is none');
  const { answer, ...result } = await replay(target, input);
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(result).toEqual({ statuses: { 200: 1 }, accepted: new Set(), effects: 1, faults: [] });
  expect(inputOf('twin')).toBeUndefined();
  await target.close();
});
