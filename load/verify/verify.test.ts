import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Server, startNode } from '../../bench/common/server.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import { outcomeOf, type Verified, verify } from './verify.ts';

const PLAN = { worlds: 4, watchers: 2, seconds: 3, changes: 20, seed: 1 };
const FRAMES_PER_S = 12.5;

let server: Server;
beforeAll(async () => {
  server = await startNode();
});
afterAll(() => server.stop());

const missed = (found: Verified) =>
  outcomeOf(found).judged?.flatMap(({ name, target }) => (target?.met ? [] : [name]));

test('frames of watched worlds are those of worlds that are lived beside them', async () => {
  const found = await verify(PLAN, server);
  expect(found).toMatchObject({ worlds: 4, refused: 0, ended: 0, difference: undefined });
  expect(found.same.json).toBeGreaterThan(0);
  expect(found.same.msgpack).toBeGreaterThan(0);
  expect(found.changes.ok).toBeGreaterThan(0);
  expect(missed(found)).toEqual([]);
  // The same run would not pass if it had looked at less.
  expect(missed({ ...found, waiting: 1 })).toEqual(['frames that were not judged']);
  for (const lost of [{ refused: 1 }, { ended: 1 }]) {
    expect(missed({ ...found, ...lost })).toEqual(['streams that were refused or ended']);
  }
});

test('a frame that differs ends the run at once, and is kept', async () => {
  // The world is lived with cars that are a thousandth heavier.
  const others = CAR_TYPES.map((type) => ({ ...type, massKg: type.massKg * 1.001 }));
  const found = await verify({ ...PLAN, seconds: 60 }, server, others);
  const { json, msgpack } = found.same;
  // A frame is compared once the journal up to it is known: on a busy machine some wait for that.
  expect(json + msgpack).toBeLessThan(5 * PLAN.worlds * PLAN.watchers * FRAMES_PER_S);
  const [where = '', , lived = '', received = ''] = found.difference ?? [];
  expect(where).toMatch(/byte \d+ differs, vehicles\[\d+\]\.\w+/);
  const paths = [lived, received].map((line) => line.split(': ')[1] ?? '');
  const [one, other] = await Promise.all(paths.map((path) => readFile(path)));
  expect(one?.equals(other ?? Buffer.alloc(0))).toBe(false);
  await rm(dirname(paths[0] ?? ''), { recursive: true });
  expect(outcomeOf(found).judged?.map(({ target }) => target?.met)).toContain(false);
});
