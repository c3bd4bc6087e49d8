/** What a shard did for hot worlds in one window of its meter. */
export interface HotWindow {
  /** Hot worlds, by the frames that they had. */
  hotCount: number;
  frames: number;
  /** Those of them that were late. */
  lateFrames: number;
  /** Share of its time that they took, per mille. */
  hotPerMille: number;
}

/** With more late frames a window is late. */
const LATE_PER_MILLE = 20;
/** So many late windows one after the other are no hiccup. */
const LATE_WINDOWS = 2;
/** So many windows without lateness end a closure: 5 s, after which refused clients come again. */
const CLOSED_WINDOWS = 10;
/** Frames that are late while hot worlds take less than this are not late because of their number: fewer would not help. */
const CROWDED_PER_MILLE = 400;
/** A closure lowers the ceiling by this part of the hot worlds, and a step raises it by as much. */
const STEP = 1 / 16;
/** Windows at the ceiling before a step: 10 s. Each step that ends in a closure doubles them, up to 5 min. */
const STEP_WINDOWS = 20;
const STEP_WINDOWS_MAX = 600;
/** So many steps lead beyond the number at which frames were late, in spite of rounding. */
const STEPS_BEYOND = 2;
/** Share of the ceiling from which a shard counts as full: steps without worlds would say nothing. */
const FULL_SHARE = 0.95;

/**
 * How many hot worlds a shard may have, as far as the lateness of their frames tells. It begins without a
 * ceiling. When frames are late for a second it takes none, until no frame has been late for 5 s, and
 * the worlds that it had then, less a sixteenth, become the ceiling. While it is full and nothing is late,
 * the ceiling rises in steps, which become rarer where they end in a closure. Nothing here takes a
 * world's watchers away.
 */
export class Headroom {
  #ceiling = Number.POSITIVE_INFINITY;
  #lateWindows = 0;
  #closedWindows = 0;
  #stepWindows = STEP_WINDOWS;
  /** Windows at the ceiling since the last step or closure. */
  #fullWindows = 0;
  /** Steps since the last closure. */
  #steps = 0;

  /** Hot worlds that it may have, those that it has included; 0: it takes none now. */
  get worldsMax(): number {
    return this.#closedWindows > 0 ? 0 : this.#ceiling;
  }

  /** Takes what a window was like. */
  observe({ hotCount, frames, lateFrames, hotPerMille }: HotWindow): void {
    const isCrowded = hotPerMille >= CROWDED_PER_MILLE;
    const isLate = isCrowded && lateFrames * 1000 > LATE_PER_MILLE * frames;
    this.#lateWindows = isLate ? this.#lateWindows + 1 : 0;
    if (this.#lateWindows >= LATE_WINDOWS) this.#close(hotCount);
    else if (this.#closedWindows > 0) {
      if (!isLate) this.#closedWindows--;
    } else if (hotCount >= FULL_SHARE * this.#ceiling) this.#tryStep();
  }

  #close(hotCount: number): void {
    const isOpen = this.#closedWindows === 0;
    this.#closedWindows = CLOSED_WINDOWS;
    if (!isOpen) return;
    this.#ceiling = Math.max(1, Math.floor(Math.min(this.#ceiling, hotCount) * (1 - STEP)));
    if (this.#steps > 0) this.#stepWindows = Math.min(STEP_WINDOWS_MAX, 2 * this.#stepWindows);
    this.#steps = 0;
    this.#fullWindows = 0;
  }

  #tryStep(): void {
    if (++this.#fullWindows < this.#stepWindows) return;
    // It is well above where frames were late: something has changed.
    if (this.#steps >= STEPS_BEYOND) this.#stepWindows = STEP_WINDOWS;
    this.#ceiling += Math.max(1, Math.floor(this.#ceiling * STEP));
    this.#steps++;
    this.#fullWindows = 0;
  }
}
