/** Durable changes a second through the store's contract, against bare lmdb. */

import { open } from 'lmdb';
import { PARTITION_COUNT } from '../src/limits.ts';
import { openEmbedded } from '../src/store/embedded-store.ts';
import { takenGrant } from '../src/testing/rigs/taken-grant.ts';
import { systemTime } from '../src/time.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { inFreshDir } from './common/fresh-dir.ts';
import { Latencies, type LatencySummary } from './common/latencies.ts';
import { median } from './common/report.ts';

const WAITER_COUNT = 64;
const ROUNDS = 3;
const ROUND_MS = 2000;

interface Speed {
  perS: number;
  latency: LatencySummary;
}

/** Writes an entry; resolves once it is durable. */
type DurableWrite = (waiter: number, sequence: number) => Promise<unknown>;

/** Every writer waits until its write is durable, then writes again. */
async function race(write: DurableWrite): Promise<Speed> {
  const latencies = new Latencies();
  const startMs = systemTime.now();
  const endMs = startMs + ROUND_MS;
  let count = 0;
  const waiter = async (_: unknown, waiterIndex: number) => {
    let fromMs = systemTime.now();
    for (let sequence = 0; fromMs < endMs; sequence += 1) {
      await write(waiterIndex, sequence);
      const nowMs = systemTime.now();
      latencies.record(nowMs - fromMs);
      fromMs = nowMs;
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: WAITER_COUNT }, waiter));
  return {
    perS: count / ((systemTime.now() - startMs) / 1000),
    latency: latencies.summary(),
  };
}

const changeOf = (waiter: number, sequence: number) => [sequence, waiter % 20, 64, sequence % 64];

/** LMDB alone, with entries of the same size. */
export function bareLmdb(): Promise<Speed> {
  return inFreshDir(async (dir) => {
    const db = open<number[], [string, number, number]>({ path: dir });
    const speed = await race(async (waiter, sequence) => {
      await db.put(['j', waiter, sequence], changeOf(waiter, sequence));
      await db.flushed;
    });
    await db.close();
    return speed;
  });
}

function ours(): Promise<Speed> {
  return inFreshDir(async (dir) => {
    const store = await openEmbedded(dir, systemTime);
    const partitions = Array.from({ length: PARTITION_COUNT }, (_, partition) => partition);
    const grants = await Promise.all(partitions.map((partition) => takenGrant(store, partition)));
    const speed = await race((waiter, sequence) => {
      const partition = waiter % PARTITION_COUNT;
      const key = ['p', partition, 'journal', waiter, sequence];
      const write = { key, value: changeOf(waiter, sequence) };
      return store.commit([], [write], grants[partition]);
    });
    await store.close();
    return speed;
  });
}

export async function run(): Promise<Figure[]> {
  const [bare, own]: [Speed[], Speed[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await bareLmdb());
    own.push(await ours());
  }
  const perS = (speeds: Speed[]) => median(speeds.map((speed) => speed.perS));
  const p99Ms = (speeds: Speed[]) => median(speeds.map((speed) => speed.latency.p99Ms));
  const reference = { name: 'bare lmdb', value: perS(bare) };
  return [
    compared(`durable commits, ${WAITER_COUNT} waiters`, perS(own), '/s', reference),
    figure('p99 of a commit', p99Ms(own), 'ms'),
    figure('p99 of bare lmdb', p99Ms(bare), 'ms'),
  ];
}
