import {
  A_ARMED,
  A_CAR,
  A_HX,
  A_HY,
  A_PIECE,
  A_SENT,
  A_STATE,
  A_STATION,
  A_STRUCK,
  A_WAIT,
  A_X,
  A_Y,
  ACTOR_STANDS,
  ACTOR_WAITS,
  C_ACCEL,
  C_ACCEL_TARGET,
  C_CLAIM,
  C_DECLARED,
  C_EFFECTIVE,
  C_HALT_TICK,
  C_LANE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_STEER,
  C_TYPE,
  C_VX,
  C_X,
  C_Y,
  CAR_COUNT,
  F_ALL,
  HAZARD_BYTES,
  HAZARDS,
  STATUS_CRASHED,
  STATUS_DRIVING,
} from '../../../assembly/layout.ts';
import { at, lengthOf } from '../../city/geometry.ts';
import type { City, HazardKind, HazardSpot } from '../../city/types.ts';
import { endsOf } from '../../citygen/hazards/paths.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { NOSE_M } from './course.ts';
import { SlabView } from './kernel.ts';
import { poseAlong } from './paths.ts';
import { edit, type SlabEditor } from './slab-editor.ts';

/** A car before a spot. */
export interface SpotCar {
  /** From its front to the conflict point, m. */
  wayM: number;
  speedMps: number;
  features?: number;
}

/** Kinds whose actors wait beside the road. */
export const WAITS_THERE: ReadonlySet<HazardKind> = new Set([
  'parked_row_child',
  'deer_crossing',
  'dark_zebra',
  'cut_in',
  'sudden_stop',
  'wet_crest',
]);

/** Far from every street. */
const FIELD_M = 5000;
const WAIT_TICKS = 1_000_000;
const MODEL = 2;
/** A place on a route counts as elsewhere if this many lanes from it on do not concern the spot. */
const LANES_AHEAD = 5;

/** One spot of one world, with only the cars that a test places near it. */
export class SpotStage {
  readonly kernel: Kernel;
  readonly slab: number;
  readonly spot: number;
  readonly hazard: HazardSpot;
  readonly #city: City;
  readonly #world: SlabView;

  constructor(kernel: Kernel, slab: number, city: City, spot: number) {
    this.kernel = kernel;
    this.slab = slab;
    this.spot = spot;
    this.hazard = at(city.hazards, spot);
    this.#city = city;
    this.#world = new SlabView(kernel.view(slab));
    this.rest();
  }

  /** No actor is about, and none was ever sent. */
  rest(): void {
    this.edit((world) => {
      for (let spot = 0; spot < this.#city.hazards.length; spot++) {
        const actor = HAZARDS + spot * HAZARD_BYTES;
        world.setI32(actor + A_STATE, 0, ACTOR_WAITS);
        world.setI32(actor + A_CAR, 0, -1);
        for (const field of [A_SENT, A_STRUCK, A_WAIT]) world.setI32(actor + field, 0, 0);
      }
    });
  }

  /**
   * Puts cars whose routes lead there on the way to the spot, everybody else aside as a wreck for 12 s;
   * only this spot is armed. Returns the indices of the cars.
   */
  set(...cars: readonly SpotCar[]): number[] {
    const { lanes } = this.hazard.site;
    const isOnWay = (position: number, route: readonly number[]) =>
      lanes.every((lane, i) => route[(position + i) % route.length] === lane);
    const chosen = this.#city.routes.flatMap((route, car) => {
      const position = route.findIndex((_, i) => isOnWay(i, route));
      return position < 0 ? [] : [{ car, position }];
    });
    const used = cars.map((_, i) => at(chosen, i));
    this.edit((world) => {
      for (let spot = 0; spot < this.#city.hazards.length; spot++) {
        world.setI32(HAZARDS + spot * HAZARD_BYTES + A_ARMED, 0, WAIT_TICKS);
      }
      world.setI32(HAZARDS + this.spot * HAZARD_BYTES + A_ARMED, 0, 0);
      if (WAITS_THERE.has(this.hazard.kind)) this.#waitThere(world);
      for (let car = 0; car < CAR_COUNT; car++) this.#putAside(world, car);
      for (const [i, { car, position }] of used.entries()) {
        this.#putOnWay(world, car, position, at(cars, i));
      }
    });
    return used.map(({ car }) => car);
  }

  /** Lets an actor that is absent stand where it waits: cars would see it appear there. */
  #waitThere(world: SlabEditor): void {
    if (this.i32(A_STATE) !== ACTOR_WAITS) return;
    const { start } = endsOf(this.hazard.site.actorPath, { lengthM: 0, widthM: 0 });
    const [hx, hy] = start.heading;
    const pose = { [A_X]: start.x, [A_Y]: start.y, [A_HX]: hx, [A_HY]: hy, [A_STATION]: 0 };
    for (const [field, value] of Object.entries(pose)) {
      world.setReal(this.#at(Number(field)), 0, value);
    }
    world.setI32(this.#at(A_PIECE), 0, 0);
    world.setI32(this.#at(A_STATE), 0, ACTOR_STANDS);
  }

  #putAside(world: SlabEditor, car: number): void {
    const route = at(this.#city.routes, car);
    const { lanes } = this.hazard.site;
    const { junction, next } = at(this.#city.lanes, at(lanes, -1));
    const concerns = (lane: number) =>
      lanes.includes(lane) ||
      next.includes(lane) ||
      (junction >= 0 && at(this.#city.lanes, lane).junction === junction);
    const position = route.findIndex((_, i) =>
      Array.from({ length: LANES_AHEAD }, (_, k) => route[(i + k) % route.length] ?? -1).every(
        (lane) => !concerns(lane),
      ),
    );
    this.#reset(world, car, position, 1);
    world.setI32(C_STATUS, car, STATUS_CRASHED);
    world.setI32(C_HALT_TICK, car, this.tick);
    world.setReal(C_X, car, FIELD_M + 100 * car);
    world.setReal(C_Y, car, -FIELD_M);
  }

  #putOnWay(world: SlabEditor, car: number, firstPosition: number, placed: SpotCar): void {
    const route = at(this.#city.routes, car);
    const { lanes, stationM } = this.hazard.site;
    let position = firstPosition + lanes.length - 1;
    let station = stationM - placed.wayM - (NOSE_M[MODEL] as number);
    const laneOf = () => at(this.#city.lanes, at(route, position % route.length));
    while (station < 0) {
      position = (position + route.length - 1) % route.length;
      station += lengthOf(laneOf().polyline);
    }
    this.#reset(world, car, position % route.length, station);
    world.placeCar(car, poseAlong(laneOf().polyline, station));
    world.setReal(C_VX, car, placed.speedMps);
    world.setI32(C_DECLARED, car, placed.features ?? F_ALL);
    world.setI32(C_EFFECTIVE, car, placed.features ?? F_ALL);
  }

  #reset(world: SlabEditor, car: number, position: number, station: number): void {
    world.setI32(C_TYPE, car, MODEL);
    world.setI32(C_ROUTE_INDEX, car, position);
    world.setI32(C_LANE, car, at(at(this.#city.routes, car), position));
    world.setReal(C_STATION, car, station);
    world.setReal(C_OFFSET, car, 0);
    world.setI32(C_CLAIM, car, -1);
    world.setI32(C_STATUS, car, STATUS_DRIVING);
    world.setI32(C_HALT_TICK, car, 0);
    world.stopCar(car);
    for (const array of [C_STEER, C_ACCEL, C_ACCEL_TARGET]) world.setReal(array, car, 0);
  }

  get tick(): number {
    return this.kernel.tick(this.slab);
  }

  /** Contacts so far. */
  get contactCount(): number {
    return this.kernel.contactCount(this.slab);
  }

  edit(change: (world: SlabEditor) => void): void {
    edit(this.kernel, this.slab, change);
  }

  /** Sets an integer of the actor, A_. */
  setActor(field: number, value: number): void {
    this.edit((world) => world.setI32(this.#at(field), 0, value));
  }

  /** A field of the actor, A_: of four bytes, or of eight. */
  i32(field: number): number {
    return this.#world.i32(this.#at(field), 0);
  }

  f32(field: number): number {
    return new Float32Array(Int32Array.of(this.i32(field)).buffer)[0] as number;
  }

  real(field: number): number {
    return this.#world.real(this.#at(field), 0);
  }

  #at(field: number): number {
    return HAZARDS + this.spot * HAZARD_BYTES + field;
  }

  car(array: number, car: number): number {
    return this.#world.real(array, car);
  }
}
