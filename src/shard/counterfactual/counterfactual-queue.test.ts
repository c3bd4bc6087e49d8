import { describe, expect, it } from 'vitest';
import { F_ALL, F_BRAKES, F_STEERING } from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import { LEAD_TICKS_MAX } from '../../limits.ts';
import { nextTurn } from '../../testing/doubles/test-time.ts';
import { cities, makeKernel, makeWorld } from '../../testing/rigs/kernel.ts';
import { liveFromJournal, ManualShard } from '../../testing/rigs/manual-shard.ts';
import { systemTime } from '../../time.ts';
import {
  type ContactRecord,
  groupByIncident,
  INCIDENT_END_TICKS,
} from '../../twin/contact-records.ts';
import type { IncidentContacts } from '../../twin/incidents.ts';
import type { NumberedChange } from '../../twin/journal.ts';
import type { LoadedWorld } from '../loaded-world.ts';
import { packNumbered, type SearchAnswer, type WorldPast } from '../protocol.ts';
import { CounterfactualQueue, REWIND_SLABS } from './counterfactual-queue.ts';
import { RewindCache } from './rewind-cache.ts';

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

/** A shard whose one world is watched from so many ticks after its beginning. */
function setUp(watchedFrom = 0, time = systemTime, sliceTime = systemTime) {
  const kernel = makeKernel(1 + REWIND_SLABS + 1);
  const cache = new RewindCache();
  const records: ContactRecord[] = [];
  const worlds = new Map<number, LoadedWorld>();
  const pulse = { world: 0 };
  const parts = { time, kernel, cities, cache, worlds, pulse, wake: () => {} };
  const queue = new CounterfactualQueue(parts);
  const shard = new ManualShard(kernel, { counterfactuals: queue, time: sliceTime });
  shard.onMoved = (moved) => {
    const fresh = kernel.records(moved.slab, records.length);
    records.push(...fresh);
    const dueTick = moved.tickAt(shard.nowMs);
    for (const record of fresh) cache.keep(moved, record, dueTick);
  };
  const slab = makeWorld(kernel, SEED);
  const world = shard.enter(slab, WORLD, watchedFrom, CHANGES);
  worlds.set(WORLD, world);
  shard.scheduler.watch(world, true, false);
  /** Chains that are over, of those that began at a tick or later. */
  const chains = (from: number): IncidentContacts[] => {
    const all = groupByIncident(records).filter(([{ tick }]) => tick >= from);
    return all.filter((chain) => (chain.at(-1)?.tick ?? 0) + INCIDENT_END_TICKS <= world.tick);
  };
  const work = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    while (queue.isBusy) queue.work(systemTime.now() + 2);
    return answer;
  };
  const search = (some: readonly IncidentContacts[], background = false) =>
    Promise.all(
      some.map((chain) =>
        queue.search({ client: 'a', world: WORLD, cityIndex: 0, chain, background }),
      ),
    );
  const rewind = (some: readonly IncidentContacts[], background = true) =>
    queue.rewind({
      ...{ client: 'a', world: WORLD, cityIndex: 0, past, chains: some, background },
      completeTick: Number.POSITIVE_INFINITY,
    });
  return { kernel, cache, shard, slab, world, queue, chains, work, search, rewind };
}

const past: WorldPast = {
  seed: SEED,
  from: { tick: 0, seq: 0, masks: Array.from({ length: 20 }, () => F_ALL) },
  image: undefined,
  changes: packNumbered(CHANGES),
};

const foundBy = (answer: SearchAnswer) =>
  answer.outcome === 'explained' ? answer.explanation : answer.outcome;
const outcomes = (answers: readonly SearchAnswer[]) => answers.map(({ outcome }) => outcome);

describe('incidents of a watched world', () => {
  it('get the same explanation from the cache as from a rewind', async () => {
    const { shard, chains, work, search, rewind } = setUp();
    shard.pass(3000 * 20, 80);
    // From its first seconds and from later on.
    const some = [...chains(0).slice(0, 3), ...chains(1200).slice(-3)];
    expect(new Set(some.map(([{ tick }]) => tick < 800))).toEqual(new Set([true, false]));
    const cached = await work(search(some));
    expect(new Set(outcomes(cached))).toEqual(new Set(['explained']));
    const failures = cached.map((each) =>
      each.outcome === 'explained' ? each.explanation.failures.length : 0,
    );
    expect(Math.max(...failures)).toBeGreaterThan(0);
    await work(rewind(some));
    expect((await work(search(some, true))).map(foundBy)).toEqual(cached.map(foundBy));
  });

  it('[I21] leave no trace in the world when they are explained', async () => {
    const { kernel, shard, slab, world, chains, search } = setUp();
    shard.pass(1500 * 20, 80);
    const answers = search(chains(0).slice(0, 3));
    // Between its frames, as they come due.
    shard.pass(20 * 80, 4);
    expect(new Set(outcomes(await answers))).toEqual(new Set(['explained']));
    const reference = makeWorld(kernel, SEED);
    liveFromJournal(kernel, reference, CHANGES, world.tick);
    expect(kernel.hash(slab)).toBe(kernel.hash(reference));
    expect(kernel.events(slab)).toEqual(kernel.events(reference));
  });

  it('[I21] do not delay frames: every frame comes in its turn', () => {
    // Passes by 10 µs whenever it is read: nothing else on the machine can use a slice up.
    let readings = 0;
    const time = { ...systemTime, now: () => readings++ / 100 };
    const { shard, chains, rewind, search } = setUp(0, time, time);
    shard.pass(1500 * 20, 80);
    shard.frames.length = 0;
    void rewind(chains(0));
    void search(chains(0));
    for (let frame = 1; frame <= 25; frame++) {
      shard.nowMs += 80;
      shard.scheduler.turn();
      expect(shard.frames.at(-1)?.tick).toBe(1500 + 4 * frame);
    }
    expect(shard.frames).toHaveLength(25);
  });

  it('are cached while it is watched: those that it catches up with are missing', async () => {
    const { shard, chains, work, search } = setUp(800);
    shard.pass(1300 * 20, 80);
    const [old, seen] = [chains(0).filter(([{ tick }]) => tick < 700), chains(800)];
    expect([old.length > 2, seen.length > 0]).toEqual([true, true]);
    expect(new Set(outcomes(await work(search(old))))).toEqual(new Set(['missing']));
    expect(new Set(outcomes(await work(search(seen))))).toEqual(new Set(['explained']));
  });

  it('fail if they never happened, and keep no other from being explained', async () => {
    const { shard, chains, work, search, rewind } = setUp();
    shard.pass(800 * 20, 80);
    const chain = at(chains(0), 0);
    const [first, ...rest] = chain;
    const never: IncidentContacts = [{ ...first, tick: first.tick - 7 }, ...rest];
    await work(rewind([never, chain]));
    expect(outcomes(await work(search([never, chain])))).toEqual(['failed', 'explained']);
  });

  it('come before rewinds, whose states must not displace each other', async () => {
    const { shard, chains, queue, rewind } = setUp();
    shard.pass(1500 * 20, 80);
    const chain = at(chains(0), 0);
    const order: string[] = [];
    void rewind(chains(0)).then(() => order.push('rewind'));
    const task = { client: 'a', world: WORLD, cityIndex: 0, chain, background: true };
    void queue.search(task).then(() => order.push('search'));
    await workInTurns(queue);
    expect(order).toEqual(['search', 'rewind']);
  });
});

describe('work on a world', () => {
  it('[I32] stops at once if nobody wants it, but for what a client waits for', async () => {
    const { shard, chains, work, search, rewind, queue } = setUp();
    shard.pass(1500 * 20, 80);
    const some = chains(0).slice(0, 3);
    const searches = search(some);
    const background = [rewind(some), search(some, true)];
    const replay = queue.replay({ ...taskOf(at(some, 0)), on: 0, untilTick: 1500 });
    // A part of the first search.
    queue.work(systemTime.now() + 1, true);
    queue.stop(WORLD + 1);
    queue.stop(WORLD);
    const [first, ...others] = await searches;
    expect(first).toEqual({ outcome: 'stopped', ticks: expect.any(Number) });
    expect(first?.ticks).toBeGreaterThan(0);
    expect(others).toEqual(others.map(() => ({ outcome: 'stopped', ticks: 0 })));
    await Promise.all(background);
    expect(await work(replay)).toMatchObject({ outcome: 'played' });
    expect(outcomes(await work(search(some)))).toEqual(some.map(() => 'explained'));
  });

  it('takes turns with other worlds', async () => {
    const { shard, chains, queue } = setUp();
    shard.pass(800 * 20, 80);
    const chain = at(chains(0), 0);
    const order: number[] = [];
    for (const world of [1, 1, 1, 2, 3, 3]) {
      const task = { client: 'a', world, cityIndex: 0, past, chains: [chain], background: true };
      void queue
        .rewind({ ...task, completeTick: Number.POSITIVE_INFINITY })
        .then(() => order.push(world));
    }
    await workInTurns(queue);
    expect(order).toEqual([1, 2, 3, 1, 3, 1]);
  });
});

describe('a rewind of days', () => {
  it.each([
    { long: 'explanation', short: 'explanation' },
    { long: 'replay', short: 'explanation' },
    { long: 'explanation', short: 'replay' },
    { long: 'replay', short: 'replay' },
  ])(
    '[I36] for the $long of a client delays a short one for the $short of another by its length',
    async ({ long, short }) => {
      let nowMs = 0;
      // A slice takes 1 ms.
      const { shard, chains, queue } = setUp(0, { ...systemTime, now: () => nowMs++ });
      shard.pass(800 * 20, 80);
      const [first] = at(chains(0), 0);
      const rewind = (client: string, what: string, ticks: number) => {
        const some: IncidentContacts[] = [[{ ...first, tick: ticks + LEAD_TICKS_MAX }]];
        const order = { client, world: WORLD, cityIndex: 0, background: what === 'explanation' };
        return queue.rewind({ ...order, past, chains: some, completeTick: ticks });
      };
      void rewind('a', long, 880_000);
      let isOver = false;
      void rewind('b', short, 60 * 20).then(() => {
        isOver = true;
      });
      let slices = 0;
      for (; !isOver; slices++) {
        queue.work(nowMs + 1);
        await nextTurn();
      }
      expect(slices).toBeGreaterThan(60);
      // Its length and as much again, and a round of the lanes.
      expect(slices).toBeLessThan(2 * 60 + 8);
    },
  );
});

describe('a replay', () => {
  it('waits for no background work', async () => {
    const { shard, queue, chains, search, rewind } = setUp();
    shard.pass(1500 * 20, 80);
    const chain = at(chains(0), 0);
    const slow = Promise.all([rewind(chains(0)), search(chains(0), true)]);
    const replay = queue.replay({ ...taskOf(chain), on: 0, untilTick: 1500 });
    const order: string[] = [];
    void slow.then(() => order.push('explained'));
    void replay.then(() => order.push('replayed'));
    await workInTurns(queue);
    expect(order).toEqual(['replayed', 'explained']);
    const played = await replay;
    if (played.outcome !== 'played') throw new Error('there is a past');
    const { frames, count, contactTick } = played;
    const snapshots = JSON.parse(`[${Buffer.from(frames)}]`) as { tick: number }[];
    expect(snapshots).toHaveLength(count);
    expect(snapshots.at(-1)?.tick).toBe(Math.floor((chain[0].tick + 100) / 4) * 4);
    expect(contactTick).toBe(chain[0].tick);
  });

  it('is the same each time after one rewind', async () => {
    const { shard, queue, chains, work, rewind } = setUp(800);
    shard.settle();
    const chain = at(chains(0), 0);
    const task = { ...taskOf(chain), on: F_BRAKES | F_STEERING, untilTick: 800 };
    expect(await work(queue.replay(task))).toEqual({ outcome: 'missing' });
    await work(rewind([chain], false));
    const first = await work(queue.replay(task));
    expect(first).toMatchObject({ outcome: 'played', contactTick: null });
    expect(await work(queue.replay(task))).toEqual(first);
  });
});

describe('a past state', () => {
  it('[T17, T18] is that of the world at its tick, in which it leaves no trace', async () => {
    const { kernel, shard, slab, world, queue, work } = setUp();
    shard.pass(1600 * 20, 80);
    const before = kernel.hash(slab);
    let begin: WorldPast = past;
    // Each goes on from the one before, with the changes after it.
    for (const tick of [0, 21, 700, 1500, 1501, 1596]) {
      const reference = makeWorld(kernel, SEED);
      liveFromJournal(kernel, reference, CHANGES, tick);
      const { hash, snapshot, image } = await work(queue.pastState(lookAt('a', tick, begin)));
      expect(hash).toBe(kernel.hash(reference));
      const shown = world.encoder.encode('json', kernel.pack(reference));
      expect(Buffer.from(snapshot ?? []).toString()).toBe(Buffer.from(shown).toString());
      kernel.release(reference);
      const seq = CHANGES.findLast((each) => each.tick <= tick)?.seq ?? 0;
      const state = { tick, seq, bytes: image };
      begin = { ...past, image: state, changes: packNumbered(later(tick)) };
    }
    expect(kernel.hash(slab)).toBe(before);
  });

  it('[T18] delays no frame, however many clients ask', () => {
    let readings = 0;
    const time = { ...systemTime, now: () => readings++ / 100 };
    const { shard, queue } = setUp(0, time, time);
    shard.pass(1500 * 20, 80);
    shard.frames.length = 0;
    for (let client = 0; client < 20; client++) {
      for (let tick = 5000; tick < 5008; tick++) void queue.pastState(lookAt(`${client}`, tick));
    }
    for (let frame = 1; frame <= 25; frame++) {
      shard.nowMs += 80;
      shard.scheduler.turn();
      expect(shard.frames.at(-1)?.tick).toBe(1500 + 4 * frame);
    }
    expect(shard.frames).toHaveLength(25);
    expect(queue.isBusy).toBe(true);
  });

  it('[T18] takes turns with all else: others get half of the work, or more', async () => {
    let nowMs = 0;
    // A slice takes 1 ms.
    const { shard, chains, queue, rewind } = setUp(0, { ...systemTime, now: () => nowMs++ });
    shard.pass(800 * 20, 80);
    const slicesOf = async (work: Promise<unknown>) => {
      let isOver = false;
      void work.then(() => {
        isOver = true;
      });
      let slices = 0;
      for (; !isOver; slices++) {
        queue.work(nowMs + 1);
        await nextTurn();
      }
      return slices;
    };
    const alone = await slicesOf(rewind(chains(0)));
    for (let client = 0; client < 20; client++) {
      void queue.pastState(lookAt(`${client}`, 70_000));
    }
    expect(await slicesOf(rewind(chains(0)))).toBeLessThanOrEqual(2 * alone + 2);
  });

  it('is reached in small steps, also if a world has all its changes at one tick', async () => {
    let nowMs = 0;
    const { queue, kernel } = setUp(0, { ...systemTime, now: () => nowMs++ });
    const count = 5000;
    const changes = Array.from({ length: count }, (_, i) => change(i + 1, 0, i % 20, 1, i % 2));
    const task = lookAt('a', 4, { ...past, changes: packNumbered(changes) });
    let slices = 0;
    const looked = queue.pastState(task);
    for (; queue.isBusy; slices++) queue.work(nowMs + 1);
    // At most 200 changes are applied in each.
    expect(slices).toBeGreaterThan(count / 200);
    const reference = makeWorld(kernel, SEED);
    liveFromJournal(kernel, reference, changes, 4);
    expect((await looked).hash).toBe(kernel.hash(reference));
  });
});

const later = (tick: number) => CHANGES.filter((each) => each.tick > tick);

function lookAt(client: string, tick: number, from = past) {
  return { client, world: WORLD, cityIndex: 0, past: from, tick, encoding: 'json' } as const;
}

/** Works with a turn of the event loop between two answers. */
async function workInTurns(queue: CounterfactualQueue): Promise<void> {
  while (queue.isBusy) {
    queue.work(systemTime.now() + 2);
    await new Promise<void>((resolve) => void systemTime.immediate(resolve));
  }
}

function taskOf(chain: IncidentContacts) {
  const order = { client: 'a', world: WORLD, cityIndex: 0, chain };
  return { ...order, startTick: undefined, encoding: 'json' } as const;
}
