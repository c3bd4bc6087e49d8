import { Histogram } from './histogram.ts';
import type { StopTimer, Time } from './time.ts';

/** A shorter interval would wake an idle node too often. */
const SAMPLE_MS = 200;

/**
 * How late the event loop of the main thread is: a timer fires so much too late, and whoever asks for
 * something then waits as long. `monitorEventLoopDelay` of Node.js counts its own interval as delay.
 */
export class LoopLag {
  readonly histogram = new Histogram();
  readonly #stopTimer: StopTimer;

  constructor(time: Pick<Time, 'every' | 'now'>) {
    let lastMs = time.now();
    this.#stopTimer = time.every(SAMPLE_MS, () => {
      const nowMs = time.now();
      this.histogram.observe(Math.max(0, nowMs - lastMs - SAMPLE_MS) / 1000);
      lastMs = nowMs;
    });
  }

  stop(): void {
    this.#stopTimer();
  }
}
