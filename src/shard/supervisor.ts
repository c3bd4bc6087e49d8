import { DEATHS_MAX, HEARTBEAT_MS, STUCK_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { StopTimer, Time } from '../time.ts';
import type { Shard } from './shard.ts';

const RESTART_PAUSE_MS = 50;
/** A thread has so long to start: on a busy machine that takes longer than a heartbeat may. */
const START_MS = 20_000;
const MINUTE_MS = 60_000;

interface Watched {
  shard: Shard;
  heartbeat: number;
  missed: number;
  isStarting: boolean;
  deathsMs: number[];
  /** World that the thread was stepping at each of its deaths. */
  deathWorlds: number[];
}

/**
 * Keeps every shard alive: counts heartbeats, ends threads that do not answer, begins new ones.
 * Counting beats of its own timer, not time, it takes a pause of the whole process for no fault.
 */
export class Supervisor {
  readonly #watched: Watched[];
  readonly #log: Log;
  readonly #time: Time;
  readonly #restarted: (shard: Shard) => void;
  readonly #suspect: (world: number) => void;
  readonly #stopTimer: StopTimer;
  #stopped = false;

  /**
   * `restarted`: a new thread is ready. `suspect`: so many threads died in a minute while they
   * stepped this world that it should rest.
   */
  constructor(
    shards: readonly Shard[],
    log: Log,
    time: Time,
    restarted: (shard: Shard) => void,
    suspect: (world: number) => void,
  ) {
    this.#watched = shards.map((shard) => ({
      shard,
      heartbeat: shard.heartbeat,
      missed: 0,
      // The first thread is on its way; its first beat tells that it is there.
      isStarting: true,
      deathsMs: [],
      deathWorlds: [],
    }));
    this.#log = log;
    this.#time = time;
    this.#restarted = restarted;
    this.#suspect = suspect;
    this.#stopTimer = time.every(HEARTBEAT_MS, () => this.#check());
  }

  stop(): void {
    this.#stopped = true;
    this.#stopTimer();
  }

  #check(): void {
    for (const watched of this.#watched) {
      const { shard } = watched;
      if (!shard.alive) continue;
      const { heartbeat } = shard;
      if (heartbeat !== watched.heartbeat) watched.isStarting = false;
      watched.missed = heartbeat === watched.heartbeat ? watched.missed + 1 : 0;
      watched.heartbeat = heartbeat;
      const limitMs = watched.isStarting ? START_MS : STUCK_MS;
      if (watched.missed * HEARTBEAT_MS < limitMs) continue;
      watched.missed = 0;
      shard.kill(`no heartbeat for ${limitMs} ms`);
    }
  }

  /** A shard's thread ended: begin another, a little later where it happens again and again. */
  async died(shard: Shard, world: number): Promise<void> {
    const watched = this.#watched.find((each) => each.shard === shard);
    if (watched === undefined || this.#stopped) return;
    const now = this.#time.now();
    watched.deathsMs = [...watched.deathsMs.filter((at) => now - at < MINUTE_MS), now];
    watched.deathWorlds = [...watched.deathWorlds, world].slice(-watched.deathsMs.length);
    const here = watched.deathWorlds.filter((each) => each === world).length;
    if (world !== 0 && here >= DEATHS_MAX) this.#suspect(world);
    const pauseMs = RESTART_PAUSE_MS * 2 ** Math.min(6, watched.deathsMs.length - 1);
    await this.#time.sleep(pauseMs);
    if (this.#stopped) return;
    watched.isStarting = true;
    // The new thread's heart begins at 0.
    watched.heartbeat = 0;
    try {
      await shard.start();
      watched.missed = 0;
      this.#log.warn({ shard: shard.index, incarnation: shard.incarnation }, 'shard restarted');
      this.#restarted(shard);
    } catch (error) {
      // It has told of its death, so another one is on its way.
      this.#log.error({ shard: shard.index, err: error }, 'shard did not start');
    } finally {
      watched.isStarting = false;
    }
  }
}
