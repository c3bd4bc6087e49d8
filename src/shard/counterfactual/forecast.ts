import * as layout from '../../../assembly/layout.ts';
import { FORECAST_TICKS, TRIED_GROUPS, TRIED_TICKS } from '../../limits.ts';
import { OUTLOOK_CONSEQUENCES } from '../../twin/enumerations.ts';
import { LEAD_TICKS, type Outlook, WAY_TICKS } from '../../twin/outlook-record.ts';
import type { Rewind, Slices } from './rewind.ts';

const FRAME_S = layout.FRAME_TICKS * layout.TICK_S;
/** A car this near to the conflict point of a spot has come to it, m. */
const AT_SPOT_M = 25;
/** What a function does for a spot it does at most so long before the car is there, ticks (10 s). */
const ACTS_BEFORE_TICKS = 500;
/** Wheels turned this far need steering, rad, at this speed, m/s. */
const STEERED_RAD = 0.06;
const STEERED_MPS = 3;
/**
 * What a car does within this distance of another one that lacks the same feature, m, it may do only
 * because of that one.
 */
const ALONE_M = 40;

const COLLISION = OUTLOOK_CONSEQUENCES.indexOf('collision');
const RED_LIGHT = OUTLOOK_CONSEQUENCES.indexOf('red_light');
const LANE_DEPARTURE = OUTLOOK_CONSEQUENCES.indexOf('lane_departure');
const RIGHT_OF_WAY = OUTLOOK_CONSEQUENCES.indexOf('right_of_way');
const STALL = OUTLOOK_CONSEQUENCES.indexOf('stall');

/**
 * What has to be tried: a car without the feature may stop all the same, for cross traffic, behind
 * another car or because it was slow.
 */
interface Trial {
  off: number;
  /** The event that is looked for, and what it is called unless a collision follows. */
  event: number;
  consequence: number;
  /** Mask of the features without which the same happens. */
  features: number;
}

/** Within this time after the event a collision follows from it, ticks (5 s). */
const FOLLOWS_TICKS = 250;

const TRIALS: readonly Trial[] = [
  {
    off: layout.F_TRAFFIC_LIGHT_RECOGNITION,
    event: layout.EVENT_RED_LIGHT,
    consequence: RED_LIGHT,
    features: layout.F_TRAFFIC_LIGHT_RECOGNITION | layout.F_FRONT_CAMERA | layout.F_BRAKES,
  },
  {
    off: layout.F_INTERSECTION_ASSIST,
    event: layout.EVENT_NOT_YIELDED,
    consequence: RIGHT_OF_WAY,
    features: layout.F_INTERSECTION_ASSIST | layout.F_CORNER_RADARS | layout.F_BRAKES,
  },
  {
    off: layout.F_FRONT_RADAR,
    event: layout.EVENT_COLLISION,
    consequence: COLLISION,
    features: layout.F_FRONT_RADAR,
  },
];
const TRIED = TRIALS.reduce((mask, { off }) => mask | off, 0);
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
      const { car, trial, tick, spot, consequence, wayM } = shown;
      watch.note(car, trial.features, tick, spot, consequence, wayM);
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

interface Shown {
  car: number;
  trial: Trial;
  tick: number;
  spot: number;
  consequence: number;
  wayM: number;
}

/**
 * The first event that each trial shows, with few cars at a time without its feature. In each of the
 * TRIED_GROUPS runs some cars lack the one feature, others another one, and some none.
 */
function* tried(rewind: Rewind, image: Uint8Array, group: number): Slices<Shown[]> {
  rewind.restore({ image, changes: [] });
  const { kernel, slab, tick: fromTick } = rewind;
  const { f64, i32 } = kernel.view(slab);
  const trialOf = (car: number) => TRIALS[(car + group) % TRIED_GROUPS];
  const cars = Array.from({ length: layout.CAR_COUNT }, (_, car) => car);
  for (const car of cars) kernel.apply(slab, fromTick, car, trialOf(car)?.off ?? 0, 0);
  const metresApart = (one: number, other: number) =>
    Math.hypot(
      (f64[layout.C_X / 8 + one] ?? 0) - (f64[layout.C_X / 8 + other] ?? 0),
      (f64[layout.C_Y / 8 + one] ?? 0) - (f64[layout.C_Y / 8 + other] ?? 0),
    );
  const ways = new Float64Array(layout.CAR_COUNT);
  const found = new Map<number, Shown>();
  const show = (car: number, event: number, spot: number) => {
    const trial = trialOf(car);
    if (trial === undefined) return;
    const { tick } = rewind;
    const known = found.get(car);
    const isCollision = event === layout.EVENT_COLLISION;
    if (known && isCollision && tick <= known.tick + FOLLOWS_TICKS) {
      Object.assign(known, { spot, consequence: COLLISION });
    }
    if (known || trial.event !== event || tick <= fromTick + LEAD_TICKS) return;
    const isLed = cars.some(
      (other) => other !== car && trialOf(other) === trial && metresApart(car, other) < ALONE_M,
    );
    if (isLed) return;
    const { consequence } = trial;
    found.set(car, { car, trial, tick, spot, consequence, wayM: ways[car] ?? 0 });
  };
  /** By number of an event: its argument, in which its repeats are counted. */
  const known = new Map<number, number>();
  const look = () => {
    for (const car of cars) {
      ways[car] = (ways[car] ?? 0) + Math.abs(f64[layout.C_VX / 8 + car] ?? 0) * FRAME_S;
    }
    for (let index = 0; index < layout.EVENT_RING; index++) {
      const event = (layout.EVENTS + index * layout.EVENT_BYTES) / 4;
      const [seq = 0, arg = 0] = [i32[event + layout.E_SEQ / 4], i32[event + layout.E_ARG / 4]];
      if (seq === 0 || known.get(seq) === arg) continue;
      known.set(seq, arg);
      const kind = i32[event + layout.E_KIND / 4] ?? 0;
      // Of a collision the car that struck.
      const car = i32[event + layout.E_CAR / 4] ?? -1;
      const spot = i32[event + layout.E_HAZARD / 4] ?? -1;
      show(car, kind, kind === layout.EVENT_COLLISION ? spot : -1);
    }
  };
  look();
  ways.fill(0);
  yield* rewind.stepTo(fromTick + TRIED_TICKS, layout.FRAME_TICKS, look);
  return [...found.values()];
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
  readonly #f64: Float64Array;
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
    const { f64, i32 } = rewind.kernel.view(rewind.slab);
    this.#rewind = rewind;
    this.#f64 = f64;
    this.#i32 = i32;
    this.#spots = spots;
    this.#startTick = rewind.tick;
    this.#lastTick = rewind.tick;
    // A car that loses its drive rolls out and stands, whenever that is.
    for (let car = 0; car < layout.CAR_COUNT; car++)
      this.note(car, layout.F_THROTTLE, this.#startTick, -1, STALL);
  }

  #f(array: number, car: number): number {
    return this.#f64[array / 8 + car] ?? 0;
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
