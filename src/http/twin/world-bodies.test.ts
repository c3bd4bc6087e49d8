import { afterAll, expect, test } from 'vitest';
import { CAR_COUNT } from '../../../assembly/layout.ts';
import { countPacked } from '../../twin/journal.ts';
import { BodyThread } from '../server/body-thread.ts';
import { WorldBodies } from './world-bodies.ts';

const thread = new BodyThread();
const bodies = new WorldBodies(thread, ['a']);
afterAll(() => thread.close());

const COUNT = 2000;

function bodyWith(lastCar: number): Uint8Array {
  const change = { tick: 0, car: 0, features: { aeb: false } };
  const changes = [...Array(COUNT - 1).fill(change), { ...change, car: lastCar }];
  const text = JSON.stringify({ journal: { seed: 1, city: 'a', tick: 9, changes } });
  return new TextEncoder().encode(text);
}

test('[R37] a large body is parsed in a thread', async () => {
  const body = bodyWith(1);
  const { journal, ...options } = await bodies.parse(body, 'a');
  // Its memory has gone to the thread.
  expect(body.byteLength).toBe(0);
  expect(options).toEqual({ seed: 1, city: 'a', startTick: 9 });
  expect(countPacked(journal?.changes ?? new Int32Array(0))).toBe(COUNT);
});

test('the refusal of a large body is that of a small one', async () => {
  const hint = expect.stringContaining(`journal.changes[${COUNT - 1}].car`);
  await expect(bodies.parse(bodyWith(CAR_COUNT), 'a')).rejects.toMatchObject({
    code: 'invalid_world_options',
    status: 400,
    hint,
  });
  const broken = bodyWith(1).subarray(0, 20_000).slice();
  await expect(bodies.parse(broken, 'a')).rejects.toMatchObject({ code: 'invalid_json' });
});

test('a large body that waits when the node stops is refused', async () => {
  const stopping = new BodyThread();
  const parsed = new WorldBodies(stopping, ['a']).parse(bodyWith(1), 'a');
  await Promise.all([
    expect(parsed).rejects.toMatchObject({ code: 'overloaded' }),
    stopping.close(),
  ]);
});

test('[L31] an address can have a few large bodies parsed at the same time, others beside it', async () => {
  const parsed = Array.from({ length: 8 }, () => bodies.parse(bodyWith(1), 'hostile'));
  const refusal = { code: 'rate_limited', status: 429 };
  await expect(bodies.parse(bodyWith(1), 'hostile')).rejects.toMatchObject(refusal);
  expect(await bodies.parse(bodyWith(1), 'healthy')).toMatchObject({ seed: 1 });
  await Promise.all(parsed);
  expect(await bodies.parse(bodyWith(1), 'hostile')).toMatchObject({ seed: 1 });
});

test('a small body is parsed at once', () => {
  expect(bodies.parse(new Uint8Array(0), 'a')).toEqual({ startTick: 0 });
  expect(bodies.parse(new TextEncoder().encode('{"seed": 7}'), 'a')).toMatchObject({ seed: 7 });
});
