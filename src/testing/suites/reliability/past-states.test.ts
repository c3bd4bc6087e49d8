import { expect, test } from 'vitest';
import { C_X } from '../../../../assembly/layout.ts';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import type { WorldRecord } from '../../../worlds/records.ts';
import { imageCrc, type StoredImage } from '../../../worlds/stored-image.ts';
import type { FaultyNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { takenGrant } from '../../rigs/taken-grant.ts';
import { until } from '../../rigs/until.ts';
import { vinOf } from '../twin/api.ts';
import { bare } from '../twin/lockstep.ts';
import type { Snapshot } from '../twin/wire.ts';
import { ask, askLate, changesOf, journalOf, makeWorld, type World } from './client.ts';
import { Reference } from './reference.ts';

const nodes = useNodes();

const pathOf = ({ id }: World, tick: number) => `/api/v1/worlds/${id}/state?tick=${tick}&hash=1`;
/** A past state, once the node is not busy. */
const stateAt = async ({ twinUrl }: FaultyNode, world: World, tick: number) =>
  (await askLate(twinUrl, pathOf(world, tick))).body as { tick: number; hash: string };
/** Without what is the world's own. */
const bareStateAt = async (node: FaultyNode, world: World, tick: number) =>
  bare((await stateAt(node, world, tick)) as Snapshot & { hash: string });
const nowOf = async ({ twinUrl }: FaultyNode, { id }: World) =>
  ((await ask(twinUrl, `/api/v1/worlds/${id}`)).body as World).tick;

/** The hash of the world lived in one go with its journal. */
async function livedHash({ twinUrl }: FaultyNode, world: World, tick: number): Promise<string> {
  const reference = new Reference(world, changesOf(await journalOf(twinUrl, world)));
  try {
    return reference.to(tick).hash().toString(16).padStart(16, '0');
  } finally {
    reference.free();
  }
}

function keyOf({ id }: World, kind: string) {
  const number = parseWorldId(id) ?? 0;
  return ['p', partitionOf(number), kind, number];
}

async function storedOf<T>({ store }: FaultyNode, world: World, kind: string): Promise<T> {
  const key = keyOf(world, kind);
  return until(`${kind} in the store`, async () => (await store.get<T>(key))?.value);
}

async function replace({ store }: FaultyNode, world: World, kind: string, value: unknown) {
  const grant = await takenGrant(store, partitionOf(parseWorldId(world.id) ?? 0));
  await store.commit([], [{ key: keyOf(world, kind), value }], grant);
}

const BRAKES_OFF = { method: 'PATCH', json: { brakes: false } };

test('[T19] a past state and a fork wait for the changes before them that are not durable yet', async () => {
  const node = await nodes.withFaultyStore();
  const world = await makeWorld(node.twinUrl, { seed: 3, start_tick: 1000 });
  node.store.setFault({ kind: 'held' });
  const change = { ...BRAKES_OFF, vin: vinOf(world, 0) };
  const changed = ask(node.twinUrl, '/api/v1/vehicle/features', change);
  // The last tick before the change.
  const held = await until('a world that stands still', async () => {
    const before = await nowOf(node, world);
    await node.skip(200);
    return (await nowOf(node, world)) === before ? before : undefined;
  });
  let isAnswered = false;
  const asked = ask(node.twinUrl, pathOf(world, held + 8)).finally(() => {
    isAnswered = true;
  });
  const json = { fork: { world: world.id, tick: held + 8 } };
  const forking = ask(node.twinUrl, '/api/v1/worlds', { method: 'POST', json });
  expect((await stateAt(node, world, held)).tick).toBeGreaterThan(held - 4);
  expect(isAnswered).toBe(false);
  node.store.setFault({ kind: 'none' });
  expect((await changed).status).toBe(200);
  const { changes } = await journalOf(node.twinUrl, world);
  expect(changes).toHaveLength(1);
  expect(changes[0]?.tick).toBe(held + 1);
  const state = (await asked).body as { tick: number; hash: string };
  expect(state.hash).toBe(await livedHash(node, world, state.tick));
  const fork = (await forking).body as World;
  expect((await journalOf(node.twinUrl, fork)).changes).toEqual(changes);
  expect((await stateAt(node, fork, state.tick)).hash).toBe(state.hash);
});

test('[T19] it is refused while nobody knows whether a change before it was made', async () => {
  const node = await nodes.withFaultyStore();
  const world = await makeWorld(node.twinUrl, { seed: 3, start_tick: 1000 });
  node.store.setFault({ kind: 'unknown' });
  const change = { ...BRAKES_OFF, vin: vinOf(world, 0) };
  expect((await ask(node.twinUrl, '/api/v1/vehicle/features', change)).status).toBe(503);
  node.store.setFault({ kind: 'gone' });
  await node.skip(400);
  const tick = await nowOf(node, world);
  const { status, body } = await ask(node.twinUrl, pathOf(world, tick));
  expect([status, (body as { error: string }).error]).toEqual([503, 'store_unavailable']);
});

test('[T17, T20] a world can be looked at and forked from where the kernel of the node has begun with it', async () => {
  const node = await nodes.withFaultyStore();
  const world = await makeWorld(node.twinUrl, { seed: 3, start_tick: 20_000 });
  const record = await storedOf<WorldRecord>(node, world, 'world');
  const handle = await node.worlds.load(parseWorldId(world.id) ?? 0);
  await (handle && node.worlds.forget(handle));
  await replace(node, world, 'world', { ...record, kernel: 'an older one' });
  // Both have it begin, and it does so once.
  const [state] = await Promise.all([
    ask(node.twinUrl, `/api/v1/worlds/${world.id}/state?hash=1`),
    ask(node.twinUrl, `/api/v1/worlds/${world.id}/state`),
  ]);
  const { from } = await storedOf<WorldRecord>(node, world, 'world');
  expect(from.tick).toBeGreaterThanOrEqual(20_000);
  const { tick, hash } = state.body as { tick: number; hash: string };
  expect(tick).toBeGreaterThanOrEqual(from.tick);
  expect((await stateAt(node, world, tick)).hash).toBe(hash);
  // It may have begun between two frames.
  expect((await stateAt(node, world, from.tick)).tick).toBe(from.tick);
  const early = await ask(node.twinUrl, pathOf(world, from.tick - 1));
  expect([early.status, (early.body as { error: string }).error]).toEqual([404, 'unknown_tick']);

  const fork = (fork: object) =>
    ask(node.twinUrl, '/api/v1/worlds', { method: 'POST', json: { fork } });
  const tooEarly = await fork({ world: world.id, tick: from.tick - 1 });
  expect((tooEarly.body as { error: string }).error).toBe('unknown_tick');
  const made = (await fork({ world: world.id, tick })).body as World;
  expect(made.exact).toBe(false);
  for (const at of [from.tick, tick]) {
    expect(await bareStateAt(node, made, at)).toEqual(await bareStateAt(node, world, at));
  }
});

test('[R21] it is lived from the beginning if that is not possible from the stored image', async () => {
  const node = await nodes.withFaultyStore();
  const world = await makeWorld(node.twinUrl, { seed: 3, start_tick: 9000 });
  await askLate(node.twinUrl, `/api/v1/worlds/${world.id}/state`);
  const image = await storedOf<StoredImage>(node, world, 'image');
  const bytes = image.bytes.slice();
  new DataView(bytes.buffer).setFloat64(C_X, Number.NaN, true);
  const spoiled = { ...image, bytes };
  await replace(node, world, 'image', { ...spoiled, crc: imageCrc(spoiled) });
  await node.skip(2000);
  const tick = image.tick + 40;
  const refused = await ask(node.twinUrl, pathOf(world, tick));
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1']);
  const state = await stateAt(node, world, tick);
  expect(state.hash).toBe(await livedHash(node, world, state.tick));
});
