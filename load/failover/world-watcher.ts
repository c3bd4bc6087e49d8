import type { WatchEvents, WatchSocket } from '../../bench/common/watch-socket.ts';
import { systemTime } from '../../src/time.ts';
import type { Shown } from './lived-world.ts';

/** Of the frames of a stream, so many are kept to be compared. */
const KEPT_ONE_OF = 10;
/** A second: more than relays and a busy machine delay a frame. */
const STALE_TICKS = 50;

/** A client that watches a world, and notes when frames came and what they showed. */
export class WorldWatcher implements WatchEvents {
  readonly world: string;
  socket: WatchSocket | undefined;
  readonly shown: Shown[] = [];
  /** Frames whose tick was not above that of the one before. */
  ticksBack = 0;
  /** Frames far behind what other watchers of the world had got, later than it may show such. */
  staleCount = 0;
  readonly #newest: Map<string, number>;
  #freshFromMs = Number.POSITIVE_INFINITY;
  #tick = -1;
  #count = 0;
  #lastMs = systemTime.now();
  #largestGapMs = 0;
  #isClosed = false;

  /** @param newest by world: the latest tick that any watcher has got */
  constructor(world: string, newest: Map<string, number>) {
    this.world = world;
    this.#newest = newest;
  }

  /** From a time on, frames must not be far behind those of others. */
  expectFresh(fromMs: number): void {
    this.#freshFromMs = fromMs;
  }

  /** Measures gaps from now on. */
  begin(): void {
    this.#lastMs = systemTime.now();
    this.#largestGapMs = 0;
  }

  /** Until now where no frame came; never less once the stream was closed. */
  get largestGapMs(): number {
    const openMs = systemTime.now() - this.#lastMs;
    return this.#isClosed ? Number.POSITIVE_INFINITY : Math.max(this.#largestGapMs, openMs);
  }

  message(_opcode: number, payload: Buffer): void {
    const nowMs = systemTime.now();
    this.#largestGapMs = Math.max(this.#largestGapMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    const text = payload.toString();
    if (!text.startsWith('{"type":"snapshot"')) return;
    const tick = Number(/"tick":(\d+)/.exec(text)?.[1]);
    if (!(tick > this.#tick)) this.ticksBack++;
    this.#tick = tick;
    const newest = this.#newest.get(this.world) ?? 0;
    if (nowMs > this.#freshFromMs && tick < newest - STALE_TICKS) this.staleCount++;
    this.#newest.set(this.world, Math.max(newest, tick));
    if (this.#count++ % KEPT_ONE_OF === 0) this.shown.push({ tick, text });
  }

  closed(): void {
    this.#isClosed = true;
  }

  close(): void {
    this.socket?.close();
  }
}
