import { FRAME_TICKS } from '../../assembly/layout.ts';
import type { Snapshot } from './types.ts';

/** Who takes the snapshots too slowly misses those before the newest: 5 s of frames, 1.3 s of ticks. */
const WAITING_MAX = 64;

export interface QueueOptions {
  /** Every tick, 50 a second, instead of every fourth. */
  everyTick?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Snapshots on their way to one reader. */
export class FrameQueue {
  readonly everyTicks: number;
  readonly #signal: AbortSignal | undefined;
  #waiting: Snapshot[] = [];
  #ended = false;
  #error: unknown;
  #wake: () => void = () => {};

  constructor({ everyTick = false, signal }: QueueOptions) {
    this.everyTicks = everyTick ? 1 : FRAME_TICKS;
    this.#signal = signal;
  }

  push(snapshot: Snapshot): void {
    if (this.#waiting.length === WAITING_MAX) this.#waiting = [];
    this.#waiting.push(snapshot);
    this.#wake();
  }

  /** Nothing follows. */
  end(error?: unknown): void {
    this.#ended = true;
    this.#error = error;
    this.#wake();
  }

  /** The snapshots until the end, or until the reader is told to stop. Throws what it ended with. */
  async *read(): AsyncGenerator<Snapshot, void, undefined> {
    const stop = () => this.end();
    if (this.#signal?.aborted) return;
    this.#signal?.addEventListener('abort', stop);
    try {
      for (;;) {
        const next = this.#signal?.aborted ? undefined : this.#waiting.shift();
        if (next !== undefined) yield next;
        else if (this.#ended) break;
        else await new Promise<void>((resolve) => this.#wakeBy(resolve));
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      this.#signal?.removeEventListener('abort', stop);
    }
  }

  #wakeBy(wake: () => void): void {
    this.#wake = wake;
  }
}
