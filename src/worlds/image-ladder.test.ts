import { afterAll, beforeAll, expect, test } from 'vitest';
import { SLAB_BYTES } from '../../assembly/layout.ts';
import { RUNG_TICKS, RUNGS_MAX } from '../limits.ts';
import { phaseOf } from '../phase.ts';
import type { StateImage } from '../shard/protocol.ts';
import type { Write } from '../store/contract.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { takenGrant } from '../testing/rigs/taken-grant.ts';
import { openIn, tempStore } from '../testing/rigs/temp-store.ts';
import { ImageLadder, nextTicks } from './image-ladder.ts';
import { Records, type WorldRecord } from './records.ts';
import { deflated, sealed } from './stored-image.ts';

const temp = await tempStore(openIn);
let records: Records;
let worlds = 0;
beforeAll(async () => {
  records = new Records(temp.store, await takenGrant(temp.store, 0));
});
afterAll(() => temp.destroy());

function imageAt(tick: number): StateImage {
  return { tick, seq: tick / 1000, bytes: new Uint8Array(SLAB_BYTES).fill(tick % 251) };
}

/** A world whose images are stored at multiples of a number of ticks. */
async function lived(untilTick: number, everyTicks: number, fields: Partial<WorldRecord> = {}) {
  const world = ++worlds;
  const record = worldRecord({ kernel: 'k', ...fields });
  await records.create(world, record, new Int32Array());
  const ladder = new ImageLadder(world, record, records);
  for (let tick = everyTicks; tick <= untilTick; tick += everyTicks) {
    await ladder.save(imageAt(tick), 'k');
  }
  return { world, record, ladder, again: () => new ImageLadder(world, record, records) };
}

const rungsOf = async (world: number) =>
  (await records.first(records.key(world, 'rung'), 100)).map(({ key }) => Number(key.at(-1)));

test('a world has its newest image, and a few earlier ones that are thinner further back', async () => {
  const { world, record, again } = await lived(100 * RUNG_TICKS, RUNG_TICKS / 3);
  expect((await records.image(world, record))?.tick).toBe(100 * RUNG_TICKS);
  const rungs = await rungsOf(world);
  expect(rungs).toHaveLength(RUNGS_MAX);
  const gaps = rungs.map((tick, i) => tick - (rungs[i - 1] ?? 0));
  expect(gaps.at(-1)).toBeLessThanOrEqual(3 * RUNG_TICKS);
  // No tick is further than a third of the life from a state before it.
  expect(Math.max(...gaps)).toBeLessThan((100 * RUNG_TICKS) / 3);
  const oldest = rungs[0] ?? 0;
  expect(await again().nearest(oldest + 1)).toEqual(imageAt(oldest));
});

test('the nearest of them is found, also by a node that has just taken the world over', async () => {
  const { world, ladder, again } = await lived(3 * RUNG_TICKS + 100, 100);
  const firstTick = Math.ceil((RUNG_TICKS - phaseOf(world, RUNG_TICKS)) / 100) * 100;
  const newest = imageAt(3 * RUNG_TICKS + 100);
  for (const each of [ladder, again()]) {
    expect(await each.nearest(firstTick - 1)).toBeUndefined();
    expect(await each.nearest(firstTick + RUNG_TICKS - 1)).toEqual(imageAt(firstTick));
    expect(await each.nearest(firstTick + RUNG_TICKS - 1, firstTick)).toBeUndefined();
    expect(await each.nearest(1_000_000)).toEqual(newest);
    expect(await each.nearest(1_000_000, newest.tick)).toBeUndefined();
  }
});

test('[R21] one that is damaged, of another kernel or of an earlier start is passed over', async () => {
  const { world, record, again } = await lived(4 * RUNG_TICKS, RUNG_TICKS);
  const replace = (tick: number, value: unknown) => {
    const write: Write = { key: records.key(world, 'rung', tick), value };
    return records.write([write]);
  };
  const third = sealed({ ...imageAt(3 * RUNG_TICKS), kernel: 'k' });
  const good = imageAt(2 * RUNG_TICKS);
  for (const damaged of [
    { ...deflated(third), crc: third.crc ^ 1 },
    { ...deflated(third), bytes: deflated(third).bytes.subarray(1) },
    { ...deflated(third), kernel: 'another' },
    { ...deflated(third), tick: third.tick + 1 },
    third,
    'an image',
    null,
  ]) {
    await replace(third.tick, damaged);
    expect(await again().nearest(third.tick + 5)).toEqual(good);
  }
  await replace(third.tick, deflated(third));
  expect((await again().nearest(third.tick + 5))?.tick).toBe(third.tick);
  const later = { ...record, from: { ...record.from, tick: third.tick + 1 } };
  expect(await new ImageLadder(world, later, records).nearest(third.tick + 5)).toBeUndefined();
});

test('[R29] those from before a start under another kernel go when the next one comes', async () => {
  const { world, record } = await lived(4 * RUNG_TICKS, RUNG_TICKS);
  const from = { ...record.from, tick: 5 * RUNG_TICKS };
  const ladder = new ImageLadder(world, { ...record, kernel: 'new', from }, records);
  await ladder.save(imageAt(5 * RUNG_TICKS), 'new');
  expect(await rungsOf(world)).toHaveLength(4);
  await ladder.save(imageAt(6 * RUNG_TICKS), 'new');
  expect(await rungsOf(world)).toEqual([6 * RUNG_TICKS]);
});

test('[W35] nothing of them is left when the world is removed', async () => {
  const { world } = await lived(4 * RUNG_TICKS, RUNG_TICKS);
  expect((await rungsOf(world)).length).toBeGreaterThan(0);
  await records.remove(world);
  expect(await rungsOf(world)).toEqual([]);
});

test('a life of ten days has no tick that takes more than a minute to be lived', () => {
  let ticks: number[] = [];
  const tenDays = 10 * 24 * 3600 * 50;
  for (let tick = RUNG_TICKS; tick <= tenDays; tick += RUNG_TICKS)
    ticks = nextTicks(ticks, tick, 0);
  const gaps = ticks.map((tick, i) => tick - (ticks[i - 1] ?? 0));
  const tickUs = 3.4;
  expect(Math.max(...gaps) * tickUs).toBeLessThan(60e6);
});
