import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { TICK_MS } from '../../assembly/layout.ts';
import { NodeClock } from '../clock.ts';
import { HEARTBEAT_MS, IMAGES_PER_HEARTBEAT, STORED_IMAGE_TICKS } from '../limits.ts';
import { phaseOf } from '../phase.ts';
import type { QueryResult, Report } from '../shard/protocol.ts';
import { Shard, type ShardListener } from '../shard/shard.ts';
import { Chance } from './chance.ts';
import { Machine, type Thread } from './machine.ts';
import { Macrotasks } from './macrotasks.ts';
import { SimulatedThread } from './simulated-thread.ts';
import {
  changedState,
  firstState,
  shownInFrame,
  shownState,
  stateOfImage,
  TOY_CITIES,
  toyWasm,
} from './toy-kernel.ts';

const WORLD = 77;
/** More than a heartbeat has images for. */
const WORLDS = IMAGES_PER_HEARTBEAT + 25;
const SEED = 42;
const CHANGE = { seq: 1, tick: 50, car: 3, touched: 6, values: 2 };

let macrotasks: Macrotasks;
let main: Thread;
let shard: Shard;
let threads: SimulatedThread[];
let reports: Report[];
let listener: ShardListener;
let deaths: number;
let clock: NodeClock;

beforeEach(async () => {
  macrotasks = new Macrotasks();
  const chance = new Chance(1, 1);
  const clocks = { startMs: 0, driftPpm: 0, wallMs: 1e12, lateMsMax: 0 };
  const machine = new Machine(macrotasks, clocks, chance);
  main = machine.makeThread();
  clock = new NodeClock(main.time, 1e12);
  main.time.every(10, () => clock.now());
  threads = [];
  shard = new Shard(0, {
    ...{ wasm: toyWasm(1), cities: TOY_CITIES, slabCount: WORLDS, admittedPerMille: 600 },
    ...{ clock, time: main.time, log: pino({ level: 'silent' }), faults: false },
    makeThread: (start, listener) => {
      const own = machine.makeThread();
      const thread = new SimulatedThread(start, listener, { main, own, chance });
      threads.push(thread);
      return thread;
    },
  });
  reports = [];
  deaths = 0;
  listener = {
    report: (_: Shard, report: Report) => void reports.push(report),
    died: () => void deaths++,
  };
  await settled(shard.start(listener));
});

/** Lets virtual time pass until a promise has settled. */
async function settled<T>(outcome: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  outcome.then(settle, settle);
  await macrotasks.run(() => isSettled);
  return outcome;
}

async function openWorld(changes: readonly (typeof CHANGE)[] = [], world = WORLD): Promise<void> {
  const packed = Int32Array.from(changes.flatMap((each) => Object.values(each)));
  const from = { tick: 0, seq: 0, masks: [] };
  const past = { seed: SEED, from, image: undefined, changes: packed };
  const task = { world, residency: 1, cityIndex: 0, createdAtMs: 1e12, past };
  expect(await settled(shard.open(task))).toEqual({ outcome: 'opened', contacts: 0 });
}

function query(tick: number) {
  const task = { world: WORLD, residency: 1, tick, query: 'json' as const, background: false };
  return settled(shard.query(task, tick));
}

const shownBy = ({ bytes }: QueryResult) => shownInFrame(bytes as Uint8Array);

test('a world shows the hash of its seed, its changes and its tick', async () => {
  await openWorld([CHANGE]);
  const first = firstState(SEED, 0, []);
  expect(shownBy((await query(40)) as QueryResult).state).not.toBe(shownState(first, 60));
  const { tick, state } = shownBy((await query(60)) as QueryResult);
  expect(tick).toBe(60);
  expect(state).toBe(shownState(changedState(first, CHANGE), 60));
});

test('reports are handled before an answer that was sent after them', async () => {
  await openWorld();
  await query(30);
  expect(reports).toEqual([]);
  await settled(shard.saveMoved(10));
  expect(reports).toMatchObject([{ kind: 'image', image: { tick: 30, seq: 0 } }]);
  const [report] = reports;
  const bytes = report?.kind === 'image' ? report.image.bytes : new Uint8Array(0);
  expect(stateOfImage(bytes)).toBe(firstState(SEED, 0, []));
});

test('a heartbeat has images of watched worlds stored together, and leaves to the next what is too much', async () => {
  // They take their turns at the same ticks.
  const numbers = Array.from({ length: WORLDS }, (_, i) => WORLD + i * 2 ** 20);
  const [phase] = new Set(numbers.map((number) => phaseOf(number, STORED_IMAGE_TICKS)));
  for (const world of numbers) {
    await openWorld([], world);
    const wanted = { json: true, msgpack: false, packed: false };
    shard.command({ kind: 'watch', world, residency: 1, ...wanted });
  }
  const dueTick = STORED_IMAGE_TICKS - (phase ?? 0);
  const passed = Promise.withResolvers<void>();
  main.add(dueTick * TICK_MS + 4 * HEARTBEAT_MS, passed.resolve);
  const cameMs: number[] = [];
  listener.report = (_, report) => {
    if (report.kind === 'frames') shard.acknowledge(report.number);
    if (report.kind !== 'image') return;
    expect(report.image.tick).toBeGreaterThanOrEqual(dueTick);
    cameMs.push(main.time.now());
  };
  await settled(passed.promise);
  expect(cameMs).toHaveLength(WORLDS);
  const firstMs = cameMs[0] ?? 0;
  const atOnce = cameMs.filter((ms) => ms - firstMs < HEARTBEAT_MS / 2);
  expect(atOnce).toHaveLength(IMAGES_PER_HEARTBEAT);
});

test('a held world waits, and goes on with its change', async () => {
  await openWorld();
  const address = { world: WORLD, residency: 1 };
  shard.command({ kind: 'hold', hold: 1, tick: 50, ...address });
  const asked = query(60);
  main.add(500, () => shard.command({ kind: 'resolve', hold: 1, changes: [CHANGE], ...address }));
  const { state } = shownBy((await asked) as QueryResult);
  expect(state).toBe(shownState(changedState(firstState(SEED, 0, []), CHANGE), 60));
});

test('what waits for a thread that dies is told, and the main thread too', async () => {
  await openWorld();
  const task = { world: WORLD, residency: 1, tick: 1e6, query: 'json' as const, background: false };
  const asked = shard.query(task, 0);
  main.add(5, () => threads[0]?.die());
  await expect(settled(asked)).rejects.toThrow('world_unavailable');
  expect(deaths).toBe(1);
  await settled(shard.restart());
  await openWorld();
});
