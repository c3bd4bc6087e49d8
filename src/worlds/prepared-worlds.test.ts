import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { F_BRAKES, SLAB_BYTES } from '../../assembly/layout.ts';
import { type FaultyNode, startFaultyNode } from '../testing/rigs/node.ts';
import { until } from '../testing/rigs/until.ts';
import { partitionOf } from '../twin/ids.ts';
import type { CopiedWorld } from './handed-world.ts';
import type { OwnedWorld } from './owned-world.ts';

const TOKEN = 'another-1#0';

let node: FaultyNode;
let world: OwnedWorld;
let partition: number;
/** Ticks of the frames of the world. */
let frames: number[];

beforeEach(async () => {
  node = await startFaultyNode({ SHARDS: '1' });
  frames = [];
  node.worlds.onFrames((some, done) => {
    frames.push(...some.map(({ tick }) => tick));
    done();
  });
  world = (await node.worlds.create({ startTick: 5000 })) as OwnedWorld;
  partition = partitionOf(world.number);
  world.watch('json', 'a client');
  await someFrames();
});
afterEach(() => node.discard());

async function someFrames(): Promise<void> {
  const before = frames.length;
  await until('some frames', () => frames.length > before + 2);
}

async function copies(): Promise<CopiedWorld[]> {
  const all: CopiedWorld[] = [];
  for await (const some of node.worlds.handover.copies(partition)) all.push(...some);
  return all;
}

/** The world as it stands still, for a node that has copies. */
async function handOut(known: readonly CopiedWorld[]) {
  const { handover } = node.worlds;
  await handover.freeze(partition);
  const by = new Map(known.map((copy) => [copy.number, copy]));
  const [handed] = await handover.handOut(partition, () => false, by);
  if (handed?.frozen == null) throw new Error('the world is not in memory');
  return { ...handed, frozen: handed.frozen };
}

/** The world leaves, and comes back as if from another node. */
async function move(handed: Awaited<ReturnType<typeof handOut>>): Promise<OwnedWorld> {
  world.unwatch('json', 'a client');
  await node.worlds.forget(world);
  const prepared = await node.worlds.handover.prepare(TOKEN, known);
  expect(prepared).toEqual([world.number]);
  node.worlds.handover.takeIn(TOKEN, [handed]);
  const moved = node.worlds.atHand(world.number);
  if (moved === undefined) throw new Error('the world has not come');
  return moved;
}

let known: readonly CopiedWorld[];
const bytesOf = async () => (await handOut(known)).frozen.bytes.length;

describe('[N17] a watched world that moves', () => {
  beforeEach(async () => {
    known = await copies();
  });

  it('is copied while it goes on', async () => {
    expect(known.map(({ number }) => number)).toEqual([world.number]);
    expect(known[0]?.bytes).toHaveLength(SLAB_BYTES);
    await someFrames();
  });

  it('goes on from the copy: with every frame, in the state of its journal', async () => {
    let handed = await handOut(known);
    // On a busy machine a copy may become too old.
    for (let attempt = 0; handed.frozen.bytes.length > 0 && attempt < 20; attempt++) {
      await node.worlds.handover.thaw(partition);
      known = await copies();
      handed = await handOut(known);
    }
    expect(handed.frozen.bytes).toHaveLength(0);
    const sentTick = frames.at(-1) ?? 0;
    const before = frames.length;
    const moved = await move(handed);
    expect(moved.residency).toBeGreaterThan(0);
    moved.watch('json', 'a client');
    await someFrames();
    const later = frames.slice(before);
    expect(later).toEqual(later.map((_, i) => sentTick + 4 * (i + 1)));
    const { tick, hash } = await moved.loader.query('hash');
    await node.worlds.forget(moved);
    const again = (await node.worlds.load(world.number)) as OwnedWorld;
    // It has no image: it is lived from its beginning.
    expect(await again.loader.query('hash', { tick })).toMatchObject({ tick, hash });
  });

  it('is handed out in full if a change has taken effect since then', async () => {
    await world.change(3, F_BRAKES, 0);
    await someFrames();
    expect(await bytesOf()).toBe(SLAB_BYTES);
  });

  it('is handed out in full if the copy is old', async () => {
    const { tick } = known[0] as CopiedWorld;
    await until('half a second', () => (frames.at(-1) ?? 0) > tick + 25);
    expect(await bytesOf()).toBe(SLAB_BYTES);
  });

  it('is loaded from the store where the copy was given up', async () => {
    const handed = await handOut(known);
    const { handover } = node.worlds;
    world.unwatch('json', 'a client');
    await node.worlds.forget(world);
    await handover.prepare(TOKEN, known);
    handover.discard(TOKEN);
    handover.takeIn(TOKEN, [handed]);
    const moved = node.worlds.atHand(world.number);
    expect(moved?.residency).toBe(0);
    expect(await moved?.frame('json')).toBeInstanceOf(Uint8Array);
  });

  it('is handed out in full if it was loaded again since then', async () => {
    const [copy] = known as [CopiedWorld];
    known = [{ ...copy, residency: copy.residency - 1 }];
    expect(await bytesOf()).toBe(SLAB_BYTES);
  });

  it('takes the place of no world that is in memory', async () => {
    expect(await node.worlds.handover.prepare(TOKEN, known)).toEqual([]);
    await someFrames();
  });
});
