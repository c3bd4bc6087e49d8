import * as layout from '../../../assembly/layout.ts';
import { FORECAST_TICKS, TRIED_GROUPS, TRIED_TICKS } from '../../limits.ts';
import { OUTLOOK_CONSEQUENCES } from '../../twin/enumerations.ts';
import { LEAD_TICKS, type Outlook, WAY_TICKS } from '../../twin/outlook-record.ts';
import type { Rewind, Slices } from './rewind.ts';

const FRAME_S = layout.FRAME_TICKS * layout.TICK_S;
/** A car that approaches a line is this fast, m/s: one that stands there may be about to drive off. */
const APPROACHES_MPS = 3;
/** From the centre of gravity of a car to its front, about, m. */
const NOSE_M = 2.2;
/** A car this near to the conflict point of a spot has come to it, m. */
const AT_SPOT_M = 25;
/** Wheels turned this far need steering, rad, at this speed, m/s. */
const STEERED_RAD = 0.06;
const STEERED_MPS = 3;

const WITHOUT_ASSIST = layout.F_INTERSECTION_ASSIST | layout.F_CORNER_RADARS | layout.F_BRAKES;
const WITHOUT_RECOGNITION =
  layout.F_TRAFFIC_LIGHT_RECOGNITION | layout.F_FRONT_CAMERA | layout.F_BRAKES;
const COLLISION = OUTLOOK_CONSEQUENCES.indexOf('collision');
const RED_LIGHT = OUTLOOK_CONSEQUENCES.indexOf('red_light');
const LANE_DEPARTURE = OUTLOOK_CONSEQUENCES.indexOf('lane_departure');
const RIGHT_OF_WAY = OUTLOOK_CONSEQUENCES.indexOf('right_of_way');
const STALL = OUTLOOK_CONSEQUENCES.indexOf('stall');

/** A car that has begun to stop at a line, and when it would be there if it did not. */
interface Stopping {
  lane: number;
  tick: number;
  wayM: number;
}

/** A spot of the city, as the kernel's table has it. */
interface Spot {
  x: number;
  y: number;
  /** Lanes by which cars come to it. */
  lanes: readonly number[];
  /** Whether its actor stands in the lane before it does anything. */
  isInLane: boolean;
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
  const watch = new Watch(rewind, spotsOf(table, needs), lengthsOf(table));
  const fromTick = rewind.tick;
  yield* rewind.stepTo(fromTick + FORECAST_TICKS, layout.FRAME_TICKS, () => watch.look());
  for (let group = 0; group < TRIED_GROUPS; group++) {
    for (const run of yield* redLightsRun(rewind, image, group)) {
      watch.note(run.car, WITHOUT_RECOGNITION, run.tick, -1, RED_LIGHT, run.wayM);
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
    const isInLane = view.getInt32(at + layout.HS_KIND, true) === layout.HAZARD_FOG_STALL;
    return { x: x ?? 0, y: y ?? 0, lanes, isInLane, needs: mask };
  });
}

interface RedLightRun {
  car: number;
  tick: number;
  wayM: number;
}

/**
 * The first red light that each car of a group runs without traffic light recognition. It may stop all
 * the same, for cross traffic or behind another car: so it has to be tried, with few cars at a time.
 */
function* redLightsRun(rewind: Rewind, image: Uint8Array, group: number): Slices<RedLightRun[]> {
  rewind.restore({ image, changes: [] });
  const { kernel, slab, tick: fromTick } = rewind;
  const { f64, i32 } = kernel.view(slab);
  for (let car = group; car < layout.CAR_COUNT; car += TRIED_GROUPS) {
    kernel.apply(slab, fromTick, car, layout.F_TRAFFIC_LIGHT_RECOGNITION, 0);
  }
  const ways = new Float64Array(layout.CAR_COUNT);
  const found = new Map<number, RedLightRun>();
  /** By number of an event of a red light: its argument, in which it is counted. */
  const known = new Map<number, number>();
  const look = () => {
    for (let car = 0; car < layout.CAR_COUNT; car++) {
      ways[car] = (ways[car] ?? 0) + Math.abs(f64[layout.C_VX / 8 + car] ?? 0) * FRAME_S;
    }
    for (let event = 0; event < layout.EVENT_RING; event++) {
      const at = layout.EVENTS + event * layout.EVENT_BYTES;
      if (i32[(at + layout.E_KIND) / 4] !== layout.EVENT_RED_LIGHT) continue;
      const seq = i32[(at + layout.E_SEQ) / 4] ?? 0;
      const arg = i32[(at + layout.E_ARG) / 4] ?? 0;
      if (known.get(seq) === arg) continue;
      known.set(seq, arg);
      const car = i32[(at + layout.E_CAR) / 4] ?? 0;
      const { tick } = rewind;
      if (tick > fromTick + LEAD_TICKS && !found.has(car))
        found.set(car, { car, tick, wayM: ways[car] ?? 0 });
    }
  };
  look();
  ways.fill(0);
  yield* rewind.stepTo(fromTick + TRIED_TICKS, layout.FRAME_TICKS, look);
  return [...found.values()];
}

/** Lengths of the lanes, m. */
function lengthsOf(table: ArrayBuffer): number[] {
  const view = new DataView(table);
  const start = view.getInt32(layout.T_LANES, true) + layout.L_LENGTH;
  return Array.from({ length: view.getInt32(layout.T_LANE_COUNT, true) }, (_, lane) =>
    view.getFloat64(start + lane * layout.LANE_BYTES, true),
  );
}

/** The approach of a car to a spot. */
interface Approach {
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
  /** By car. */
  readonly #stopping = new Map<number, Stopping>();
  readonly #lengthsM: readonly number[];
  #lastTick: number;

  constructor(rewind: Rewind, spots: readonly Spot[], lengthsM: readonly number[]) {
    const { f64, i32 } = rewind.kernel.view(rewind.slab);
    this.#rewind = rewind;
    this.#f64 = f64;
    this.#i32 = i32;
    this.#spots = spots;
    this.#lengthsM = lengthsM;
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
    }
    this.#rewind.kernel.clearActed(this.#rewind.slab);
    for (const spot of this.#spots.keys()) this.#lookAtSpot(spot);
    if (tick % WAY_TICKS === 0) this.ways.push(...this.#wayM);
  }

  #lookAt(car: number): void {
    const { tick } = this.#rewind;
    const speed = this.#f(layout.C_VX, car);
    const acted = this.#i(layout.C_ACTED, car);
    if (speed > APPROACHES_MPS && (acted & layout.F_INTERSECTION_ASSIST) !== 0) {
      this.#approachLine(car);
    }
    this.#checkLine(car);
    const isSteered = Math.abs(this.#f(layout.C_STEER, car)) > STEERED_RAD && speed > STEERED_MPS;
    if (isSteered) {
      this.note(car, layout.F_STEERING, tick, -1, LANE_DEPARTURE, this.#wayM[car]);
    }
  }

  /** Intersection assist begins to stop a car at a line that it would reach soon. */
  #approachLine(car: number): void {
    if (this.#stopping.has(car)) return;
    const lane = this.#i(layout.C_LANE, car);
    const leftM = (this.#lengthsM[lane] ?? 0) - this.#f(layout.C_STATION, car) - NOSE_M;
    if (leftM < 0) return;
    const ticks = (leftM / this.#f(layout.C_VX, car)) * layout.TICKS_PER_S;
    const tick = this.#rewind.tick + Math.round(ticks);
    this.#stopping.set(car, { lane, tick, wayM: (this.#wayM[car] ?? 0) + leftM });
  }

  /** At the time at which it would be there: it counts if the car still has to wait then. */
  #checkLine(car: number): void {
    const stopping = this.#stopping.get(car);
    if (stopping === undefined || this.#rewind.tick < stopping.tick) return;
    this.#stopping.delete(car);
    const isThere = this.#i(layout.C_LANE, car) === stopping.lane;
    if (!isThere || this.#i(layout.C_CLAIM, car) >= 0) return;
    this.note(car, WITHOUT_ASSIST, stopping.tick, -1, RIGHT_OF_WAY, stopping.wayM);
  }

  #lookAtSpot(spot: number): void {
    const actor = layout.HAZARDS + spot * layout.HAZARD_BYTES;
    const state = this.#i(actor + layout.A_STATE, 0);
    const own = this.#i(actor + layout.A_CAR, 0);
    const { x, y, lanes, isInLane, needs } = this.#spots[spot] as Spot;
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
      const isMet =
        state === layout.ACTOR_ACTS ? own === car : isInLane && state === layout.ACTOR_STANDS;
      const isInDanger = flag === 0 ? isMet : (this.#i(layout.C_FLAGS, car) & flag) !== 0;
      if (isThere && isInDanger) this.#approach(key, distanceM, car);
      else if (this.#approaches.has(key)) this.#arrive(key, spot, car);
    }
  }

  #approach(key: number, distanceM: number, car: number): void {
    const known = this.#approaches.get(key);
    if (known !== undefined && known.nearestM <= distanceM) return;
    const { tick } = this.#rewind;
    this.#approaches.set(key, { nearestM: distanceM, tick, wayM: this.#wayM[car] ?? 0 });
  }

  #arrive(key: number, spot: number, car: number): void {
    const { tick = 0, wayM = 0 } = this.#approaches.get(key) ?? {};
    this.#approaches.delete(key);
    if (tick - this.#startTick <= LEAD_TICKS) return;
    const { needs } = this.#spots[spot] as Spot;
    this.note(car, needs, tick, spot, COLLISION, wayM);
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
