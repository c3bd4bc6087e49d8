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

/** The worlds of a shard that wait. */
interface Waiting {
  /** Nobody has asked for them. */
  readonly standing: Set<StandingWorld>;
  /** In order of their turns. */
  readonly asked: Set<StandingWorld>;
}

/**
 * Brings worlds to now that are far behind: on each shard one at a time, the one furthest behind first, in
 * CATCH_UP_SHARE of the time of its thread. Every other turn is for those that a client has asked for in vain:
 * however many stand, these get on.
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

  /** It may be in the queue already. `isAsked`: a client asks for it, and will ask again. */
  add(world: StandingWorld, isAsked = false): void {
    if (this.#isStopped) return;
    const known = this.#waiting.get(world.shard);
    const waiting = known ?? { standing: new Set(), asked: new Set() };
    (isAsked ? waiting.asked : waiting.standing).add(world);
    if (known !== undefined) return;
    this.#waiting.set(world.shard, waiting);
    void this.#run(world.shard, waiting);
  }

  stop(): void {
    this.#isStopped = true;
    for (const end of this.#rests) end();
  }

  async #run(shard: StandingWorld['shard'], waiting: Waiting): Promise<void> {
    for (let isAsked = true; ; isAsked = !isAsked) {
      const [first, second] = isAsked ? [firstAsked, furthestBehind] : [furthestBehind, firstAsked];
      const next = first(waiting) ?? second(waiting);
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
      waiting.standing.delete(world);
      waiting.asked.delete(world);
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
function furthestBehind({ standing }: Waiting): StandingWorld | undefined {
  let furthest: StandingWorld | undefined;
  for (const world of standing) {
    if (!world.isBehind) standing.delete(world);
    else if (world.behindTicks > (furthest?.behindTicks ?? -1)) furthest = world;
  }
  return furthest;
}

/** The next one goes to the end of the queue. Forgets those that are not behind any more. */
function firstAsked({ asked }: Waiting): StandingWorld | undefined {
  for (const world of asked) {
    asked.delete(world);
    if (!world.isBehind) continue;
    asked.add(world);
    return world;
  }
  return undefined;
}
