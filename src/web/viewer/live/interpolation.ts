/** The state of a world between two of its frames. */
import type { Hazard, LightState, Pose, Snapshot, Vehicle } from '../api/types.ts';
import type { ShownCar, ShownHazard, ShownWorld } from '../scene/types.ts';

const TICKS_PER_S = 50;
/** Beyond what it can have driven by so much, a car was put there. */
const JUMP_M = 3;
/** Slack for what accelerates hard between the two. */
const JUMP_FACTOR = 1.5;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
export type Car = Mutable<ShownCar>;
type ShownThing = Mutable<ShownHazard>;

/** A world on display, which is written over and over, so that a moving picture leaves no garbage. */
export interface Board extends ShownWorld {
  tick: number;
  cars: Car[];
  lights: Map<string, LightState>;
  hazards: ShownThing[];
  ghosts: Car[];
  contact: [x: number, y: number] | null;
}

export function emptyBoard(): Board {
  return { tick: 0, cars: [], lights: new Map(), hazards: [], ghosts: [], contact: null };
}

/** Whether something was put where it is: respawned after a crash, or back at its start. */
export function jumped(from: Pose, to: Pose, speedMps: number, seconds: number): boolean {
  const metres = Math.hypot(to.x - from.x, to.y - from.y);
  return metres > JUMP_M + JUMP_FACTOR * speedMps * seconds;
}

/** The heading a part of the way, turning by the shorter side. */
export function turned(from: number, to: number, part: number): number {
  const turn = to - from;
  return from + Math.atan2(Math.sin(turn), Math.cos(turn)) * part;
}

function move(shown: Mutable<Pose>, from: Pose, to: Pose, part: number): void {
  shown.x = from.x + (to.x - from.x) * part;
  shown.y = from.y + (to.y - from.y) * part;
  shown.heading = turned(from.heading, to.heading, part);
}

/** How far a tick is from one frame to the next, 0 to 1, and how long that takes. */
function wayOf(from: Snapshot, to: Snapshot, tick: number): { part: number; seconds: number } {
  const ticks = to.tick - from.tick;
  const part = ticks > 0 ? Math.min(1, Math.max(0, (tick - from.tick) / ticks)) : 0;
  return { part, seconds: ticks / TICKS_PER_S };
}

/** Writes one car as it is at a tick between two frames. */
export function showCar(car: Car, index: number, from: Snapshot, to: Snapshot, tick: number): void {
  const [a, b] = [from.vehicles[index], to.vehicles[index]];
  const { part, seconds } = wayOf(from, to, tick);
  if (a && b) place(car, a, b, part, seconds);
}

function place(car: Car, from: Vehicle, to: Vehicle, part: number, seconds: number): void {
  const isJump = jumped(from, to, Math.max(from.speed, to.speed), seconds);
  move(car, from, isJump ? from : to, isJump ? 0 : part);
  car.speed = isJump ? from.speed : from.speed + (to.speed - from.speed) * part;
  car.braking = from.braking;
  car.aeb = from.aeb;
  car.esc = from.esc;
  car.evasive = from.evasive;
  car.status = from.status;
}

/** What comes out of a spot is no faster than this. */
const HAZARD_MPS = 20;

function showHazard(shown: ShownThing, from: Hazard, to: Hazard, part: number, seconds: number) {
  const stays = !from.active || !to.active || jumped(from, to, HAZARD_MPS, seconds);
  move(shown, from, stays ? from : to, stays ? 0 : part);
  shown.id = from.id;
  shown.kind = from.kind;
  shown.active = from.active;
  shown.length = from.length;
  shown.width = from.width;
}

/** Writes the world as it is at a tick between two frames; cars keep who they are. */
export function showBetween(board: Board, from: Snapshot, to: Snapshot, tick: number): void {
  const { part, seconds } = wayOf(from, to, tick);
  board.tick = from.tick + part * (to.tick - from.tick);
  for (const [i, car] of board.cars.entries()) showCar(car, i, from, to, tick);
  for (const [i, hazard] of from.hazards.entries()) {
    board.hazards[i] ??= { ...hazard };
    showHazard(board.hazards[i], hazard, to.hazards[i] ?? hazard, part, seconds);
  }
  for (const { id, state } of from.lights) board.lights.set(id, state);
}
