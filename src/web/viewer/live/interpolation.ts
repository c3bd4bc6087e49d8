/** Interpolation of a world between two of its frames. */
import { type Hazard, type Pose, type Snapshot, TICKS_PER_S, type Vehicle } from '../api/types.ts';
import { turnBetween } from '../scene/camera.ts';
import type { Mutable, ShownCar, ShownHazard, ShownWorld } from '../scene/types.ts';

/** A car that is this much farther than it can have driven was moved there, not driven. */
const JUMP_M = 3;
/** Slack for hard acceleration between the two frames. */
const JUMP_FACTOR = 1.5;

export function emptyWorld(): ShownWorld {
  return {
    tick: 0,
    cars: [],
    lights: new Map(),
    hazards: [],
    ghosts: [],
    ghostSign: '',
    contact: null,
    focus: null,
    crashes: [],
  };
}

/** Whether something was moved rather than driven: respawned after a crash, or back at its start. */
export function jumped(from: Pose, to: Pose, speedMps: number, seconds: number): boolean {
  const metres = Math.hypot(to.x - from.x, to.y - from.y);
  return metres > JUMP_M + JUMP_FACTOR * speedMps * seconds;
}

/** The frames before and after a tick; at either end, the same one twice. */
export function framesAround(
  frames: readonly Snapshot[],
  tick: number,
): [Snapshot, Snapshot] | null {
  const next = frames.findIndex((frame) => frame.tick > tick);
  // The last one where none is later.
  const to = frames.at(next);
  const from = next > 0 ? frames[next - 1] : to;
  return from && to ? [from, to] : null;
}

function lerpPose(shown: Mutable<Pose>, from: Pose, to: Pose, part: number): void {
  shown.x = from.x + (to.x - from.x) * part;
  shown.y = from.y + (to.y - from.y) * part;
  shown.heading = from.heading + turnBetween(from.heading, to.heading) * part;
}

/** How far a tick is from one frame to the next, 0 to 1, and the seconds between the frames. */
function progressOf(from: Snapshot, to: Snapshot, tick: number): { part: number; seconds: number } {
  const ticks = to.tick - from.tick;
  const part = ticks > 0 ? Math.min(1, Math.max(0, (tick - from.tick) / ticks)) : 0;
  return { part, seconds: ticks / TICKS_PER_S };
}

/** Overwrites a car with its state at a tick between two frames. */
export function interpolateCar(
  car: ShownCar,
  index: number,
  from: Snapshot,
  to: Snapshot,
  tick: number,
): void {
  const [a, b] = [from.vehicles[index], to.vehicles[index]];
  const { part, seconds } = progressOf(from, to, tick);
  if (a && b) blendCar(car, a, b, part, seconds);
}

function blendCar(car: ShownCar, from: Vehicle, to: Vehicle, part: number, seconds: number): void {
  Object.assign(car, from);
  if (jumped(from, to, Math.max(from.speed, to.speed), seconds)) return;
  lerpPose(car, from, to, part);
  car.speed = from.speed + (to.speed - from.speed) * part;
}

/** Highest speed of a hazard. */
const HAZARD_MPS = 20;
/** What moves less between two frames stands still. */
const STILL_M = 0.015;

function blendHazard(shown: ShownHazard, from: Hazard, to: Hazard, part: number, seconds: number) {
  Object.assign(shown, from);
  const isSame = from.active && to.active && !jumped(from, to, HAZARD_MPS, seconds);
  shown.moves = isSame && Math.hypot(to.x - from.x, to.y - from.y) > STILL_M;
  if (isSame) lerpPose(shown, from, to, part);
}

/** Overwrites a world with its state at a tick between two frames; its fleet stays the same. */
export function interpolateWorld(
  world: ShownWorld,
  from: Snapshot,
  to: Snapshot,
  tick: number,
): void {
  const { part, seconds } = progressOf(from, to, tick);
  world.tick = from.tick + part * (to.tick - from.tick);
  for (const [i, car] of world.cars.entries()) interpolateCar(car, i, from, to, tick);
  for (const [i, hazard] of from.hazards.entries()) {
    world.hazards[i] ??= { ...hazard, moves: false };
    blendHazard(world.hazards[i], hazard, to.hazards[i] ?? hazard, part, seconds);
  }
  for (const { id, state } of from.lights) world.lights.set(id, state);
}
