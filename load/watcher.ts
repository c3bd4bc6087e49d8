import { tickOf } from '../bench/common/frame-parser.ts';
import { formatMs } from '../bench/common/latencies.ts';

const FRAME_TICKS = 4;
/** Gaps are kept in tenths of a millisecond, up to 6.5 s. */
const GAP_UNITS_PER_MS = 10;
const GAP_MAX = 0xffff;

/** Counts the frames of one stream. The hello is no frame. */
export class Watcher {
  frames = 0;
  bytes = 0;
  /** Frames that were never delivered: the tick rose by more than one frame. */
  missed = 0;
  /** Frames whose tick did not rise. */
  disordered = 0;
  closeCode: number | undefined;
  #lastTick = -1;
  #lastMs = 0;
  #recording = false;
  #gapCount = 0;
  readonly #gaps: Uint16Array;

  /** @param gapsMax gaps to keep; later ones are not counted */
  constructor(gapsMax: number) {
    this.#gaps = new Uint16Array(gapsMax);
  }

  /** Frames count from here on. */
  record(): void {
    this.#recording = true;
  }

  message(opcode: number, payload: Buffer, nowMs: number): void {
    if (this.#lastTick < 0 && isHello(payload)) return;
    const tick = tickOf(opcode, payload);
    if (this.#recording && this.#lastTick >= 0) this.#count(tick, payload.length, nowMs);
    this.#lastTick = tick;
    this.#lastMs = nowMs;
  }

  #count(tick: number, bytes: number, nowMs: number): void {
    this.frames += 1;
    this.bytes += bytes;
    if (tick <= this.#lastTick) this.disordered += 1;
    else this.missed += (tick - this.#lastTick) / FRAME_TICKS - 1;
    if (this.#gapCount === this.#gaps.length) return;
    const gap = Math.round((nowMs - this.#lastMs) * GAP_UNITS_PER_MS);
    this.#gaps[this.#gapCount] = Math.min(gap, GAP_MAX);
    this.#gapCount += 1;
  }

  /** Times between frames in tenths of a millisecond, shortest first. */
  sortedGaps(): Uint16Array {
    return this.#gaps.slice(0, this.#gapCount).sort();
  }
}

/** Both encodings name the type within the first bytes. */
function isHello(payload: Buffer): boolean {
  return payload.subarray(0, 24).includes('hello');
}

/** Nearest rank, of values in ascending order; 0 where there are none. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const rank = Math.ceil((percent / 100) * sorted.length);
  return sorted[Math.max(0, rank - 1)] ?? 0;
}

export interface WatchersSummary {
  watchers: number;
  frames: number;
  bytes: number;
  missed: number;
  disordered: number;
  /** Watchers by the code their stream was closed with. */
  closed: Record<string, number>;
  /** Percentiles of all gaps together. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The p99 of each watcher: the median one and the worst. */
  p99OfMedianWatcherMs: number;
  p99OfWorstWatcherMs: number;
}

export function summarise(watchers: readonly Watcher[]): WatchersSummary {
  const gaps = watchers.map((watcher) => watcher.sortedGaps());
  const all = concatenated(gaps).sort();
  const p99s = Uint16Array.from(gaps, (of) => percentile(of, 99)).sort();
  const ms = (gap: number) => gap / GAP_UNITS_PER_MS;
  const sum = (of: (watcher: Watcher) => number) =>
    watchers.reduce((total, watcher) => total + of(watcher), 0);
  return {
    watchers: watchers.length,
    frames: sum((watcher) => watcher.frames),
    bytes: sum((watcher) => watcher.bytes),
    missed: sum((watcher) => watcher.missed),
    disordered: sum((watcher) => watcher.disordered),
    closed: closeCodes(watchers),
    p50Ms: ms(percentile(all, 50)),
    p99Ms: ms(percentile(all, 99)),
    maxMs: ms(percentile(all, 100)),
    p99OfMedianWatcherMs: ms(percentile(p99s, 50)),
    p99OfWorstWatcherMs: ms(percentile(p99s, 100)),
  };
}

export function formatGaps({ p50Ms, p99Ms, maxMs }: WatchersSummary): string {
  return `p50 ${formatMs(p50Ms)}, p99 ${formatMs(p99Ms)}, max ${formatMs(maxMs)}`;
}

function concatenated(parts: readonly Uint16Array[]): Uint16Array {
  const whole = new Uint16Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** How many streams were closed with which code. */
export function closeCodes(watchers: readonly Watcher[]): Record<string, number> {
  const closed: Record<string, number> = {};
  for (const { closeCode } of watchers) {
    if (closeCode !== undefined) closed[closeCode] = (closed[closeCode] ?? 0) + 1;
  }
  return closed;
}
