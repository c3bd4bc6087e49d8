import { C_ACCEL } from '../../../assembly/layout.ts';
import { cars, type SlabView } from './kernel.ts';

/** A car brakes hard beyond this, m/s², and anew if it has not for so many frames (8 s). */
const HARD_DECEL = 6;
const APART_FRAMES = 100;

/** Counts how often the cars of a world brake hard. Reads each frame once, in order. */
export class HardStops {
  count = 0;
  readonly #sinceFrames = cars.map(() => APART_FRAMES);

  read(view: SlabView): void {
    for (const car of cars) {
      const isHard = view.real(C_ACCEL, car) < -HARD_DECEL;
      const since = this.#sinceFrames[car] ?? 0;
      if (isHard && since >= APART_FRAMES) this.count++;
      this.#sinceFrames[car] = isHard ? 0 : since + 1;
    }
  }
}
