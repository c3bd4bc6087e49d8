import { isStoreUnavailable } from '../errors.ts';
import { CATCH_UP_SHARE } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Shard } from '../shard/shard.ts';
import type { Time } from '../time.ts';

/** A world that nobody steps. */
export interface StandingWorld {
  readonly id: string;
  readonly shard: Pick<Shard, 'burstMs'>;
  /** Whether it is so far behind that it is to be brought to now. */
  readonly isBehind: boolean;
  readonly behindTicks: number;
  /** Steps it towards now, after everything that a client waits for. Resolves to how many ticks that were. */
  catchUp(): Promise<number>;
}

type Waiting = Set<StandingWorld>;

/**
 * Brings worlds to now that are far behind: on each shard one at a time, the one furthest behind first, in
 * CATCH_UP_SHARE of the time of its thread.
 */
export class CatchUps {
  readonly #time: Pick<Time, 'after'>;
  readonly #log: Log;
  /** By shard; absent where none waits. */
  readonly #waiting = new Map<StandingWorld['shard'], Waiting>();
  readonly #rests = new Set<() => void>();
  #isStopped = false;

  constructor({ time, log }: { time: Pick<Time, 'after'>; log: Log }) {
    this.#time = time;
    this.#log = log;
  }

  /** It may be in the queue already. */
  add(world: StandingWorld): void {
    if (this.#isStopped) return;
    const waiting = this.#waiting.get(world.shard);
    if (waiting !== undefined) {
      waiting.add(world);
      return;
    }
    const own = new Set([world]);
    this.#waiting.set(world.shard, own);
    void this.#run(world.shard, own);
  }

  stop(): void {
    this.#isStopped = true;
    for (const end of this.#rests) end();
  }

  async #run(shard: StandingWorld['shard'], waiting: Waiting): Promise<void> {
    for (;;) {
      const next = furthestBehind(waiting);
      if (next === undefined || this.#isStopped) break;
      const ticks = await this.#step(next, waiting);
      await this.#rest(shard.burstMs(ticks) * (1 / CATCH_UP_SHARE - 1));
    }
    this.#waiting.delete(shard);
  }

  async #step(world: StandingWorld, waiting: Waiting): Promise<number> {
    try {
      return await world.catchUp();
    } catch (err) {
      // It is added again when its time of use is saved the next time.
      waiting.delete(world);
      if (!isStoreUnavailable(err)) {
        this.#log.warn({ world: world.id, err }, 'could not bring a world to the current tick');
      }
      return 0;
    }
  }

  #rest(ms: number): Promise<void> {
    if (ms <= 0 || this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        stopTimer();
        this.#rests.delete(end);
        resolve();
      };
      const stopTimer = this.#time.after(ms, end);
      this.#rests.add(end);
    });
  }
}

/** Forgets those that are not behind any more. */
function furthestBehind(waiting: Waiting): StandingWorld | undefined {
  let furthest: StandingWorld | undefined;
  for (const world of waiting) {
    if (!world.isBehind) waiting.delete(world);
    else if (world.behindTicks > (furthest?.behindTicks ?? -1)) furthest = world;
  }
  return furthest;
}
