import { DEATH_WINDOW_MS, HEARTBEAT_MS, STUCK_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { StopTimer, Time } from '../time.ts';
import type { Shard } from './shard.ts';

const RESTART_PAUSE_MS = 50;
const RESTART_DOUBLINGS_MAX = 6;
/** Time that a thread may take to start: on a busy machine longer than between two heartbeats. */
const START_MS = 20_000;

interface Watched {
  heartbeat: number;
  missed: number;
  isStarting: boolean;
  /** When its threads died, within the last DEATH_WINDOW_MS. */
  deathsMs: readonly number[];
}

/**
 * Keeps every shard alive: ends threads without a heartbeat and starts new ones. It counts its own
 * checks instead of time, so it does not take a pause of the whole process for a hanging thread.
 */
export class Supervisor {
  readonly #watched: ReadonlyMap<Shard, Watched>;
  readonly #log: Log;
  readonly #time: Time;
  readonly #stopChecks: StopTimer;
  #isStopped = false;

  constructor(shards: readonly Shard[], { log, time }: { log: Log; time: Time }) {
    // The first threads are starting; their first heartbeat shows that they run.
    const watched = () => ({ heartbeat: 0, missed: 0, isStarting: true, deathsMs: [] });
    this.#watched = new Map(shards.map((shard) => [shard, watched()]));
    this.#log = log;
    this.#time = time;
    this.#stopChecks = time.every(HEARTBEAT_MS, () => this.#check());
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopChecks();
  }

  #check(): void {
    for (const [shard, watched] of this.#watched) {
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

  #watchedOf(shard: Shard): Watched {
    const watched = this.#watched.get(shard);
    if (watched === undefined) throw new RangeError(`shard ${shard.index} is not supervised`);
    return watched;
  }

  /**
   * Starts a new thread for one that has died, after a longer pause if several died. Resolves to whether
   * it runs.
   */
  async restart(shard: Shard): Promise<boolean> {
    const watched = this.#watchedOf(shard);
    const nowMs = this.#time.now();
    const recent = watched.deathsMs.filter((deathMs) => nowMs - deathMs < DEATH_WINDOW_MS);
    const doublings = Math.min(RESTART_DOUBLINGS_MAX, recent.length);
    watched.deathsMs = [...recent, nowMs];
    await this.#time.sleep(RESTART_PAUSE_MS * 2 ** doublings);
    if (this.#isStopped) return false;
    watched.isStarting = true;
    // The pulse of a new thread begins at 0.
    watched.heartbeat = 0;
    try {
      await shard.restart();
      watched.missed = 0;
      this.#log.warn({ shard: shard.index, incarnation: shard.incarnation }, 'shard restarted');
      return true;
    } catch (error) {
      // The shard reports this death as well, which causes another restart.
      this.#log.error({ shard: shard.index, err: error }, 'shard did not start');
      return false;
    } finally {
      watched.isStarting = false;
    }
  }
}
