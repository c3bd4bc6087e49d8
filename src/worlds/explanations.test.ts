import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SLAB_BYTES } from '../../assembly/layout.ts';
import { at } from '../city/geometry.ts';
import { ASKED_MS, EXPLAINED_AT_ONCE, SEARCH_TICKS } from '../limits.ts';
import { createLog } from '../log.ts';
import { Slices } from '../slices.ts';
import { contactWith, partyWith } from '../testing/doubles/contacts.ts';
import { SEARCHED_TICKS, shardOf } from '../testing/doubles/explaining-shard.ts';
import { ManualClock } from '../testing/doubles/manual-clock.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { TurnCount } from '../testing/doubles/turn-count.ts';
import { worldRecord } from '../testing/doubles/world-record.ts';
import { takenGrant } from '../testing/rigs/taken-grant.ts';
import { openIn, tempStore } from '../testing/rigs/temp-store.ts';
import { systemTime } from '../time.ts';
import { COMPARED_END_TICKS, INCIDENT_END_TICKS } from '../twin/contact-records.ts';
import type { Asker, World } from '../twin-service.ts';
import { EncodingDemand } from './encoding-demand.ts';
import { Explanations } from './explanations.ts';
import { ImageLadder } from './image-ladder.ts';
import { IncidentIndex, PAGE_INCIDENTS } from './incident-index.ts';
import { Records } from './records.ts';
import { Residency } from './residency.ts';
import { sealed } from './stored-image.ts';
import type { WorldDependencies } from './world-dependencies.ts';
import type { WorldParts } from './world-parts.ts';
import { WorldReports } from './world-reports.ts';
import { WorldTicks } from './world-ticks.ts';

/** Of all worlds of a node. */
const slices = new Slices(systemTime);
/** A collision every six seconds: each is over before the next. */
const EVERY_TICKS = 300;

const temp = await tempStore(openIn);
let records: Records;
let worlds = 0;
beforeAll(async () => {
  records = new Records(temp.store, await takenGrant(temp.store, 0));
});
afterAll(() => temp.destroy());

const record = worldRecord();

const contactAt = (tick: number) =>
  contactWith({ tick, parties: [partyWith({ car: 1 }), partyWith({ car: -1 })] });

const IMAGE = sealed({ kernel: record.kernel, tick: 0, seq: 0, bytes: new Uint8Array(SLAB_BYTES) });

const tickOf = (i: number): number => EVERY_TICKS * (i + 1);

/** A budget of so many ticks, of which some are kept for other work. */
function budgetOf(left: number, client = 'a', kept = 0): Asker & { left: number } {
  return {
    client,
    left,
    affords(ticks) {
      return this.left >= ticks;
    },
    spares(ticks) {
      return this.left - ticks >= kept;
    },
    spend(ticks) {
      this.left -= ticks;
    },
  };
}

const WATCHER = 'watcher';
/** A watched world on such a shard. */
function worldOf(cachedFrom: number, budget = budgetOf(Number.POSITIVE_INFINITY)) {
  const number = ++worlds;
  const { shard, seen } = shardOf(cachedFrom);
  const clock = new ManualClock(0);
  const log = createLog('silent');
  const time = TestTime.standing();
  const explanationBudget = () => budget;
  const common = { records, kernel: 'k', time, slices, log, shard, cityIndex: 0 };
  const shared = { ...common, explanationBudget } as unknown as WorldDependencies;
  const ladder = new ImageLadder(number, record, records);
  const reports = new WorldReports(number, shared, ladder);
  const ticks = new WorldTicks(clock, 0, 0);
  const residency = new Residency(number, shard);
  const demand = new EncodingDemand();
  demand.join('json', WATCHER);
  const base = { world: { number, id: 'w' } as World, record, ticks, residency, reports, demand };
  const parts = { ...base, ladder, shared } as WorldParts;
  const explanations = new Explanations(parts, new IncidentIndex(number, records));
  let contacts = 0;
  /** Steps on and has explained what is over. */
  const stepTo = async (tick: number): Promise<void> => {
    ticks.step(tick);
    clock.advance(Math.max(0, tick * 20 - clock.now()));
    explanations.wake();
    await reports.stored();
  };
  return {
    number,
    time,
    budget,
    seen,
    order: seen.order,
    rewinds: seen.rewinds,
    demand,
    reports,
    residency,
    explanations,
    /** Collides at these ticks, steps on until they are over, and has them explained. */
    collide: async (collisions: readonly number[]): Promise<void> => {
      reports.contacts(contacts, collisions.map(contactAt));
      contacts += collisions.length;
      await stepTo((collisions.at(-1) ?? 0) + EVERY_TICKS);
    },
    report: (facts: Parameters<WorldReports['contacts']>[1]) => {
      reports.contacts(contacts, facts);
      contacts += facts.length;
    },
    stepTo,
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise<void>((resolve) => void systemTime.immediate(resolve));
}

test('what a world catches up with is explained the newest first, in parts', async () => {
  const count = EXPLAINED_AT_ONCE + 5;
  const world = worldOf(Number.POSITIVE_INFINITY);
  const ticks = Array.from({ length: count }, (_, i) => tickOf(i));
  await world.collide(ticks);
  for (const part of [EXPLAINED_AT_ONCE, 5]) {
    await until(() => world.rewinds.length > 0);
    const [{ task, done } = { task: undefined, done: () => {} }] = world.rewinds.splice(0);
    expect(task?.chains).toHaveLength(part);
    done();
  }
  await until(() => world.order.length === count);
  expect(world.order).toEqual(ticks.toReversed());
});

test('[I41] an incident is explained when neither a crash pulse nor a change can come to it', async () => {
  const world = worldOf(0);
  const [alone, first, last] = [500, 1000, 1105];
  world.report([...[alone, first].map(contactAt), { ...contactAt(last), chainTick: first }]);
  await world.stepTo(alone + COMPARED_END_TICKS - 1);
  await until(() => world.explanations.isIdle);
  expect(world.order).toEqual([]);
  await world.stepTo(last + INCIDENT_END_TICKS - 1);
  await until(() => world.order.length === 1);
  const crashPulse = { car: 1, sinceTick: 1204, deltaVMps: 20, impactX: 1, impactY: 0, energyJ: 9 };
  world.report([{ tick: 1213, order: 0, chainTick: first, chainOrder: 0, crashPulse }]);
  await world.stepTo(last + INCIDENT_END_TICKS);
  await until(() => world.order.length === 2);
  expect(world.order).toEqual([alone, first]);
  expect(world.seen.chains.at(-1)?.at(-1)?.parties[0].deltaVMps).toBe(20);
});

test('newer incidents do not wait for a rewind', async () => {
  const world = worldOf(tickOf(10));
  const past = Array.from({ length: 10 }, (_, i) => tickOf(i));
  await world.collide(past);
  await until(() => world.rewinds.length > 0);
  await world.collide([tickOf(10)]);
  await until(() => world.order.length === 1);
  await world.collide([tickOf(11), tickOf(12)]);
  await until(() => world.order.length === 3);
  expect(world.order).toEqual([tickOf(10), tickOf(12), tickOf(11)]);
  // One rewind is enough.
  expect(world.rewinds).toHaveLength(1);
  world.rewinds[0]?.done();
  await until(() => world.order.length === 13);
  expect(world.order.slice(3)).toEqual(past.toReversed());
});

test('[I22] what an earlier process left unexplained is found in the store', async () => {
  const world = worldOf(0);
  await world.collide([tickOf(0), tickOf(1)]);
  await until(() => world.order.length === 2);
  const contacts = [tickOf(2), tickOf(3)].map(contactAt);
  await records.saveIncidents(worlds, contacts);
  await world.collide([]);
  await world.collide([tickOf(4)]);
  await until(() => world.order.length === 5);
  expect(world.order).toEqual([tickOf(1), tickOf(0), tickOf(4), tickOf(3), tickOf(2)]);
});

test('an incident that cannot be run again is given up after a second try, and keeps no other', async () => {
  const world = worldOf(Number.POSITIVE_INFINITY);
  world.seen.failingTick = tickOf(1);
  await records.saveImage(world.number, IMAGE);
  await world.collide([tickOf(0), tickOf(1), tickOf(2)]);
  const images: boolean[] = [];
  for (let rewind = 0; rewind < 2; rewind++) {
    await until(() => world.rewinds.length > 0);
    const [next] = world.rewinds.splice(0);
    images.push(next?.task.past.image !== undefined);
    next?.done();
  }
  await until(() => world.explanations.isIdle);
  expect(images).toEqual([true, false]);
  expect(world.order).toEqual([tickOf(2), tickOf(0)]);
  await world.collide([tickOf(3)]);
  await until(() => world.rewinds.length > 0);
  expect(world.rewinds[0]?.task.chains.map(([{ tick }]) => tick)).toEqual([tickOf(3)]);
});

test('a world that was removed or forgotten meanwhile gets no explanation', async () => {
  const world = worldOf(Number.POSITIVE_INFINITY);
  await world.collide([tickOf(0)]);
  await until(() => world.rewinds.length > 0);
  world.residency.retire();
  world.rewinds[0]?.done();
  await until(() => world.explanations.isIdle);
  await world.reports.written();
  expect(world.order).toEqual([]);
  expect((await records.explanations(world.number)).size).toBe(0);
});

// ── budgets ─────────────────────────────────────────────────────────────────────────────────────

const placeAt = (tick: number) => ({ tick, order: 0 });

test('[I31] a world pays for its newest incidents, then waits until it can pay again', async () => {
  const world = worldOf(0, budgetOf(2 * SEARCH_TICKS));
  const ticks = Array.from({ length: 8 }, (_, i) => tickOf(i));
  await world.collide(ticks);
  await until(() => world.explanations.isIdle);
  // What a search does not need is given back: 60,000 ticks less 10,000 each, until 30,000 are needed.
  expect(world.order).toEqual(ticks.toReversed().slice(0, 4));
  expect(world.budget.left).toBe(2 * SEARCH_TICKS - 4 * SEARCHED_TICKS);
  world.budget.left = SEARCH_TICKS;
  await world.time.advance(10_000);
  await until(() => world.order.length === 5 && world.explanations.isIdle);
});

test('[I31] beyond the budget of the world a client pays for what it asks for, if it can', async () => {
  const world = worldOf(0, budgetOf(0));
  const ticks = [tickOf(0), tickOf(1), tickOf(2)];
  await world.collide(ticks);
  const poor = budgetOf(SEARCH_TICKS - 1);
  world.explanations.ask(ticks.map(placeAt), poor);
  await until(() => world.explanations.isIdle);
  expect([world.order, poor.left]).toEqual([[], SEARCH_TICKS - 1]);
  const rich = budgetOf(SEARCH_TICKS);
  world.explanations.ask([placeAt(tickOf(1))], rich);
  await until(() => world.order.length === 1 && world.explanations.isIdle);
  expect(world.order).toEqual([tickOf(1)]);
  expect([rich.left, poor.left]).toEqual([SEARCH_TICKS - SEARCHED_TICKS, SEARCH_TICKS - 1]);
  expect(world.budget.left).toBe(0);
});

test('[I31] who pays for a search pays for the rewind before it', async () => {
  const world = worldOf(Number.POSITIVE_INFINITY);
  world.budget.left = 0;
  world.demand.leave('json', WATCHER);
  await world.collide([tickOf(9)]);
  const client = budgetOf(SEARCH_TICKS);
  world.explanations.ask([placeAt(tickOf(9))], client);
  await until(() => world.rewinds.length > 0);
  world.rewinds[0]?.done();
  await until(() => world.order.length === 1 && world.explanations.isIdle);
  expect(client.left).toBe(SEARCH_TICKS - tickOf(9) - SEARCHED_TICKS);
});

test('[I31] a client that cannot pay does not take the place of one that can', async () => {
  const world = worldOf(0, budgetOf(0));
  world.demand.leave('json', WATCHER);
  await world.collide([tickOf(0)]);
  const [rich, poor] = [budgetOf(SEARCH_TICKS), budgetOf(0, 'b')];
  world.explanations.ask([placeAt(tickOf(0))], rich);
  world.explanations.ask([placeAt(tickOf(0))], poor);
  await until(() => world.rewinds.length > 0);
  expect([rich.left < SEARCH_TICKS, poor.left]).toEqual([true, 0]);
});

test('[I31] a client pays for no more than what it can spare', async () => {
  const world = worldOf(0, budgetOf(0));
  const ticks = [tickOf(0), tickOf(1), tickOf(2), tickOf(3)];
  await world.collide(ticks);
  const client = budgetOf(4 * SEARCH_TICKS, 'a', 2 * SEARCH_TICKS);
  world.explanations.ask(ticks.map(placeAt), client);
  await until(() => world.order.length === 2);
  expect(world.order.toSorted((a, b) => b - a)).toEqual([tickOf(3), tickOf(2)]);
});

test('[I31] a client pays once for each of many requests', async () => {
  const world = worldOf(0, budgetOf(0));
  const ticks = [tickOf(0), tickOf(1), tickOf(2)];
  await world.collide(ticks);
  const client = budgetOf(2 * SEARCH_TICKS - 1);
  // Each request has an object of its own for the one budget.
  for (const tick of ticks) {
    world.explanations.ask([placeAt(tick)], {
      client: client.client,
      affords: (count) => client.affords(count),
      spares: (count) => client.spares(count),
      spend: () => {},
    });
  }
  await until(() => world.order.length > 0);
  expect(world.order).toEqual([tickOf(2)]);
});

test('[I35] a search is for the client that pays or, if the world does, for its first watcher', async () => {
  const world = worldOf(0, budgetOf(SEARCH_TICKS));
  for (const client of ['first', 'second']) world.demand.join('json', client);
  world.demand.leave('json', WATCHER);
  await world.collide([tickOf(0)]);
  await until(() => world.order.length === 1 && world.explanations.isIdle);
  world.budget.left = 0;
  await world.collide([tickOf(1)]);
  world.explanations.ask([placeAt(tickOf(1))], budgetOf(SEARCH_TICKS, 'asker'));
  await until(() => world.order.length === 2 && world.explanations.isIdle);
  expect(world.seen.clients).toEqual(['first', 'asker']);
});

test('pages of which nobody pays for an incident are not read', async () => {
  const world = worldOf(0, budgetOf(0));
  const ticks = Array.from({ length: 3 * PAGE_INCIDENTS }, (_, i) => tickOf(i));
  await world.collide(ticks);
  await until(() => world.explanations.isIdle);
  const read = vi.spyOn(records, 'explanations');
  const wanted = at(ticks, PAGE_INCIDENTS);
  world.explanations.ask([placeAt(wanted)], budgetOf(SEARCH_TICKS));
  await until(() => world.order.length === 1 && world.explanations.isIdle);
  const pages = read.mock.calls
    .filter(([number]) => number === world.number)
    .map(([, from]) => from);
  read.mockRestore();
  expect(world.order).toEqual([wanted]);
  expect(new Set(pages)).toEqual(new Set([wanted]));
});

test('[R37] of many worlds one reads a page in a turn of the event loop', async () => {
  const ticks = Array.from({ length: PAGE_INCIDENTS + 8 }, (_, i) => tickOf(i));
  const worlds = Array.from({ length: 5 }, () => worldOf(0, budgetOf(0)));
  await Promise.all(worlds.map((world) => world.collide(ticks)));
  const pages = new TurnCount();
  const read = vi.spyOn(records, 'explanations');
  read.mockImplementation(async () => {
    pages.add();
    return new Map();
  });
  for (const world of worlds) {
    // Two searches, then nobody pays.
    world.budget.left = SEARCH_TICKS + SEARCHED_TICKS;
    world.explanations.wake();
  }
  await until(() =>
    worlds.every(({ order, explanations }) => order.length > 0 && explanations.isIdle),
  );
  read.mockRestore();
  expect(pages.total).toBeGreaterThanOrEqual(worlds.length);
  // The count of a turn ends behind the first page of the next.
  expect(pages.most).toBeLessThanOrEqual(2);
});

test('[I32] [Y6] what nobody watches but by lockstep, or has asked about for a minute, is stopped', async () => {
  const world = worldOf(Number.POSITIVE_INFINITY);
  world.demand.leave('json', WATCHER);
  world.demand.joinLockstep();
  await world.collide([tickOf(0), tickOf(1)]);
  world.explanations.ask([placeAt(tickOf(0)), placeAt(tickOf(1))], undefined);
  await until(() => world.rewinds.length > 0);
  world.explanations.stopUnwanted();
  expect(world.seen.stops).toBe(0);
  await world.time.advance(ASKED_MS);
  expect(world.seen.stops).toBe(1);
  world.rewinds[0]?.done();
  await until(() => world.explanations.isIdle);
  expect(world.order).toEqual([]);
  world.explanations.ask([placeAt(tickOf(1))], undefined);
  await until(() => world.rewinds.length > 1);
  world.rewinds[1]?.done();
  await until(() => world.order.length === 2);
});

test('requests during a rewind do not read the incidents again', async () => {
  const world = worldOf(Number.POSITIVE_INFINITY);
  world.demand.leave('json', WATCHER);
  await world.collide([tickOf(0)]);
  world.explanations.ask([placeAt(tickOf(0))], undefined);
  await until(() => world.rewinds.length > 0);
  const read = vi.spyOn(records, 'explanations');
  for (let i = 0; i < 5; i++) {
    world.explanations.ask([placeAt(tickOf(0))], undefined);
    await systemTime.sleep(0);
  }
  expect(read.mock.calls.filter(([number]) => number === world.number)).toEqual([]);
  read.mockRestore();
  world.rewinds[0]?.done();
  await until(() => world.order.length === 1);
});

test('[I32] the last watcher stops what nobody has asked about', async () => {
  const world = worldOf(Number.POSITIVE_INFINITY);
  await world.collide([tickOf(0)]);
  await until(() => world.rewinds.length > 0);
  world.explanations.stopUnwanted();
  expect(world.seen.stops).toBe(0);
  world.demand.leave('json', WATCHER);
  world.explanations.stopUnwanted();
  expect(world.seen.stops).toBe(1);
});
