import { FRAME_TICKS, TICK_MS } from '../../assembly/layout.ts';
import { FRAME_MS } from '../limits.ts';

/** A watched world, and the tick of its last frame; undefined: there was none. */
export interface FramedWorld {
  readonly createdAtMs: number;
  readonly frameTick: number | undefined;
}

/** Counts the frames of watched worlds that were made more than a frame too late, or were left out. */
export class LateFrames {
  count = 0;

  /** Counts the next frame of a world. `nowMs`: of the clock of the worlds. */
  framed({ createdAtMs, frameTick }: FramedWorld, tick: number, nowMs: number): void {
    if (nowMs - createdAtMs - tick * TICK_MS > FRAME_MS) this.count++;
    if (frameTick !== undefined && tick > frameTick + FRAME_TICKS) {
      this.count += (tick - frameTick) / FRAME_TICKS - 1;
    }
  }
}
