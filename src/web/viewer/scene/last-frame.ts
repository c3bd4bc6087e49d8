import type { Pose } from './camera.ts';
import type { Picked, ShownWorld } from './types.ts';

/** What the last frame was made of: one that looks the same need not be drawn, which spares the machine. */
export class LastFrame {
  #parts: readonly unknown[] = [];

  /** The next frame looks different, whatever it is made of. */
  forget(): void {
    this.#parts = [];
  }

  /** Takes what the next frame is made of. Returns whether it looks like the last one. */
  isLike(world: ShownWorld, picked: Picked | null, pose: Pose, reducedMotion: boolean): boolean {
    const before = this.#parts;
    const parts = [...partsOf(world), picked, picked?.gap, ...Object.values(pose), reducedMotion];
    this.#parts = parts;
    return parts.length === before.length && parts.every((part, i) => Object.is(part, before[i]));
  }
}

/** What is overwritten is compared by its values; the rest is replaced where it changes. */
function partsOf({ cars, ghosts, hazards, lights, ...others }: ShownWorld): unknown[] {
  const moving = [...cars, ...ghosts, ...hazards];
  return [...Object.values(others), ...lights.values(), ...moving.flatMap(Object.values)];
}
