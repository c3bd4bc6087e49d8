import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { EXPLAINED_AT_ONCE } from '../limits.ts';
import type { ExplainAnswer, ExplainTask } from '../shard/protocol.ts';
import { type EmbeddedStore, openEmbedded } from '../store/embedded-store.ts';
import { systemTime } from '../time.ts';
import type { ContactFacts, PartyFacts } from '../twin/incidents.ts';
import { Explanations } from './explanations.ts';
import { Leases } from './leases.ts';
import { Records, type WorldRecord } from './records.ts';
import { WorldReports } from './world-reports.ts';

/** A collision every six seconds: each is over before the next. */
const EVERY_TICKS = 300;

let dir: string;
let store: EmbeddedStore;
let records: Records;
let worlds = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'explanations-test.'));
  store = await openEmbedded(dir, systemTime);
  records = new Records(store, await Leases.takeAll(store, 'node'));
});
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true });
});

const record: WorldRecord = {
  seed: 1,
  city: 'grid',
  createdAtMs: 0,
  kernel: 'k',
  exact: true,
  due: 0,
  livedCount: 0,
  masks: Array.from({ length: CAR_COUNT }, () => F_ALL),
  maskSeq: 0,
  maskTick: 0,
  from: { tick: 0, seq: 0, masks: Array.from({ length: CAR_COUNT }, () => F_ALL) },
};

function contactAt(tick: number): ContactFacts {
  const party = { car: 1, declared: 0 } as PartyFacts;
  const other = { car: -1, declared: 0 } as PartyFacts;
  const chain = { chainTick: tick, chainOrder: 0 };
  return { tick, order: 0, ...chain, kind: 1, parties: [party, other] } as unknown as ContactFacts;
}

const tickOf = (i: number): number => EVERY_TICKS * (i + 1);

/** A watched world whose shard has kept what happened from a tick on; the rest waits for `live`. */
function worldOf(keptFrom: number) {
  const number = ++worlds;
  let livedTick = 0;
  const order: number[] = [];
  const waiting: { task: ExplainTask; done: () => void }[] = [];
  const reports = new WorldReports({
    time: systemTime,
    saveIncidents: (facts) => records.saveIncidents(number, facts),
    saveExplanations: (explained) => records.saveExplanations(number, explained),
    saveImage: () => Promise.resolve(),
    warn: () => {},
  });
  const tell = ({ chains }: ExplainTask, isKept: (tick: number) => boolean): ExplainAnswer => {
    const missing: number[] = [];
    for (const [position, [{ tick, order: place }]] of chains.entries()) {
      if (isKept(tick)) {
        order.push(tick);
        reports.explained({ tick, order: place, explanation: { failures: [], reruns: 0 } });
      } else missing.push(position);
    }
    return { missing, failed: [] };
  };
  const explanations = new Explanations({
    time: systemTime,
    ...{ records, reports, record, number, cityIndex: 0 },
    clockTick: () => livedTick,
    livedTick: () => livedTick,
    isWatched: () => true,
    isDropped: () => false,
    explain: (task) => {
      if (task.past === undefined) return Promise.resolve(tell(task, (tick) => tick >= keptFrom));
      const { promise, resolve } = Promise.withResolvers<ExplainAnswer>();
      waiting.push({ task, done: () => resolve(tell(task, () => true)) });
      return promise;
    },
    warn: () => {},
  });
  let contacts = 0;
  return {
    order,
    waiting,
    /** Collides at these ticks, lives on until they are over, and has them explained. */
    collide: async (ticks: readonly number[]): Promise<void> => {
      reports.contacts(contacts, ticks.map(contactAt));
      contacts += ticks.length;
      livedTick = (ticks.at(-1) ?? 0) + EVERY_TICKS;
      explanations.wake();
      await reports.stored();
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

test('what a world catches up with is explained the newest first, in parts', async () => {
  const count = EXPLAINED_AT_ONCE + 5;
  const world = worldOf(Number.POSITIVE_INFINITY);
  const ticks = Array.from({ length: count }, (_, i) => tickOf(i));
  await world.collide(ticks);
  for (const part of [EXPLAINED_AT_ONCE, 5]) {
    await until(() => world.waiting.length > 0);
    const [{ task, done } = { task: undefined, done: () => {} }] = world.waiting.splice(0);
    expect(task?.chains).toHaveLength(part);
    done();
  }
  await until(() => world.order.length === count);
  expect(world.order).toEqual(ticks.toReversed());
});

test('what happens meanwhile does not wait for what is lived again', async () => {
  const world = worldOf(tickOf(10));
  const past = Array.from({ length: 10 }, (_, i) => tickOf(i));
  await world.collide(past);
  await until(() => world.waiting.length > 0);
  await world.collide([tickOf(10)]);
  await until(() => world.order.length === 1);
  await world.collide([tickOf(11), tickOf(12)]);
  await until(() => world.order.length === 3);
  expect(world.order).toEqual([tickOf(10), tickOf(12), tickOf(11)]);
  // The past is asked for once.
  expect(world.waiting).toHaveLength(1);
  world.waiting[0]?.done();
  await until(() => world.order.length === 13);
  expect(world.order.slice(3)).toEqual(past.toReversed());
});

test('what an earlier process left unexplained is found in the store', async () => {
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
