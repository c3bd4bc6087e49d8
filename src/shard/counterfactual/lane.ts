import type { Rewind, Slices } from './rewind.ts';

/** On whose behalf work is done. */
export interface Order {
  /** The client that has asked for it or, of several that watch the world, the first. */
  readonly client: string;
  readonly world: number;
}

export interface Job extends Order {
  begin(rewind: Rewind): Slices<void>;
  /** Ends it early, after so many ticks; absent if a client waits for it. */
  readonly stop: ((ticks: number) => void) | undefined;
}

/** A job that is worked on, in a slab that nothing else uses meanwhile. */
export interface RunningJob {
  readonly job: Job;
  readonly work: Slices<void>;
  readonly rewind: Rewind;
  /** `rewind.stepped` when it began. */
  readonly beganAt: number;
}

/**
 * Jobs that run in some slabs. Clients take turns, and so do the worlds of a client: a client with very
 * many jobs or worlds has one that runs. With several slabs as many clients have one that runs, and
 * these take turns by the slice: a long job delays a short one by about as long as that one takes.
 */
export class Lane {
  /** By client and world. Those whose turn it is are the first; of a world the first job runs. */
  readonly #jobs = new Map<string, Map<number, Job[]>>();
  /** The one whose slice is next is the first. */
  #running: RunningJob[] = [];
  readonly #unused: Rewind[];

  constructor(rewinds: readonly Rewind[]) {
    this.#unused = [...rewinds];
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

  /** The job of which a slice is to be done; undefined if there is none. */
  next(): RunningJob | undefined {
    this.#beginMore();
    const next = this.#running.shift();
    if (next !== undefined) this.#running.push(next);
    return next;
  }

  /** Begins a job of each client of which none runs, as far as there are slabs. */
  #beginMore(): void {
    for (const [client, worlds] of this.#jobs) {
      const job = firstOf(worlds)?.[0];
      const isRunning = this.#running.some((each) => each.job.client === client);
      if (job === undefined || isRunning) continue;
      const rewind = this.#unused.pop();
      if (rewind === undefined) return;
      this.#running.push({ job, work: job.begin(rewind), rewind, beganAt: rewind.stepped });
    }
  }

  /** Removes a job that has run to its end. Its client is the last one now. */
  finish(running: RunningJob): void {
    this.#release(running);
    const { client, world } = running.job;
    const worlds = this.#jobs.get(client);
    const jobs = worlds?.get(world);
    jobs?.shift();
    toEnd(worlds, world, jobs?.length);
    toEnd(this.#jobs, client, worlds?.size);
  }

  #release(ended: RunningJob): void {
    this.#running = this.#running.filter((each) => each !== ended);
    ended.rewind.forget();
    this.#unused.push(ended.rewind);
  }

  /** Ends all jobs of a world. */
  stop(world: number): void {
    for (const [client, worlds] of this.#jobs) {
      for (const job of worlds.get(world) ?? []) {
        const running = this.#running.find((each) => each.job === job);
        running?.work.return();
        job.stop?.(running === undefined ? 0 : running.rewind.stepped - running.beganAt);
        if (running !== undefined) this.#release(running);
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
