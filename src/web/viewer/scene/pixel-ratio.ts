/** More are hardly seen. */
const RATIO_MAX = 2;
const RATIO_STEP = 0.5;
/** Frames are counted for so long. */
const WINDOW_S = 2;
const SLOW_PER_S = 28;
/** The first seconds load and compile, and anybody may be held up for a moment. */
const SLOW_WINDOWS = 2;

/**
 * Pixels that are drawn for a CSS pixel: as many as the screen has, but fewer, down to one, while a machine
 * is too slow for that.
 */
export class PixelRatio {
  #limit = RATIO_MAX;
  #frames = 0;
  #passedS = 0;
  #slowWindows = 0;

  /** @param screen pixels of the screen for a CSS pixel */
  of(screen: number): number {
    return Math.min(this.#limit, screen || 1);
  }

  /** Counts a frame, by the time since the one before. Returns whether the ratio has changed. */
  count(dtS: number): boolean {
    this.#frames++;
    this.#passedS += dtS;
    if (this.#passedS < WINDOW_S) return false;
    const isSlow = this.#frames / this.#passedS < SLOW_PER_S;
    this.#frames = 0;
    this.#passedS = 0;
    this.#slowWindows = isSlow ? this.#slowWindows + 1 : 0;
    if (this.#slowWindows < SLOW_WINDOWS || this.#limit === 1) return false;
    this.#slowWindows = 0;
    this.#limit = Math.max(1, this.#limit - RATIO_STEP);
    return true;
  }
}
