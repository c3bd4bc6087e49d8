import { FRAME_TICKS } from '../assembly/layout.ts';
import { tickOf } from '../bench/common/frame-parser.ts';
import { formatMs, Latencies } from '../bench/common/latencies.ts';
import type { WatchEvents } from '../bench/common/watch-socket.ts';
import { FRAME_MS } from '../src/limits.ts';
import type { Time } from '../src/time.ts';

export const FRAMES_PER_S = 1000 / FRAME_MS;

export interface FrameSummary {
  frames: number;
  bytes: number;
  /** Frames that were never delivered: the tick rose by more than one frame. */
  missed: number;
  /** Frames whose tick did not rise. */
  disordered: number;
  /** Streams by the code that they were closed with. */
  closed: Record<string, number>;
  /** Since the recording began. */
  seconds: number;
  /** Streams that are open, and the frames of those of them with the fewest and the most. */
  streams: number;
  fewest: number;
  most: number;
  /** Of the gaps between the frames of a stream. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Counts the frames of many streams together. A hello is no frame. */
export class FrameTally {
  readonly #time: Time;
  #gaps = new Latencies();
  #counts = newCounts();
  readonly #closed: Record<string, number> = {};
  /** When each open stream had its last frame. */
  readonly #lastMs = new Map<object, number>();
  /** Recorded frames of each open stream. */
  readonly #frames = new Map<object, number>();
  #recordingMs: number | undefined;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Frames count from here on; what was counted before is dropped. */
  record(): void {
    this.#recordingMs = this.#time.now();
    for (const stream of this.#frames.keys()) this.#frames.set(stream, 0);
    this.#gaps = new Latencies();
    this.#counts = newCounts();
  }

  /** What takes the messages of one more stream. */
  stream(): WatchEvents {
    let last: { tick: number; ms: number } | undefined;
    const events: WatchEvents = {
      message: (opcode, payload) => {
        if (last === undefined) this.#frames.set(events, 0);
        if (last === undefined && isHello(payload)) return;
        const now = { tick: tickOf(opcode, payload), ms: this.#time.now() };
        if (this.#recordingMs !== undefined && last) {
          this.#frames.set(events, (this.#frames.get(events) ?? 0) + 1);
          this.#count((now.tick - last.tick) / FRAME_TICKS, payload.length, now.ms - last.ms);
        }
        last = now;
        this.#lastMs.set(events, now.ms);
      },
      closed: (code) => {
        this.#lastMs.delete(events);
        this.#frames.delete(events);
        this.#closed[code] = (this.#closed[code] ?? 0) + 1;
      },
    };
    return events;
  }

  /** Counts as gaps what the streams are waiting for now: one that stands still shows no other. */
  countWaiting(): void {
    const nowMs = this.#time.now();
    for (const lastMs of this.#lastMs.values()) this.#gaps.record(nowMs - lastMs);
  }

  #count(framesLater: number, bytes: number, gapMs: number): void {
    const counts = this.#counts;
    counts.frames += 1;
    counts.bytes += bytes;
    if (framesLater > 0) counts.missed += framesLater - 1;
    else counts.disordered += 1;
    this.#gaps.record(gapMs);
  }

  summary(): FrameSummary {
    const { p50Ms, p99Ms, maxMs } = this.#gaps.summary();
    const each = [...this.#frames.values()];
    const nowMs = this.#time.now();
    return {
      ...this.#counts,
      closed: { ...this.#closed },
      seconds: (nowMs - (this.#recordingMs ?? nowMs)) / 1000,
      streams: each.length,
      fewest: each.reduce((a, b) => Math.min(a, b), each[0] ?? 0),
      most: each.reduce((a, b) => Math.max(a, b), 0),
      ...{ p50Ms, p99Ms, maxMs },
    };
  }
}

const newCounts = () => ({ frames: 0, bytes: 0, missed: 0, disordered: 0 });

/** Both encodings name the type within the first bytes. */
function isHello(payload: Buffer): boolean {
  return payload.subarray(0, 24).includes('hello');
}

export function formatGaps({ p50Ms, p99Ms, maxMs }: FrameSummary): string {
  return `p50 ${formatMs(p50Ms)}, p99 ${formatMs(p99Ms)}, max ${formatMs(maxMs)}`;
}
