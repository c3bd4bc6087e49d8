import {
  CAR_COUNT,
  FLAG_EVASIVE,
  LIGHT_RED,
  LIGHT_RED_AMBER,
  O_CARS,
  O_HAZARD,
  O_LIGHT,
  O_TICK,
  OC_FLAGS,
  OC_HEADING,
  OC_LANE,
  OC_SPEED,
  OC_STATUS,
  OC_STRIDE,
  OC_X,
  OC_Y,
  OH_ACTIVE,
  OH_HEADING,
  OH_LENGTH,
  OH_STRIDE,
  OH_WIDTH,
  OH_X,
  OH_Y,
  STATUS_CRASHED,
  STATUS_DRIVING,
} from '../../../assembly/layout.ts';
import { at, distance, distanceToPath, dot, subtract } from '../../city/geometry.ts';
import type { Body, City, Point } from '../../city/types.ts';
import { distanceToPolygon, endDirection } from '../../citygen/geometry.ts';
import { cornersOf } from '../../citygen/hazards/paths.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';

/** What somebody who sees nothing but frames and the map finds. */
export interface Found {
  what: 'red_light' | 'lane_departure' | 'near_miss';
  /** Frame at which it is certain. */
  tick: number;
  car: number;
  /** Of a near miss: the other car, or CAR_COUNT + index of the spot. */
  other: number;
  /** Whether the least clearance is so near to a limit that the rounding of frames decides. */
  isBorderline: boolean;
}

/** A car or an actor in one frame. */
interface Seen extends Body {
  speedMps: number;
  lane: number;
  isWreck: boolean;
  drives: boolean;
  evades: boolean;
}

interface Closeness {
  other: number;
  sinceTick: number;
  clearanceM: number;
}

/** The definitions of SPEC.md. */
const PAST_LINE_M = 1;
/** Farther away, what lies beyond a line is another part of a winding lane. */
const NEAR_LINE_M = 10;
const BACK_M = 0.5;
/** Half a second, less the time within a frame. */
const RED_TICKS = 23;
const CLOSE_M = 0.5;
const CLOSE_TO_LIFE_M = 1;
const FAST_MPS = 4;
const PASSED_TICKS = 50;
/** Frames have centimetres: two places and two headings may each be off by half of one. */
const ROUNDING_M = 0.02;

export const isBorderline = (clearanceM: number): boolean =>
  [CLOSE_M, CLOSE_TO_LIFE_M].some((limitM) => Math.abs(clearanceM - limitM) <= ROUNDING_M);

/** Reads the frames of one world, each once and in order. */
export class FrameReading {
  readonly found: Found[] = [];
  readonly #city: City;
  readonly #types: Int32Array;
  /** By light that is red: the frame in which it was first. */
  readonly #redSince = new Map<number, number>();
  readonly #isPast = new Set<number>();
  readonly #isOut = new Set<number>();
  readonly #close = new Map<number, Closeness>();
  /** Where the actors were in the frame before, by spot. */
  #positions = new Map<number, Body>();

  /** @param types of the cars, as indices into CAR_TYPES */
  constructor(city: City, types: Int32Array) {
    this.#city = city;
    this.#types = types;
  }

  /** @param frame the packed state: see O_ in the memory map */
  read(frame: Int32Array): void {
    const tick = frame[O_TICK] ?? 0;
    const cars = Array.from({ length: CAR_COUNT }, (_, car) => this.#carOf(frame, car));
    for (const light of this.#city.lights.keys()) {
      const state = frame[O_LIGHT + light];
      if (state !== LIGHT_RED && state !== LIGHT_RED_AMBER) this.#redSince.delete(light);
      else if (!this.#redSince.has(light)) this.#redSince.set(light, tick);
    }
    for (const [car, seen] of cars.entries()) {
      this.#readLine(tick, car, seen);
      this.#readLane(tick, car, seen);
    }
    this.#readCloseness(tick, cars, this.#actorsOf(frame));
  }

  #carOf(frame: Int32Array, car: number): Seen {
    const start = O_CARS + car * OC_STRIDE;
    const field = (index: number) => frame[start + index] ?? 0;
    const { lengthM, widthM } = at(CAR_TYPES, this.#types[car] ?? 0);
    const angle = field(OC_HEADING) / 1e4;
    return {
      x: field(OC_X) / 100,
      y: field(OC_Y) / 100,
      heading: [Math.cos(angle), Math.sin(angle)],
      lengthM,
      widthM,
      speedMps: field(OC_SPEED) / 100,
      lane: field(OC_LANE),
      isWreck: field(OC_STATUS) === STATUS_CRASHED,
      drives: field(OC_STATUS) === STATUS_DRIVING,
      evades: (field(OC_FLAGS) & FLAG_EVASIVE) !== 0,
    };
  }

  #actorsOf(frame: Int32Array): (Body & { spot: number })[] {
    return this.#city.hazards.flatMap(({ site }, spot) => {
      const field = (index: number) => (frame[O_HAZARD + spot * OH_STRIDE + index] ?? 0) / 100;
      if (site.actor === null || site.actor.kind === 'obstacle' || field(OH_ACTIVE) === 0)
        return [];
      const angle = field(OH_HEADING) / 100;
      const heading: Point = [Math.cos(angle), Math.sin(angle)];
      const [lengthM, widthM] = [field(OH_LENGTH), field(OH_WIDTH)];
      return [{ spot, x: field(OH_X), y: field(OH_Y), heading, lengthM, widthM }];
    });
  }

  /** The front of a car that passes the line of its lane. */
  #readLine(tick: number, car: number, seen: Seen): void {
    const lane = at(this.#city.lanes, seen.lane);
    const wasPast = this.#isPast.has(car);
    if (seen.isWreck) return;
    const front: Point = [
      seen.x + (seen.heading[0] * seen.lengthM) / 2,
      seen.y + (seen.heading[1] * seen.lengthM) / 2,
    ];
    const line = at(lane.polyline, -1);
    const beyondM = dot(subtract(front, line), endDirection(lane.polyline));
    const isThere = distance(front, line) < NEAR_LINE_M;
    const isPast = lane.connector !== undefined || (isThere && beyondM > PAST_LINE_M);
    if (isPast) this.#isPast.add(car);
    else this.#isPast.delete(car);
    if (!isPast || wasPast || !seen.drives) return;
    const from = lane.connector?.from ?? seen.lane;
    const light = this.#city.lights.findIndex(({ lanes }) => lanes.includes(from));
    if (tick - (this.#redSince.get(light) ?? tick) < RED_TICKS) return;
    this.found.push({ what: 'red_light', tick, car, other: -1, isBorderline: false });
  }

  /** The middle of a car that leaves its lane. */
  #readLane(tick: number, car: number, seen: Seen): void {
    const { lanes } = this.#city;
    const own = at(lanes, seen.lane);
    const around = [own, ...own.next.map((index) => at(lanes, index))];
    if (own.connector) around.push(at(lanes, own.connector.from));
    const asideM = Math.min(
      ...around.map(({ polyline }) => distanceToPath([seen.x, seen.y], polyline)),
    );
    const wasOut = this.#isOut.has(car);
    const isOut = !seen.evades && asideM > own.widthM / 2 - (wasOut ? BACK_M : 0);
    if (isOut) this.#isOut.add(car);
    else this.#isOut.delete(car);
    if (!isOut || wasOut || !seen.drives) return;
    this.found.push({ what: 'lane_departure', tick, car, other: -1, isBorderline: false });
  }

  #readCloseness(
    tick: number,
    cars: readonly Seen[],
    actors: readonly (Body & { spot: number })[],
  ): void {
    for (const [car, seen] of cars.entries()) {
      if (seen.isWreck) continue;
      for (const [other, theirs] of cars.entries()) {
        if (other <= car || theirs.isWreck) continue;
        this.#measure(tick, car, seen, other, theirs, velocityOf(theirs, theirs.speedMps), CLOSE_M);
      }
      for (const actor of actors) this.#measureActor(tick, car, seen, actor);
    }
    this.#positions = new Map(actors.map((actor) => [actor.spot, actor]));
    for (const [car, { other, sinceTick, clearanceM }] of this.#close) {
      const hasCrashed = at(cars, car).isWreck;
      if (hasCrashed && (other >= CAR_COUNT || at(cars, other).isWreck)) {
        this.#close.delete(car);
      } else if (tick - sinceTick >= PASSED_TICKS) {
        this.#close.delete(car);
        const found = { tick, car, other, isBorderline: isBorderline(clearanceM) };
        this.found.push({ what: 'near_miss', ...found });
      }
    }
  }

  #measureActor(tick: number, car: number, seen: Seen, actor: Body & { spot: number }): void {
    const before = this.#positions.get(actor.spot);
    const moved = before ? distance([before.x, before.y], [actor.x, actor.y]) : 0;
    const kind = at(this.#city.hazards, actor.spot).site.actor?.kind;
    const closeM = kind === 'vehicle' ? CLOSE_M : CLOSE_TO_LIFE_M;
    const velocity = velocityOf(actor, moved / 0.08);
    this.#measure(tick, car, seen, CAR_COUNT + actor.spot, actor, velocity, closeM);
  }

  #measure(
    tick: number,
    car: number,
    seen: Seen,
    other: number,
    theirs: Body,
    velocity: Point,
    closeM: number,
  ): void {
    if (distance([seen.x, seen.y], [theirs.x, theirs.y]) > 12) return;
    const [vx, vy] = subtract(velocityOf(seen, seen.speedMps), velocity);
    if (vx * vx + vy * vy < FAST_MPS * FAST_MPS) return;
    const clearanceM = clearanceOf(seen, theirs);
    if (clearanceM >= closeM) return;
    const known = this.#close.get(car);
    if (known && known.other !== other && known.clearanceM <= clearanceM) return;
    const leastM = known?.other === other ? Math.min(known.clearanceM, clearanceM) : clearanceM;
    this.#close.set(car, { other, sinceTick: tick, clearanceM: leastM });
  }
}

const velocityOf = ({ heading: [hx, hy] }: Body, speedMps: number): Point => [
  hx * speedMps,
  hy * speedMps,
];

/** Distance between two boxes; about 0 if they overlap. */
function clearanceOf(a: Body, b: Body): number {
  const [ofA, ofB] = [cornersOf(a), cornersOf(b)];
  const fromA = ofA.map((corner) => distanceToPolygon(corner, ofB));
  const fromB = ofB.map((corner) => distanceToPolygon(corner, ofA));
  return Math.min(...fromA, ...fromB);
}
