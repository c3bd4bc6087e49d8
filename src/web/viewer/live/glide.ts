import type { Pose } from '../api/types.ts';
import { turnBetween } from '../scene/camera.ts';
import type { Mutable } from '../scene/types.ts';
import { jumped } from './interpolation.ts';

const GLIDE_MS = 200;
const NO_OFFSET = { x: 0, y: 0, heading: 0 };

/** Leads cars from where they are displayed to where they turn out to be. */
export class Glide {
  readonly #offsets: readonly Pose[];
  readonly #sinceMs: number;

  constructor(displayed: readonly Pose[], found: readonly Pose[], nowMs: number) {
    this.#sinceMs = nowMs;
    this.#offsets = found.map((pose, i) => offsetOf(displayed[i] ?? pose, pose));
  }

  /** Moves cars from their true places to where they are displayed. False once they are there. */
  move(cars: readonly Mutable<Pose>[], nowMs: number): boolean {
    const part = 1 - Math.max(0, nowMs - this.#sinceMs) / GLIDE_MS;
    if (part <= 0) return false;
    for (const [i, car] of cars.entries()) {
      const { x, y, heading } = this.#offsets[i] ?? NO_OFFSET;
      car.x += x * part;
      car.y += y * part;
      car.heading += heading * part;
    }
    return true;
  }
}

function offsetOf(displayed: Pose, found: Pose): Pose {
  if (jumped(displayed, found, 0, 0)) return NO_OFFSET;
  return {
    x: displayed.x - found.x,
    y: displayed.y - found.y,
    heading: turnBetween(found.heading, displayed.heading),
  };
}
