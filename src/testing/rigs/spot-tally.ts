import {
  A_ARMED,
  A_CAR,
  A_SENT,
  A_STATE,
  A_STRUCK,
  A_WAIT,
  ACTOR_ACTS,
  ACTOR_STANDS,
  ACTOR_WAITS,
  C_LANE,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_TYPE,
  C_VX,
  C_X,
  C_Y,
  CAR_COUNT,
  FRAME_TICKS,
  HAZARD_BYTES,
  HAZARDS,
  LIGHT_RED,
  STATUS_CRASHED,
  TICKS_PER_S,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { HazardKind, HazardSpot } from '../../city/types.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import type { ContactFacts } from '../../twin/incidents.ts';
import { type Course, NOSE_M, SignalPlan } from './course.ts';
import { SlabView } from './kernel.ts';
import { WAITS_THERE } from './spot-stage.ts';

/**
 * An armed pass: a car comes towards the conflict point of a spot whose actor was ready, not in a
 * pause, when the car was `leadS` away from it at its speed, and the car was as fast as `fromMps`
 * then. At a red light it also would have arrived 4 to 16 s into red, as the first, while no other
 * car was near: real traffic then crosses instead of the actor. Of what stands in the lane: it
 * stood there then.
 */
interface Arming {
  leadS: number;
  fromMps: number;
}

const ACROSS: Arming = { leadS: 3.5, fromMps: 4 };
const STANDING: Arming = { leadS: 1.2, fromMps: 4 };
/** The road itself is the hazard, but not for a car that crawls. */
const ROAD: Arming = { leadS: 1.5, fromMps: 6 };
/** `never`: it comes up behind a car that has stalled. */
const ARMING: Readonly<Record<HazardKind, Arming | 'never'>> = {
  parked_row_child: { leadS: 3.2, fromMps: 8 },
  deer_crossing: { leadS: 3.2, fromMps: 8 },
  dark_zebra: { leadS: 3.1, fromMps: 8 },
  cut_in: { leadS: 3.2, fromMps: 11.5 },
  sudden_stop: { leadS: 5, fromMps: 9 },
  fog_stall: STANDING,
  wet_crest: STANDING,
  red_light_lorry: { leadS: 4.8, fromMps: 5 },
  tram_crossing: { leadS: 4.8, fromMps: 4 },
  blind_crossing: ACROSS,
  left_turn_oncoming: ACROSS,
  downhill_stop: { leadS: 4.8, fromMps: 4 },
  ice_bend: ROAD,
  sharp_bend: ROAD,
  blind_stall: 'never',
};
/** Whether the road itself is the hazard: nothing is sent there. */
export const isRoadItself = (kind: HazardKind): boolean => ARMING[kind] === ROAD;
/** Whether the actor is sent for a moving car. */
export const isForMovingCars = (kind: HazardKind): boolean =>
  ARMING[kind] !== 'never' && ARMING[kind] !== STANDING && ARMING[kind] !== ROAD;
const RED_FROM_S = 4;
const RED_TO_S = 16;
const NEAR_M = 45;

/** Counts at one spot. */
interface SpotCounts {
  /** How often the actor was sent. */
  sent: number;
  /** Contacts with the actor, and with permanent bodies. */
  contacts: number;
}

/** A car that passed a spot, or had a contact there. */
export interface SpotPass {
  spot: number;
  car: number;
  /** Tick at which it was first seen on its way there. */
  sinceTick: number;
  armed: boolean;
  fired: boolean;
}

/** One car on its way to a spot. */
interface Approach {
  sinceTick: number;
  armed: boolean | undefined;
  fired: boolean;
}

/** Counts what happens at the spots of one world, once per frame. */
export class SpotTally {
  readonly #course: Course;
  readonly #kernel: Kernel;
  readonly #slab: Slab;
  readonly #world: SlabView;
  readonly #plan: SignalPlan;
  readonly #approaches = new Map<number, Approach>();
  /** By lane: the spots that it leads to. */
  readonly #spotsOn: ReadonlyMap<number, readonly number[]>;
  /** By spot: how often its actor had been sent before. */
  readonly #sentBefore: readonly number[];
  readonly #contacts: number[];

  /** Sees every pass as it ends. */
  readonly #onPass: (pass: SpotPass) => void;

  constructor(kernel: Kernel, slab: Slab, course: Course, onPass: (pass: SpotPass) => void) {
    this.#onPass = onPass;
    this.#kernel = kernel;
    this.#slab = slab;
    this.#course = course;
    this.#world = new SlabView(kernel.view(slab));
    this.#plan = new SignalPlan(course.city, kernel.view(slab));
    const leading = course.city.hazards.flatMap(({ site }, spot) =>
      site.lanes.map((lane) => ({ lane, spot })),
    );
    const byLane = Map.groupBy(leading, ({ lane }) => lane);
    this.#spotsOn = new Map(
      [...byLane].map(([lane, spots]) => [lane, spots.map(({ spot }) => spot)]),
    );
    this.#sentBefore = course.city.hazards.map((_, spot) => this.#actor(spot, A_SENT));
    this.#contacts = course.city.hazards.map(() => 0);
  }

  /** Steps the world by some ticks; `onContact` receives the contacts of each step. */
  run(ticks: number, onContact: (contacts: readonly ContactFacts[]) => void): void {
    const end = this.#kernel.tick(this.#slab) + ticks;
    while (this.#kernel.tick(this.#slab) < end) {
      const seen = this.#kernel.contactCount(this.#slab);
      const tick = this.#kernel.tick(this.#slab);
      this.#kernel.step(this.#slab, Math.min(FRAME_TICKS - (tick % FRAME_TICKS), end - tick));
      if (this.#kernel.contactCount(this.#slab) !== seen) {
        const news = this.#kernel.contacts(this.#slab, seen);
        for (const contact of news) this.#count(contact);
        onContact(news);
      }
      if (this.#kernel.tick(this.#slab) % FRAME_TICKS === 0) this.#look();
    }
  }

  countsOf(spot: number): SpotCounts {
    const sent = this.#actor(spot, A_SENT) - at(this.#sentBefore, spot);
    return { sent, contacts: at(this.#contacts, spot) };
  }

  #actor(spot: number, field: number): number {
    return this.#world.i32(HAZARDS + spot * HAZARD_BYTES + field, 0);
  }

  #count({ hazard, block, parties }: ContactFacts): void {
    const before = this.#contacts[hazard];
    if (before === undefined) return;
    this.#contacts[hazard] = before + 1;
    if (block >= 0) return;
    for (const { car } of parties) {
      const approach = this.#approaches.get(hazard * CAR_COUNT + car);
      if (approach) this.#finish(hazard, car, approach);
    }
  }

  /** Updates the cars on their way to a spot, and those of the previous frame. */
  #look(): void {
    const { hazards } = this.#course.city;
    for (const key of this.#approaches.keys()) {
      const [spot, car] = [Math.floor(key / CAR_COUNT), key % CAR_COUNT];
      const isThere = this.#spotsOn.get(this.#world.i32(C_LANE, car))?.includes(spot);
      if (!isThere) this.#lookAt(spot, at(hazards, spot), car);
    }
    for (let car = 0; car < CAR_COUNT; car++) {
      const spots = this.#spotsOn.get(this.#world.i32(C_LANE, car));
      for (const spot of spots ?? []) this.#lookAt(spot, at(hazards, spot), car);
    }
  }

  #lookAt(spot: number, hazard: HazardSpot, car: number): void {
    const key = spot * CAR_COUNT + car;
    const known = this.#approaches.get(key);
    const wayM = this.#wayTo(hazard, car);
    if (wayM === undefined) {
      if (known) this.#finish(spot, car, known);
      return;
    }
    const sinceTick = this.#kernel.tick(this.#slab);
    const approach = known ?? { armed: undefined, fired: false, sinceTick };
    if (!known && wayM > 0) this.#approaches.set(key, approach);
    const arming = ARMING[hazard.kind];
    if (arming === 'never') return;
    const speed = this.#world.real(C_VX, car);
    const state = this.#actor(spot, A_STATE);
    if (approach.armed === undefined && wayM < arming.leadS * speed) {
      approach.armed = speed >= arming.fromMps && this.#isReady(spot, hazard, car, wayM / speed);
    }
    if (arming === STANDING) {
      approach.fired ||= approach.armed === true;
    } else if (state === ACTOR_ACTS && this.#actor(spot, A_CAR) === car) {
      // A car that gives way to it would never be so near in time.
      if (arming === ACROSS) approach.armed ??= true;
      approach.fired = true;
    }
  }

  /** Whether the actor waits or stands for this car, and the light is such. */
  #isReady(spot: number, hazard: HazardSpot, car: number, arrivalS: number): boolean {
    const { kind, site } = hazard;
    if (kind === 'ice_bend') return this.#actor(spot, A_WAIT) !== 0;
    if (site.actor === null) return true;
    const state = this.#actor(spot, A_STATE);
    const tick = this.#kernel.tick(this.#slab);
    if (state === ACTOR_ACTS) return this.#actor(spot, A_CAR) === car;
    if (kind === 'red_light_lorry') {
      const light = at(this.#course.city.lanes, at(site.lanes, -1)).connector?.light ?? -1;
      const arrival = tick + arrivalS * TICKS_PER_S;
      for (let backS = 0; backS <= RED_FROM_S; backS++) {
        const then = Math.round(arrival - backS * TICKS_PER_S);
        if (this.#plan.state(light, then) !== LIGHT_RED) return false;
      }
      const before = Math.round(arrival - RED_TO_S * TICKS_PER_S);
      if (this.#plan.state(light, before) === LIGHT_RED || !this.#isFirst(hazard, car))
        return false;
    }
    // It comes only for whom it surprises.
    if (kind === 'wet_crest') return false;
    const arming = ARMING[kind];
    const isDue = tick >= this.#actor(spot, A_ARMED);
    if (arming !== STANDING && !WAITS_THERE.has(kind)) return state === ACTOR_WAITS && isDue;
    return state === ACTOR_STANDS && isDue && this.#actor(spot, A_STRUCK) === 0;
  }

  /** Whether only cars behind it on its lane are near the conflict point. */
  #isFirst({ x, y, site: { lanes } }: HazardSpot, car: number): boolean {
    const stationM = this.#world.real(C_STATION, car);
    for (let other = 0; other < CAR_COUNT; other++) {
      const isOnLane = this.#world.i32(C_LANE, other) === lanes[0];
      if (isOnLane && this.#world.real(C_STATION, other) <= stationM) continue;
      const awayM = Math.hypot(this.#world.real(C_X, other) - x, this.#world.real(C_Y, other) - y);
      if (isOnLane || awayM < NEAR_M) return false;
    }
    return true;
  }

  #finish(spot: number, car: number, { armed = false, fired, sinceTick }: Approach): void {
    this.#approaches.delete(spot * CAR_COUNT + car);
    this.#onPass({ spot, car, sinceTick, armed, fired });
  }

  /** m from the car's front to the conflict point, down to 3 m behind it, on a way that leads there. */
  #wayTo({ site }: HazardSpot, car: number): number | undefined {
    const lane = this.#world.i32(C_LANE, car);
    const index = site.lanes.indexOf(lane);
    if (index < 0 || this.#world.i32(C_STATUS, car) === STATUS_CRASHED) return undefined;
    const route = at(this.#course.city.routes, car);
    const position = this.#world.i32(C_ROUTE_INDEX, car);
    let wayM = site.stationM - this.#world.real(C_STATION, car);
    wayM -= NOSE_M[this.#world.i32(C_TYPE, car)] as number;
    for (let i = index + 1; i < site.lanes.length; i++) {
      if (route[(position + i - index) % route.length] !== site.lanes[i]) return undefined;
      wayM += this.#course.laneLengthM[at(site.lanes, i - 1)] as number;
    }
    return wayM > -3 ? wayM : undefined;
  }
}
