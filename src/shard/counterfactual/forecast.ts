import * as layout from '../../../assembly/layout.ts';
import { realOf, type SlabArrays } from '../../kernel/slab-arrays.ts';
import { FORECAST_TICKS, TRIED_GROUPS } from '../../limits.ts';
import { OUTLOOK_CONSEQUENCES } from '../../twin/enumerations.ts';
import { LEAD_TICKS, type Outlook, WAY_TICKS } from '../../twin/outlook-record.ts';
import type { Rewind, Slices } from './rewind.ts';
import { TRIED, tried } from './trials.ts';

/** A car this near to the conflict point of a spot has come to it, m. */
const AT_SPOT_M = 25;
/** What a function does for a spot it does at most so long before the car is there, ticks (10 s). */
const ACTS_BEFORE_TICKS = 500;
/** Wheels turned this far need steering, rad, at this speed, m/s. */
const STEERED_RAD = 0.06;
const STEERED_MPS = 3;
const COLLISION = OUTLOOK_CONSEQUENCES.indexOf('collision');
const LANE_DEPARTURE = OUTLOOK_CONSEQUENCES.indexOf('lane_departure');
const STALL = OUTLOOK_CONSEQUENCES.indexOf('stall');

/** Features that make a difference only where they act. */
const FUNCTIONS =
  layout.F_AEB | layout.F_ANIMAL_DETECTION | layout.F_EVASIVE_STEERING | layout.F_ESC;

/** A spot of the city, as the kernel's table has it. */
interface Spot {
  x: number;
  y: number;
  /** Lanes by which cars come to it. */
  lanes: readonly number[];
  /** Mask of the features without which it ends in a collision. */
  needs: number;
}

/**
 * Lives a world ahead in a slab of its own, and notes when which feature of which car first makes a
 * difference: what a feature prevents then would happen without it.
 * @param needs masks of features by spot
 */
export function* forecast(
  rewind: Rewind,
  image: Uint8Array,
  table: ArrayBuffer,
  needs: readonly number[],
): Slices<Outlook> {
  rewind.restore({ image, changes: [] });
  const watch = new Watch(rewind, spotsOf(table, needs));
  const fromTick = rewind.tick;
  yield* rewind.stepTo(fromTick + FORECAST_TICKS, layout.FRAME_TICKS, () => watch.look());
  for (let group = 0; group < TRIED_GROUPS; group++) {
    for (const shown of yield* tried(rewind, image, group)) {
      const { car, features, tick, spot, consequence, wayM } = shown;
      watch.note(car, features, tick, spot, consequence, wayM);
    }
  }
  return { fromTick, rows: watch.rows(), ways: Float32Array.from(watch.ways) };
}

function spotsOf(table: ArrayBuffer, needs: readonly number[]): Spot[] {
  const view = new DataView(table);
  const start = view.getInt32(layout.T_HAZARDS, true);
  return needs.map((mask, spot) => {
    const at = start + spot * layout.HAZARD_SPOT_BYTES;
    const [x, y] = [layout.HS_X, layout.HS_Y].map((field) => view.getFloat64(at + field, true));
    const count = view.getInt32(at + layout.HS_LANE_COUNT, true);
    const lanes = Array.from({ length: count }, (_, i) =>
      view.getInt32(at + layout.HS_LANES + i * 4, true),
    );
    return { x: x ?? 0, y: y ?? 0, lanes, needs: mask };
  });
}

/** The approach of a car to a spot. */
interface Approach {
  /** When it was in danger for the first time, and when it was nearest. */
  sinceTick: number;
  nearestM: number;
  tick: number;
  wayM: number;
}

/** Reads the frames of the world that is lived ahead. */
class Watch {
  readonly #rewind: Rewind;
  readonly #world: SlabArrays;
  readonly #i32: Int32Array;
  readonly #spots: readonly Spot[];
  readonly #startTick: number;
  /** Metres that each car has driven. */
  readonly #wayM = new Float64Array(layout.CAR_COUNT);
  /** `#wayM` of all cars at each multiple of WAY_TICKS. */
  readonly ways: number[] = [];
  /** By car and feature: the row of what comes first. */
  readonly #rows = new Map<number, number[]>();
  readonly #approaches = new Map<number, Approach>();
  /** By car and feature: when it last made a difference. */
  readonly #actedTicks = new Map<number, number>();
  #lastTick: number;

  constructor(rewind: Rewind, spots: readonly Spot[]) {
    const world = rewind.kernel.view(rewind.slab);
    this.#rewind = rewind;
    this.#world = world;
    this.#i32 = world.i32;
    this.#spots = spots;
    this.#startTick = rewind.tick;
    this.#lastTick = rewind.tick;
    // A car that loses its drive rolls out and stands, whenever that is.
    for (let car = 0; car < layout.CAR_COUNT; car++)
      this.note(car, layout.F_THROTTLE, this.#startTick, -1, STALL);
  }

  #f(array: number, car: number): number {
    return realOf(this.#world, array, car);
  }

  #i(array: number, car: number): number {
    return this.#i32[array / 4 + car] ?? 0;
  }

  look(): void {
    const { tick } = this.#rewind;
    const aheadTicks = tick - this.#startTick;
    const passedS = (tick - this.#lastTick) * layout.TICK_S;
    this.#lastTick = tick;
    for (let car = 0; car < layout.CAR_COUNT; car++) {
      this.#wayM[car] = (this.#wayM[car] ?? 0) + Math.abs(this.#f(layout.C_VX, car)) * passedS;
      if (aheadTicks > LEAD_TICKS && this.#i(layout.C_STATUS, car) !== layout.STATUS_CRASHED)
        this.#lookAt(car);
      this.#noteActed(car);
    }
    this.#rewind.kernel.clearActed(this.#rewind.slab);
    for (const spot of this.#spots.keys()) this.#lookAtSpot(spot);
    if (tick % WAY_TICKS === 0) this.ways.push(...this.#wayM);
  }

  #lookAt(car: number): void {
    const { tick } = this.#rewind;
    const speed = this.#f(layout.C_VX, car);
    const isSteered = Math.abs(this.#f(layout.C_STEER, car)) > STEERED_RAD && speed > STEERED_MPS;
    if (isSteered) {
      this.note(car, layout.F_STEERING, tick, -1, LANE_DEPARTURE, this.#wayM[car]);
    }
  }

  #noteActed(car: number): void {
    const acted = this.#i(layout.C_ACTED, car) & FUNCTIONS;
    for (let left = acted; left !== 0; left &= left - 1) {
      const index = 31 - Math.clz32(left & -left);
      this.#actedTicks.set(car * layout.FEATURE_COUNT + index, this.#rewind.tick);
    }
  }

  /** Of the features that a spot needs, those without which this car would have been in trouble there. */
  #missedBy(car: number, needs: number, tick: number): number {
    // What is tried tells that better.
    if ((needs & TRIED) !== 0) return 0;
    const functions = needs & FUNCTIONS;
    let idle = 0;
    for (let left = functions; left !== 0; left &= left - 1) {
      const index = 31 - Math.clz32(left & -left);
      const acted = this.#actedTicks.get(car * layout.FEATURE_COUNT + index) ?? 0;
      if (acted < tick - ACTS_BEFORE_TICKS) idle |= left & -left;
    }
    return functions !== 0 && idle === functions ? 0 : needs & ~idle;
  }

  #lookAtSpot(spot: number): void {
    const actor = layout.HAZARDS + spot * layout.HAZARD_BYTES;
    const state = this.#i(actor + layout.A_STATE, 0);
    const own = this.#i(actor + layout.A_CAR, 0);
    const { x, y, lanes, needs } = this.#spots[spot] as Spot;
    // At some spots only those who have to do something are in danger.
    const flag =
      (needs & layout.F_ESC ? layout.FLAG_ESC : 0) |
      (needs & layout.F_EVASIVE_STEERING ? layout.FLAG_EVASIVE : 0);
    for (let car = 0; car < layout.CAR_COUNT; car++) {
      const key = spot * layout.CAR_COUNT + car;
      const dx = this.#f(layout.C_X, car) - x;
      const dy = this.#f(layout.C_Y, car) - y;
      const distanceM = Math.sqrt(dx * dx + dy * dy);
      const isThere = distanceM < AT_SPOT_M && lanes.includes(this.#i(layout.C_LANE, car));
      const isMet = state === layout.ACTOR_ACTS && own === car;
      const isInDanger = flag === 0 ? isMet : (this.#i(layout.C_FLAGS, car) & flag) !== 0;
      if (isThere && isInDanger) this.#approach(key, distanceM, car);
      else if (this.#approaches.has(key)) this.#arrive(key, spot, car);
    }
  }

  #approach(key: number, distanceM: number, car: number): void {
    const known = this.#approaches.get(key);
    if (known !== undefined && known.nearestM <= distanceM) return;
    const { tick } = this.#rewind;
    const { sinceTick } = known ?? { sinceTick: tick };
    const wayM = this.#wayM[car] ?? 0;
    this.#approaches.set(key, { sinceTick, nearestM: distanceM, tick, wayM });
  }

  #arrive(key: number, spot: number, car: number): void {
    const { sinceTick = 0, tick = 0, wayM = 0 } = this.#approaches.get(key) ?? {};
    this.#approaches.delete(key);
    if (sinceTick - this.#startTick <= LEAD_TICKS) return;
    const { needs } = this.#spots[spot] as Spot;
    this.note(car, this.#missedBy(car, needs, tick), tick, spot, COLLISION, wayM);
  }

  /** Keeps what comes first of each feature. */
  note(
    car: number,
    features: number,
    tick: number,
    spot: number,
    consequence: number,
    wayM = 0,
  ): void {
    for (let index = 0; index < layout.FEATURE_COUNT; index++) {
      if (((features >> index) & 1) === 0) continue;
      const key = car * layout.FEATURE_COUNT + index;
      const known = this.#rows.get(key)?.[2];
      if (known !== undefined && known <= tick) continue;
      this.#rows.set(key, [car, index, tick, spot, consequence, Math.round(wayM * 10)]);
    }
  }

  /** What is found, six numbers each. */
  rows(): Int32Array {
    for (const key of [...this.#approaches.keys()]) {
      this.#arrive(key, Math.floor(key / layout.CAR_COUNT), key % layout.CAR_COUNT);
    }
    return Int32Array.from([...this.#rows.values()].flat());
  }
}
