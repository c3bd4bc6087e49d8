import type { Server } from '../../bench/common/server.ts';
import { type WatchEvents, WatchSocket } from '../../bench/common/watch-socket.ts';
import { systemRandom } from '../../src/random.ts';
import { systemTime } from '../../src/time.ts';
import { digestOf, type Shown } from './lived-world.ts';

/** A second: more than relays and a busy machine delay a frame. */
const STALE_TICKS = 50;
/** Pause before a client opens its stream again; it doubles, and is drawn at random from half. */
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 800;
const TICK = /"tick":(\d+)/;

/** A frame that was too far behind those of others. */
export interface StaleFrame {
  /** After it may have been. */
  lateMs: number;
  behindTicks: number;
  from: string;
}

/**
 * A client that watches a world, opens its stream again when that ends, and notes when frames came and
 * what they showed.
 */
export class WorldWatcher implements WatchEvents {
  readonly world: string;
  /** Frames and hellos whose tick was not above that of the one before. */
  ticksBack = 0;
  /** Frames far behind what other watchers of the world had got, later than it may show such. */
  readonly stale: StaleFrame[] = [];
  #endCount = 0;
  readonly #newest: Map<string, number>;
  readonly #nodeNow: () => Server;
  #socket: WatchSocket | undefined;
  #shown: Shown[] = [];
  #freshFromMs = Number.POSITIVE_INFINITY;
  #tick = -1;
  #lastMs = systemTime.now();
  #largestGapMs = 0;
  #isLeaving = false;
  #isOver = false;

  /**
   * @param newest by world: the latest tick that any watcher has got
   * @param nodeNow where it opens its stream
   */
  constructor(world: string, newest: Map<string, number>, nodeNow: () => Server) {
    this.world = world;
    this.#newest = newest;
    this.#nodeNow = nodeNow;
  }

  /** Resolves once the stream is open. */
  async open(): Promise<void> {
    for (let pauseMs = PAUSE_MS_MIN; !this.#isOver; ) {
      try {
        this.#socket = await WatchSocket.open(
          this.#nodeNow().url,
          `/ws/worlds/${this.world}`,
          this,
        );
        if (this.#isOver) this.#socket.close();
        return;
      } catch {
        // Refused, or nobody is there.
        const [byte = 0] = systemRandom.bytes(1);
        await systemTime.sleep(pauseMs * (0.5 + byte / 512));
        pauseMs = Math.min(PAUSE_MS_MAX, 2 * pauseMs);
      }
    }
  }

  /** From a time on, frames must not be far behind those of others. */
  expectFresh(fromMs: number): void {
    this.#freshFromMs = fromMs;
  }

  /** Measures gaps from now on. */
  begin(): void {
    this.#lastMs = systemTime.now();
    this.#largestGapMs = 0;
    this.#freshFromMs = Number.POSITIVE_INFINITY;
  }

  /** The longest time without a frame, until now where none came since. */
  get largestGapMs(): number {
    return Math.max(this.#largestGapMs, systemTime.now() - this.#lastMs);
  }

  /** How often its stream has ended since the last call. */
  takeEndCount(): number {
    const count = this.#endCount;
    this.#endCount = 0;
    return count;
  }

  /** The snapshots that it has got since the last call. */
  takeShown(): readonly Shown[] {
    const shown = this.#shown;
    this.#shown = [];
    return shown;
  }

  message(_opcode: number, payload: Buffer): void {
    const text = payload.toString();
    const tick = Number(TICK.exec(text)?.[1]);
    if (!text.startsWith('{"type":"snapshot"')) {
      // A hello tells the tick of now, which no frame need have.
      if (!(tick >= this.#tick)) this.ticksBack++;
      return;
    }
    const nowMs = systemTime.now();
    this.#largestGapMs = Math.max(this.#largestGapMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    if (!(tick > this.#tick)) this.ticksBack++;
    this.#tick = tick;
    const newest = this.#newest.get(this.world) ?? 0;
    if (nowMs > this.#freshFromMs && tick < newest - STALE_TICKS) {
      const lateMs = nowMs - this.#freshFromMs;
      this.stale.push({ lateMs, behindTicks: newest - tick, from: this.#nodeNow().url.host });
    }
    this.#newest.set(this.world, Math.max(newest, tick));
    this.#shown.push({ tick, digest: digestOf(payload) });
  }

  closed(): void {
    if (this.#isOver) return;
    if (!this.#isLeaving) this.#endCount++;
    this.#isLeaving = false;
    void this.open();
  }

  /** Opens its stream again where it belongs. */
  reopen(): void {
    this.#isLeaving = true;
    this.#socket?.close();
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.close();
  }
}
