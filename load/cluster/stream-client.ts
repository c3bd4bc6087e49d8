import { FRAME_TICKS } from '../../assembly/layout.ts';
import { tickOf } from '../../bench/common/frame-parser.ts';
import { type WatchEvents, WatchSocket } from '../../bench/common/watch-socket.ts';
import { systemRandom } from '../../src/random.ts';
import { systemTime } from '../../src/time.ts';

/** Pause before a stream is opened again, drawn at random from half; it doubles. */
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 800;
/** Within the first bytes, in both encodings. */
const TYPE_BYTES = 24;

/** A stream that has ended by itself. */
export interface StreamEnd {
  code: number;
  atMs: number;
  /** From its end to the first frame of the next one; undefined: none has come yet. */
  backMs: number | undefined;
}

/**
 * A client that watches a world and wants every frame: it counts those that did not come, and opens its
 * stream again when that ends.
 */
export class StreamClient implements WatchEvents {
  readonly path: string;
  frames = 0;
  /** Frames that never came, within one connection. */
  missed = 0;
  /** Frames whose tick did not rise, over all connections. */
  disordered = 0;
  readonly ends: StreamEnd[] = [];
  readonly #url: URL;
  #socket: WatchSocket | undefined;
  #isFirst = true;
  #tick = -1;
  #lastMs = systemTime.now();
  #largestGapMs = 0;
  #isOver = false;

  constructor(url: URL, world: string) {
    this.#url = url;
    this.path = `/ws/worlds/${world}`;
  }

  /** Resolves once the stream is open. */
  async open(): Promise<void> {
    for (let pauseMs = PAUSE_MS_MIN; !this.#isOver; ) {
      try {
        this.#isFirst = true;
        this.#socket = await WatchSocket.open(this.#url, this.path, this);
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

  /** What was counted until now does not count. */
  begin(): void {
    this.frames = 0;
    this.missed = 0;
    this.disordered = 0;
    this.ends.length = 0;
    this.takeGapMs();
  }

  /** The longest time without a frame since the last call, until now where none came since. */
  takeGapMs(): number {
    const nowMs = systemTime.now();
    const gapMs = Math.max(this.#largestGapMs, nowMs - this.#lastMs);
    this.#largestGapMs = 0;
    return gapMs;
  }

  message(opcode: number, payload: Buffer): void {
    if (payload.subarray(0, TYPE_BYTES).includes('hello')) return;
    const tick = tickOf(opcode, payload);
    const nowMs = systemTime.now();
    this.frames++;
    this.#largestGapMs = Math.max(this.#largestGapMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    if (!(tick > this.#tick)) this.disordered++;
    else if (!this.#isFirst) this.missed += (tick - this.#tick) / FRAME_TICKS - 1;
    this.#tick = tick;
    this.#isFirst = false;
    const last = this.ends.at(-1);
    if (last !== undefined) last.backMs ??= nowMs - last.atMs;
  }

  closed(code: number): void {
    if (this.#isOver) return;
    this.ends.push({ code, atMs: systemTime.now(), backMs: undefined });
    void this.open();
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.close();
  }
}
