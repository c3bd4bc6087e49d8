import { DEATHS_MAX, HEARTBEAT_MS, STUCK_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { StopTimer, Time } from '../time.ts';
import type { Shard } from './shard.ts';

const RESTART_PAUSE_MS = 50;
const RESTART_DOUBLINGS_MAX = 6;
/** Time that a thread may take to start: on a busy machine longer than between two heartbeats. */
const START_MS = 20_000;
const MINUTE_MS = 60_000;

interface Watched {
  heartbeat: number;
  missed: number;
  isStarting: boolean;
  /** Deaths of its threads within the last minute, with the world that was being stepped. */
  deaths: readonly { atMs: number; world: number }[];
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
    const watched = () => ({ heartbeat: 0, missed: 0, isStarting: true, deaths: [] });
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
   * Records that a thread died while it stepped `world` (0: none). Returns whether the world must
   * be quarantined: DEATHS_MAX threads died on it within a minute.
   */
  noteDeath(shard: Shard, world: number): boolean {
    const watched = this.#watchedOf(shard);
    const nowMs = this.#time.now();
    const recent = watched.deaths.filter(({ atMs }) => nowMs - atMs < MINUTE_MS);
    watched.deaths = [...recent, { atMs: nowMs, world }];
    const onWorld = watched.deaths.filter((death) => death.world === world).length;
    return world !== 0 && onWorld >= DEATHS_MAX;
  }

  /** Starts a new thread, after a longer pause if several died. Resolves to whether it runs. */
  async restart(shard: Shard): Promise<boolean> {
    const watched = this.#watchedOf(shard);
    const doublings = Math.min(RESTART_DOUBLINGS_MAX, Math.max(0, watched.deaths.length - 1));
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
