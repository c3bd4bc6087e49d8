import {
  A_ARMED,
  A_CAR,
  A_SENT,
  A_STATE,
  ACTOR_STANDS,
  ACTOR_WAITS,
  C_LANE,
  C_ROUTE_INDEX,
  C_STATION,
  C_VX,
  CAR_COUNT,
  HAZARD_BYTES,
  HAZARDS,
} from '../../assembly/layout.ts';
import { HAZARD_KINDS } from '../../src/city/hazards/kinds.ts';
import type { City, HazardKind } from '../../src/city/types.ts';
import type { SlabArrays } from '../../src/kernel/kernel.ts';
import { FEATURES, type FeatureName, maskOf } from '../../src/twin/catalogue.ts';
import type { ContactFacts } from '../../src/twin/incidents.ts';

/** A car is on its way to a spot from so far before the conflict point, m. */
const APPROACH_M = 80;
/** So long before the conflict point it counts whether the spot was ready for the car, s. */
const READY_S = 4;
/** What happens so soon after the conflict point belongs to the pass, ticks (3 s). */
const AFTER_TICKS = 150;
/** A car that stands has no time to the conflict point: taken as this slow, m/s. */
const SLOWEST_MPS = 1;

/** Their actor is sent for a car that drives; the others stand, come for who stands, or are the road. */
export const FOR_MOVING_CARS: readonly HazardKind[] = [
  'parked_row_child',
  'sudden_stop',
  'deer_crossing',
  'red_light_lorry',
  'blind_crossing',
  'left_turn_oncoming',
  'tram_crossing',
  'dark_zebra',
  'cut_in',
];

/** What happened at one spot. */
export interface SpotCounts {
  spot: number;
  kind: HazardKind;
  /** Cars that drove over the conflict point, or hit something on the way. */
  passes: number;
  /** Those for which the actor was ready, or on the road; all where there is no actor. */
  armed: number;
  /** Armed passes for which it was sent. */
  fired: number;
  /** Of the fired ones, or of the armed ones where nothing is sent: the feature made a difference. */
  intervened: number;
  /** Armed passes in which the car hit something. */
  hits: number;
  /** Times that the actor was sent, for whomever. */
  sent: number;
  /** Contacts with the actor or with what stands at the spot. */
  contacts: number;
}

interface Pass {
  armed: boolean | undefined;
  fired: boolean;
  intervened: boolean;
  hit: boolean;
  /** Tick at which the conflict point was passed, 0 not yet. */
  passedTick: number;
  seenTick: number;
}

interface Approach {
  spot: number;
  /** Lanes that must follow on the car's route. */
  rest: readonly number[];
  /** From the start of the lane to the conflict point, m. */
  toConflictM: number;
}

/** Those that end with the function that the kind is made for, else all that it is made for. */
export function actingMask(kind: HazardKind): number {
  const { failsWithout } = HAZARD_KINDS[kind];
  const isFunction = (name: FeatureName): boolean =>
    FEATURES.some((feature) => feature.name === name && feature.group === 'function');
  const functions = failsWithout.filter(isFunction);
  return maskOf(functions.length > 0 ? functions : failsWithout);
}

export const emptyCounts = (spot: number, kind: HazardKind): SpotCounts => ({
  spot,
  kind,
  passes: 0,
  armed: 0,
  fired: 0,
  intervened: 0,
  hits: 0,
  sent: 0,
  contacts: 0,
});

/**
 * Watches the cars of one world pass the spots of its city. Reads kernel memory in place; `acted`
 * tells which features made a difference to a car since the look before.
 */
export class SpotPasses {
  readonly counts: readonly SpotCounts[];
  readonly #city: City;
  readonly #f64: Float64Array;
  readonly #i32: Int32Array;
  readonly #approaches = new Map<number, Approach[]>();
  readonly #acting: readonly number[];
  readonly #hasActor: readonly boolean[];
  /** Key: car × spots + spot. */
  readonly #open = new Map<number, Pass>();
  readonly #sentBefore: number[];

  constructor(city: City, laneLengthM: Float64Array, { f64, i32 }: SlabArrays) {
    this.#city = city;
    this.#f64 = f64;
    this.#i32 = i32;
    this.counts = city.hazards.map(({ kind }, spot) => emptyCounts(spot, kind));
    this.#acting = city.hazards.map(({ kind }) => actingMask(kind));
    this.#hasActor = city.hazards.map(({ site }) => site.actor !== null);
    this.#sentBefore = city.hazards.map((_, spot) => this.#actor(spot, A_SENT));
    for (const [spot, { site }] of city.hazards.entries()) {
      let toConflictM = site.stationM;
      for (let i = site.lanes.length - 1; i >= 0; i--) {
        const lane = site.lanes[i] ?? -1;
        if (i < site.lanes.length - 1) toConflictM += laneLengthM[lane] ?? 0;
        const known = this.#approaches.get(lane) ?? [];
        known.push({ spot, rest: site.lanes.slice(i + 1), toConflictM });
        this.#approaches.set(lane, known);
      }
    }
  }

  look(tick: number, acted: (car: number) => number): void {
    for (let car = 0; car < CAR_COUNT; car++) {
      for (const approach of this.#approaches.get(this.#i32[C_LANE / 4 + car] ?? -1) ?? []) {
        if (this.#isOnItsWay(car, approach)) this.#approach(tick, car, approach);
      }
    }
    for (const [key, pass] of this.#open) this.#follow(tick, key, pass, acted);
    for (const [spot, count] of this.counts.entries()) {
      const sent = this.#actor(spot, A_SENT);
      count.sent += sent - (this.#sentBefore[spot] ?? 0);
      this.#sentBefore[spot] = sent;
    }
  }

  /** A contact of this world, in the look in which it happened or after it. */
  contact({ hazard, parties }: ContactFacts): void {
    const count = this.counts[hazard];
    if (count) count.contacts += 1;
    for (const { car } of parties) {
      if (car < 0) continue;
      for (const [key, pass] of this.#open) {
        if (Math.floor(key / this.counts.length) === car) pass.hit = true;
      }
    }
  }

  #actor(spot: number, field: number): number {
    return this.#i32[(HAZARDS + spot * HAZARD_BYTES + field) / 4] ?? 0;
  }

  #isOnItsWay(car: number, { rest }: Approach): boolean {
    const route = this.#city.routes[car] ?? [];
    const index = this.#i32[C_ROUTE_INDEX / 4 + car] ?? 0;
    return rest.every((lane, i) => route[(index + 1 + i) % route.length] === lane);
  }

  #approach(tick: number, car: number, { spot, toConflictM }: Approach): void {
    const aheadM = toConflictM - (this.#f64[C_STATION / 8 + car] ?? 0);
    const key = car * this.counts.length + spot;
    let pass = this.#open.get(key);
    if (aheadM > APPROACH_M || (pass === undefined && aheadM <= 0)) return;
    if (pass === undefined || pass.passedTick > 0) {
      if (aheadM <= 0) return;
      if (pass) this.#close(key, pass);
      pass = {
        armed: undefined,
        fired: false,
        intervened: false,
        hit: false,
        passedTick: 0,
        seenTick: tick,
      };
      this.#open.set(key, pass);
    }
    pass.seenTick = tick;
    if (aheadM <= 0) pass.passedTick = tick;
    const speedMps = Math.max(this.#f64[C_VX / 8 + car] ?? 0, SLOWEST_MPS);
    if (pass.armed === undefined && aheadM <= READY_S * speedMps) {
      pass.armed = this.#isReady(tick, car, spot);
    }
  }

  #isReady(tick: number, car: number, spot: number): boolean {
    if (!this.#hasActor[spot]) return true;
    const state = this.#actor(spot, A_STATE);
    if (state === ACTOR_STANDS) return true;
    if (state === ACTOR_WAITS) return tick >= this.#actor(spot, A_ARMED) >>> 0;
    return this.#actor(spot, A_CAR) === car;
  }

  #follow(tick: number, key: number, pass: Pass, acted: (car: number) => number): void {
    const spot = key % this.counts.length;
    const car = Math.floor(key / this.counts.length);
    const isSent = this.#actor(spot, A_STATE) !== ACTOR_WAITS && this.#actor(spot, A_CAR) === car;
    if (isSent) pass.fired = true;
    if ((acted(car) & (this.#acting[spot] ?? 0)) !== 0) pass.intervened = true;
    // Off the lanes that lead there: over the conflict point at the end of the last of them, or lost.
    if (pass.passedTick === 0 && pass.seenTick !== tick) pass.passedTick = pass.seenTick;
    const isOver = pass.passedTick > 0 && tick >= pass.passedTick + AFTER_TICKS;
    if (isOver || (pass.hit && pass.seenTick !== tick)) this.#close(key, pass);
  }

  #close(key: number, pass: Pass): void {
    this.#open.delete(key);
    const spot = key % this.counts.length;
    const count = this.counts[spot];
    if (!count) return;
    count.passes += 1;
    if (!pass.armed && !pass.fired) return;
    count.armed += 1;
    if (pass.hit) count.hits += 1;
    if (pass.fired) count.fired += 1;
    const mayCount = pass.fired || !FOR_MOVING_CARS.includes(count.kind);
    if (pass.intervened && mayCount) count.intervened += 1;
  }

  /** Ends what is still open: cars that have hit something count, those on their way do not. */
  finish(): void {
    for (const [key, pass] of this.#open) {
      if (pass.hit || pass.passedTick > 0) this.#close(key, pass);
    }
    this.#open.clear();
  }
}
