/** Running means of a shard's work: what admission and slices are decided by. */

const WINDOW_MS = 500;
/** Weight of a new sample. */
const WEIGHT = 0.1;

export class Meter {
  /** Share of time spent working, per mille, over the last windows. */
  loadPerMille = 0;
  /** Mean cost of a tick of one world, ns. Begins with a cautious guess. */
  tickNs = 4000;
  /** Mean cost of a visit to a hot world, and of encoding its frame, ns. */
  visitNs = 25_000;
  encodeNs = 5000;
  #busyMs = 0;
  #windowStartMs: number;

  constructor(nowMs: number) {
    this.#windowStartMs = nowMs;
  }

  /** A turn worked for `busyMs` and ended at `nowMs`. */
  worked(busyMs: number, nowMs: number): void {
    this.#busyMs += busyMs;
    const windowMs = nowMs - this.#windowStartMs;
    if (windowMs < WINDOW_MS) return;
    const share = Math.min(1, this.#busyMs / windowMs) * 1000;
    // Two windows are about a second; an idle stretch longer than that leaves nothing of before.
    this.loadPerMille = windowMs > 4 * WINDOW_MS ? share : (this.loadPerMille + share) / 2;
    this.#busyMs = 0;
    this.#windowStartMs = nowMs;
  }

  stepped(ticks: number, ms: number): void {
    if (ticks > 0) this.tickNs += WEIGHT * ((ms * 1e6) / ticks - this.tickNs);
  }

  visited(visits: number, ms: number): void {
    if (visits > 0) this.visitNs += WEIGHT * ((ms * 1e6) / visits - this.visitNs);
  }

  encoded(frames: number, ms: number): void {
    if (frames > 0) this.encodeNs += WEIGHT * ((ms * 1e6) / frames - this.encodeNs);
  }
}
