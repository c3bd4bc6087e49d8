import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { figure } from '../../bench/common/figures.ts';
import { HttpPool } from '../../bench/common/http-pool.ts';
import { formatFailures, openLoop } from '../../bench/common/loops.ts';
import { makeWorlds } from '../../bench/common/made-worlds.ts';
import { progress } from '../../bench/common/progress.ts';
import type { Server } from '../../bench/common/server.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { systemTime } from '../../src/time.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import type { Outcome } from '../command.ts';
import { randomChange } from '../random-changes.ts';
import { formatShare, formatUsage, LoadMeter } from '../usage-meter.ts';
import { type Difference, keepDifference } from './difference.ts';
import type { Counts, FromThread, ThreadTask, VerifiedWorld } from './verify-thread.ts';
import { TOLD_MS } from './world-check.ts';

const THREAD = new URL('./verify-thread.ts', import.meta.url);
const CONNECTIONS = 8;
const SEED_END = 2 ** 32;
const SETTLING_MS = 1000;
/** Until no frame waits for the journal: it has to be read, and then each change to be told. */
const SETTLED_MS_MAX = 2 * TOLD_MS;
const NOTHING: Counts = {
  same: { json: 0, msgpack: 0 },
  worlds: 0,
  waiting: 0,
  refused: 0,
  ended: 0,
};

interface Plan {
  worlds: number;
  /** Of each world. */
  watchers: number;
  seconds: number;
  /** Changes a second, over all worlds. */
  changes: number;
  seed: number;
}

/** Threads that live worlds and compare what a node sends of them. */
class Verifiers {
  readonly #threads: Worker[];
  readonly #counts: Counts[] = [];
  /** Threads that have told their counts of late. */
  readonly #fresh = new Set<number>();
  readonly #first = Promise.withResolvers<Difference>();
  readonly #failed = Promise.withResolvers<never>();
  readonly #open: Promise<void>[] = [];

  /** The worlds are shared evenly. */
  constructor(task: ThreadTask, threadCount: number) {
    const count = Math.min(threadCount, task.worlds.length);
    this.#threads = Array.from({ length: count }, (_, i) => {
      const worlds = task.worlds.filter((_, world) => world % count === i);
      return this.#start({ ...task, worlds }, i);
    });
    // Whoever waits for something else is not told.
    this.#failed.promise.catch(() => {});
  }

  #start(workerData: ThreadTask, index: number): Worker {
    const thread = new Worker(THREAD, { workerData });
    const open = Promise.withResolvers<void>();
    this.#open.push(open.promise);
    thread.on('error', this.#failed.reject);
    thread.on('message', (message: FromThread) => {
      if (message.type === 'open') open.resolve();
      else if (message.type === 'counts') {
        this.#counts[index] = message.counts;
        this.#fresh.add(index);
      } else this.#first.resolve(message.difference);
    });
    return thread;
  }

  /** Until all streams are open, or a frame differs. Rejects if a thread fails. */
  async opened(): Promise<void> {
    await Promise.race([Promise.all(this.#open), this.#first.promise, this.#failed.promise]);
  }

  /** The first frame that differs within a time. Rejects if a thread fails. */
  difference(ms: number): Promise<Difference | undefined> {
    const over = systemTime.sleep(ms).then(() => undefined);
    return Promise.race([over, this.#first.promise, this.#failed.promise]);
  }

  /** The first frame that differs of those that have come, however long they wait for the journal. */
  async settled(): Promise<Difference | undefined> {
    for (const endMs = systemTime.now() + SETTLED_MS_MAX; ; ) {
      this.#fresh.clear();
      const difference = await this.difference(SETTLING_MS);
      const isKnown = this.#fresh.size === this.#threads.length;
      const isOver = isKnown && (this.counts().waiting === 0 || systemTime.now() > endMs);
      if (difference || isOver) return difference;
    }
  }

  counts(): Counts {
    return this.#counts.reduce((sum, { same, worlds, waiting, refused, ended }) => {
      const { json, msgpack } = sum.same;
      return {
        same: { json: json + same.json, msgpack: msgpack + same.msgpack },
        worlds: sum.worlds + worlds,
        waiting: sum.waiting + waiting,
        refused: sum.refused + refused,
        ended: sum.ended + ended,
      };
    }, NOTHING);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

/** What was found. `difference`: where the first frame that differs is kept. */
export type Verified = Awaited<ReturnType<typeof verify>>;

/**
 * Watches worlds and lives them as well, by their seeds and the changes that the node tells of, and compares
 * each frame byte by byte. Features are switched meanwhile. Ends with the first frame that differs.
 * @param carTypes with which the worlds are lived here
 */
export async function verify(plan: Plan, server: Server, carTypes = CAR_TYPES) {
  const dice = new Dice(plan.seed);
  const kinds = Array.from({ length: plan.worlds }, () => {
    return { seed: dice.below(SEED_END), city: dice.pick(CITIES).name };
  });
  const made = await makeWorlds(server.url, plan.worlds, (i) => kinds[i] ?? {});
  const worlds = kinds.map((kind, i): VerifiedWorld => ({ ...kind, id: made[i]?.id ?? '' }));
  const task = { url: server.url.href, worlds, watchers: plan.watchers, carTypes };
  const verifiers = new Verifiers(task, Math.max(1, availableParallelism() - 1));
  const pool = await HttpPool.open(server.url, CONNECTIONS);
  const over = new AbortController();
  const meter = new LoadMeter(server);
  const stopProgress = progress(() => {
    const { same, worlds } = verifiers.counts();
    return `${worlds} worlds, ${same.json + same.msgpack} frames compared, none differs`;
  });
  try {
    const request = () => randomChange(server.url, made, dice);
    const pace = { ratePerS: plan.changes, seconds: Number.POSITIVE_INFINITY };
    const changing = openLoop(pool, { ...pace, request }, over.signal);
    await verifiers.opened();
    const difference = await verifiers.difference(plan.seconds * 1000);
    const usage = meter.server();
    const ownShare = meter.ownShare();
    over.abort();
    const changes = await changing;
    const late = difference ?? (await verifiers.settled());
    const kept = late && keepDifference(late);
    return {
      ...verifiers.counts(),
      watched: plan.worlds,
      changes,
      usage,
      ownShare,
      difference: kept,
    };
  } finally {
    over.abort();
    stopProgress();
    pool.close();
    await verifiers.close();
  }
}

export function outcomeOf(found: Verified): Outcome {
  const { same, worlds, watched, waiting, refused, ended } = found;
  const { changes, usage, ownShare, difference } = found;
  const none = { atMost: 0, isScaled: false };
  const rows: Outcome['rows'] = [
    ['worlds', `${worlds} of ${watched} compared`],
    ['frames compared', `${same.json} in JSON, ${same.msgpack} in MessagePack`],
    ['changes meanwhile', `${changes.ok}, failed: ${formatFailures(changes.failed)}`],
    ['streams refused, ended', `${refused}, ${ended}`],
    ['server used', formatUsage(usage)],
    ['this process used', formatShare(ownShare)],
    ...(difference ?? []).map((line): [string, string] => ['DIFFERENT', line]),
  ];
  const judged = [
    figure('frames that differ', difference ? 1 : 0, 'frames', none),
    // A difference ends the run while others may wait.
    figure('frames that were not judged', difference ? 0 : waiting, 'frames', none),
    figure('worlds without a compared frame', watched - worlds, 'worlds', none),
    figure('streams that were refused or ended', refused + ended, 'streams', none),
  ];
  return { rows, judged, figures: { ...found, judged } };
}
