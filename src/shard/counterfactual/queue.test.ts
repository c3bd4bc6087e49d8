import { describe, expect, it } from 'vitest';
import { F_ALL, F_BRAKES, F_STEERING } from '../../../assembly/layout.ts';
import { cities, makeKernel, makeWorld } from '../../testing/rigs/kernel.ts';
import { liveFromJournal, ManualShard } from '../../testing/rigs/manual-shard.ts';
import { type Chain, type ContactFacts, chainsOf } from '../../twin/incidents.ts';
import type { Resident } from '../loaded-world.ts';
import {
  type ExplainedReport,
  type LivedPast,
  type NumberedChange,
  packNumbered,
} from '../protocol.ts';
import { worldEncoder } from '../world-encoder.ts';
import { Explainer, SCRATCH_SLABS } from './queue.ts';
import { Pins } from './rewind-cache.ts';

const SEED = 7;
const WORLD = 9;
/** Nineteen cars can neither brake nor steer; one of them can for a while. */
const CHANGES: NumberedChange[] = [
  ...Array.from({ length: 19 }, (_, i) => change(i + 1, 1, i + 1, F_BRAKES | F_STEERING, 0)),
  change(20, 1500, 4, F_STEERING, F_STEERING),
  change(21, 2500, 4, F_STEERING, 0),
];

function change(seq: number, tick: number, car: number, touched: number, values: number) {
  return { seq, tick, car, touched, values };
}

/** A shard whose one world is watched from so many ticks after its beginning, and what it explains. */
function setUp(lookTick = 0) {
  const kernel = makeKernel(1 + SCRATCH_SLABS + 1);
  const pins = new Pins();
  const reports: ExplainedReport[] = [];
  const contacts: ContactFacts[] = [];
  let resident: Resident | undefined;
  const explainer = new Explainer(kernel, pins, {
    elapsed: () => performance.now(),
    cityTable: (index) => cities.tables[index] ?? new ArrayBuffer(0),
    resident: () => resident,
    encoder: (world, cityIndex) => {
      const city = cities.names[cityIndex];
      if (city === undefined) throw new RangeError('no such city');
      return worldEncoder(world, city);
    },
    report: (report) => reports.push(structuredClone(report)),
    reliving: () => {},
  });
  const shard = new ManualShard(kernel, {
    moved: (moving) => {
      const fresh = kernel.contacts(moving.slab, contacts.length);
      contacts.push(...fresh);
      const dueTick = moving.tickAt(shard.nowMs);
      for (const contact of fresh) pins.keep(moving, contact, dueTick);
    },
    spare: (end) => {
      explainer.work(end);
      return explainer.busy;
    },
  });
  const slab = makeWorld(kernel, SEED);
  resident = shard.enter(slab, WORLD, lookTick, CHANGES);
  shard.scheduler.watch(resident, true, false);
  /** Chains that are over, of those that began at a tick or later. */
  const chains = (from: number): Chain[] => {
    const all = chainsOf(contacts).filter(([{ tick }]) => tick >= from);
    return all.filter((chain) => (chain.at(-1)?.tick ?? 0) + 100 <= (resident?.tick ?? 0));
  };
  const work = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    while (explainer.busy) explainer.work(performance.now() + 2);
    return answer;
  };
  return { kernel, shard, slab, resident, explainer, reports, chains, work };
}

const past: LivedPast = {
  seed: SEED,
  cityIndex: 0,
  from: { tick: 0, masks: Array.from({ length: 20 }, () => F_ALL) },
  image: undefined,
  changes: packNumbered(CHANGES),
};

const task = (chains: Chain[]) => ({ world: WORLD, cityIndex: 0, chains });

describe('incidents of a watched world', () => {
  it('are explained from what was kept as they are from the world lived again', async () => {
    const { shard, explainer, reports, chains, work } = setUp();
    shard.pass(3000 * 20, 80);
    // From its first seconds and from later on.
    const some = [...chains(0).slice(0, 3), ...chains(1200).slice(-3)];
    expect(new Set(some.map(([{ tick }]) => tick < 800))).toEqual(new Set([true, false]));
    const kept = await work(explainer.explain({ ...task(some), past: undefined }));
    expect(kept).toEqual({ missing: [], failed: [] });
    const fromKept = reports.splice(0);
    expect(fromKept.map(({ tick }) => tick)).toEqual(some.map(([{ tick }]) => tick));
    expect(fromKept.some(({ explanation }) => explanation.failures.length > 0)).toBe(true);
    expect(await work(explainer.explain({ ...task(some), past }))).toEqual(kept);
    expect(reports).toEqual(fromKept);
  });

  it('leave no trace in the world', async () => {
    const { kernel, shard, slab, explainer, resident, chains } = setUp();
    shard.pass(1500 * 20, 80);
    const answer = explainer.explain({ ...task(chains(1200)), past: undefined });
    // Between its frames, as they come due.
    shard.pass(20 * 80, 4);
    await answer;
    const reference = makeWorld(kernel, SEED);
    liveFromJournal(kernel, reference, CHANGES, resident.tick);
    expect(kernel.hash(slab)).toBe(kernel.hash(reference));
    expect(kernel.events(slab)).toEqual(kernel.events(reference));
  });

  it('are not delayed by them: every frame comes in its turn', () => {
    const { shard, explainer, chains } = setUp();
    shard.pass(1500 * 20, 80);
    shard.frames.length = 0;
    void explainer.explain({ ...task(chains(0)), past });
    for (let frame = 1; frame <= 25; frame++) {
      shard.nowMs += 80;
      shard.scheduler.turn();
      expect(shard.frames.at(-1)?.tick).toBe(1500 + 4 * frame);
    }
    expect(shard.frames).toHaveLength(25);
  });

  it('are kept from when it is looked at: what it catches up with is told to be missing', async () => {
    const { shard, explainer, chains, work } = setUp(500);
    shard.pass(300 * 20, 80);
    const [past, seen] = [chains(0).filter(([{ tick }]) => tick < 400), chains(500)];
    expect([past.length > 2, seen.length > 0]).toEqual([true, true]);
    const all = [...past, ...seen];
    const answer = await work(explainer.explain({ ...task(all), past: undefined }));
    expect(answer.missing).toEqual(past.map((_, i) => i));
  });

  it('that never were cannot be explained, and keep nobody else from it', async () => {
    const { shard, explainer, reports, chains, work } = setUp();
    shard.pass(800 * 20, 80);
    const [chain] = chains(0);
    if (chain === undefined) throw new Error('cars have met');
    const [first, ...rest] = chain;
    const never: Chain = [{ ...first, tick: first.tick - 7 }, ...rest];
    const answer = await work(explainer.explain({ ...task([never, chain]), past }));
    expect(answer.failed.map(({ position }) => position)).toEqual([0]);
    expect(reports.map(({ tick }) => tick)).toEqual([first.tick]);
  });
});

describe('a replay', () => {
  it('waits for no explanation that is lived from far back', async () => {
    const { shard, explainer, chains } = setUp();
    shard.pass(1500 * 20, 80);
    const [chain] = chains(0);
    if (chain === undefined) throw new Error('cars have met');
    const slow = explainer.explain({ ...task(chains(0)), past });
    const start = { world: WORLD, seed: SEED, cityIndex: 0, chain, startTick: undefined };
    const common = { ...start, past, encoding: 'json' } as const;
    const replay = explainer.replay({ ...common, on: 0, untilTick: 1500 });
    const order: string[] = [];
    void slow.then(() => order.push('explained'));
    void replay.then(() => order.push('replayed'));
    while (explainer.busy) {
      explainer.work(performance.now() + 2);
      await new Promise(setImmediate);
    }
    expect(order).toEqual(['replayed', 'explained']);
    const played = await replay;
    if (played.outcome !== 'played') throw new Error('there is a past');
    const { frames, count, contactTick } = played;
    const snapshots = JSON.parse(`[${Buffer.from(frames)}]`) as { tick: number }[];
    expect(snapshots).toHaveLength(count);
    expect(snapshots.at(-1)?.tick).toBe(Math.floor((chain[0].tick + 100) / 4) * 4);
    expect(contactTick).toBe(chain[0].tick);
  });

  it('of what was lived again before needs no past, and is the same', async () => {
    const { shard, explainer, chains, work } = setUp(800);
    shard.settle();
    const [chain] = chains(0);
    if (chain === undefined) throw new Error('cars have met');
    const start = { world: WORLD, seed: SEED, cityIndex: 0, chain, startTick: undefined };
    const order = {
      ...start,
      on: F_BRAKES | F_STEERING,
      untilTick: 800,
      encoding: 'json',
    } as const;
    const play = (from: LivedPast | undefined) => work(explainer.replay({ ...order, past: from }));
    expect(await play(undefined)).toEqual({ outcome: 'missing' });
    const first = await play(past);
    expect(first).toMatchObject({ outcome: 'played', contactTick: null });
    expect(await play(undefined)).toEqual(first);
  });
});
