import type { Pose } from './camera.ts';
import type { Picked, ShownWorld } from './types.ts';

/** What the last frame was made of: one that looks the same need not be drawn, which spares the machine. */
export class LastFrame {
  /** Overwritten for every frame, which makes no garbage. */
  readonly #parts: unknown[] = [];
  #count = 0;
  #isSame = true;

  /** The next frame looks different, whatever it is made of. */
  forget(): void {
    this.#parts.length = 0;
  }

  /** Takes what the next frame is made of. Returns whether it looks like the last one. */
  isLike(world: ShownWorld, picked: Picked | null, pose: Pose, reducedMotion: boolean): boolean {
    this.#count = 0;
    this.#isSame = true;
    // What is overwritten is compared by its values; the rest is replaced where it changes.
    for (const state of world.lights.values()) this.#take(state);
    for (const bodies of [world.cars, world.ghosts, world.hazards]) {
      for (const body of bodies) this.#takeFields(body);
    }
    this.#takeFields(world);
    this.#takeFields(pose);
    this.#take(picked);
    this.#take(picked?.gap);
    this.#take(reducedMotion);
    if (this.#parts.length > this.#count) {
      this.#parts.length = this.#count;
      return false;
    }
    return this.#isSame;
  }

  #takeFields<Of extends object>(of: Of): void {
    for (const name in of) this.#take(of[name]);
  }

  #take(part: unknown): void {
    const place = this.#count++;
    if (place < this.#parts.length && Object.is(this.#parts[place], part)) return;
    this.#parts[place] = part;
    this.#isSame = false;
  }
}
