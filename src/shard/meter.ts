/** Running means of a shard's work: what admission and slices are decided by. */

const WINDOW_MS = 500;
/** Weight of a new sample. */
const WEIGHT = 0.1;

export class Meter {
  /** Share of the thread's time that hot worlds take, per mille, over the last windows. */
  hotPerMille = 0;
  /** Mean cost of a tick of one world, ns. Begins with a cautious guess. */
  tickNs = 4000;
  /** Mean cost of a visit to a hot world, and of encoding its frame, ns. */
  visitNs = 25_000;
  encodeNs = 5000;
  #hotMs = 0;
  #windowStartMs: number;

  constructor(nowMs: number) {
    this.#windowStartMs = nowMs;
  }

  /** To be called every now and then: closes the window where it is old enough. */
  roll(nowMs: number): void {
    const windowMs = nowMs - this.#windowStartMs;
    if (windowMs < WINDOW_MS) return;
    const share = Math.min(1, this.#hotMs / windowMs) * 1000;
    this.hotPerMille = (this.hotPerMille + share) / 2;
    this.#hotMs = 0;
    this.#windowStartMs = nowMs;
  }

  /** A burst did so many ticks. */
  stepped(ticks: number, ms: number): void {
    if (ticks > 0) this.tickNs += WEIGHT * ((ms * 1e6) / ticks - this.tickNs);
  }

  visited(visits: number, ms: number): void {
    this.#hotMs += ms;
    if (visits > 0) this.visitNs += WEIGHT * ((ms * 1e6) / visits - this.visitNs);
  }

  encoded(frames: number, ms: number): void {
    this.#hotMs += ms;
    if (frames > 0) this.encodeNs += WEIGHT * ((ms * 1e6) / frames - this.encodeNs);
  }
}
