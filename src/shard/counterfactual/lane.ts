import type { Rewind, Slices } from './rewind.ts';

/** On whose behalf work is done. */
export interface Order {
  /** The client that has asked for it or, of several that watch the world, the first. */
  readonly client: string;
  readonly world: number;
}

export interface Job extends Order {
  readonly work: Slices<void>;
  /** Ends it early, after so many ticks; absent if a client waits for it. */
  readonly stop: ((ticks: number) => void) | undefined;
}

/**
 * Jobs that run one after the other in one slab. Clients take turns, and so do the worlds of a client:
 * a client with very many jobs or worlds delays another only by one job.
 */
export class Lane {
  readonly rewind: Rewind;
  /** By client and world. Those whose turn it is are the first; the first job runs. */
  readonly #jobs = new Map<string, Map<number, Job[]>>();
  #running: Job | undefined;
  /** `rewind.stepped` when that job began. */
  #beganAt = 0;

  constructor(rewind: Rewind) {
    this.rewind = rewind;
  }

  get isEmpty(): boolean {
    return this.#jobs.size === 0;
  }

  add(job: Job): void {
    const worlds = this.#jobs.get(job.client) ?? new Map<number, Job[]>();
    this.#jobs.set(job.client, worlds);
    const jobs = worlds.get(job.world);
    if (jobs === undefined) worlds.set(job.world, [job]);
    else jobs.push(job);
  }

  /** The job that runs, which is begun if none does; undefined if there is none. */
  next(): Job | undefined {
    if (this.#running === undefined) {
      this.#running = firstOf(firstOf(this.#jobs))?.[0];
      this.#beganAt = this.rewind.stepped;
    }
    return this.#running;
  }

  /** Removes the job that ran. Another client is next. */
  finish(): void {
    if (this.#running === undefined) return;
    const { client, world } = this.#running;
    this.#running = undefined;
    const worlds = this.#jobs.get(client);
    const jobs = worlds?.get(world);
    jobs?.shift();
    toEnd(worlds, world, jobs?.length);
    toEnd(this.#jobs, client, worlds?.size);
  }

  /** Ends all jobs of a world. */
  stop(world: number): void {
    for (const [client, worlds] of this.#jobs) {
      for (const job of worlds.get(world) ?? []) {
        job.work.return();
        const isRunning = job === this.#running;
        job.stop?.(isRunning ? this.rewind.stepped - this.#beganAt : 0);
        if (isRunning) this.#running = undefined;
      }
      worlds.delete(world);
      if (worlds.size === 0) this.#jobs.delete(client);
    }
  }
}

function firstOf<Value>(map: ReadonlyMap<unknown, Value> | undefined): Value | undefined {
  return map?.values().next().value;
}

/** Moves a key behind all others, or removes it if nothing of it is left. */
function toEnd<Key, Value>(map: Map<Key, Value> | undefined, key: Key, left: number | undefined) {
  const value = map?.get(key);
  map?.delete(key);
  if (value !== undefined && left) map?.set(key, value);
}
