import { parseArgs } from 'node:util';
import {
  A_ARMED,
  A_CAR,
  A_SENT,
  A_STATE,
  A_STRUCK,
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
  TICK_MS,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { City, HazardKind, HazardSpot } from '../../city/types.ts';
import type { Kernel, Slab, SlabArrays } from '../../kernel/kernel.ts';
import type { ContactFacts } from '../../twin/incidents.ts';
import { type Course, courseOf, NOSE_M, SignalPlan } from './course.ts';
import { cities, makeKernel, makeWorld } from './kernel.ts';

const TICKS_PER_S = 1000 / TICK_MS;

/**
 * An armed pass: a car comes towards the conflict point of a spot whose actor was ready, not in a
 * pause, when the car was `leadS` away from it at its speed, and the car was as fast as `fromMps`
 * then. At a red light it also would have arrived 4 to 16 s into red, as the first, while no other
 * car was near: real traffic then crosses instead of the actor. Of what stands in the lane: it
 * stood there then. What comes from behind a car that has stalled has no armed passes.
 */
interface Arming {
  leadS: number;
  fromMps: number;
}

const ACROSS: Arming = { leadS: 3.3, fromMps: 4 };
const STANDING: Arming = { leadS: 1.2, fromMps: 4 };
const ARMING: Readonly<Partial<Record<HazardKind, Arming>>> = {
  parked_row_child: { leadS: 3.2, fromMps: 8 },
  deer_crossing: { leadS: 2.3, fromMps: 8 },
  dark_zebra: { leadS: 3.1, fromMps: 8 },
  cut_in: { leadS: 3.2, fromMps: 10.5 },
  sudden_stop: { leadS: 5, fromMps: 9 },
  fog_stall: STANDING,
  wet_crest: STANDING,
  red_light_lorry: { leadS: 4.8, fromMps: 5 },
  tram_crossing: { leadS: 4.8, fromMps: 4 },
  blind_crossing: ACROSS,
  left_turn_oncoming: ACROSS,
  downhill_stop: { leadS: 4.8, fromMps: 4 },
};
const RED_FROM_S = 4;
const RED_TO_S = 16;
const NEAR_M = 45;

/** Counts at one spot. */
export class SpotCounts {
  /** Cars that came by. */
  passes = 0;
  armed = 0;
  /** Armed passes for which the actor came, or in whose way it stood. */
  fired = 0;
  /** Times that the actor was sent at all. */
  sends = 0;
  /** Armed and fired passes that ended in a contact of this car with the actor. */
  hits = 0;
  /** Contacts with the actor, and with permanent bodies. */
  actorContacts = 0;
  bodyContacts = 0;
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
  readonly counts: SpotCounts[];
  readonly contacts: ContactFacts[] = [];
  readonly #course: Course;
  readonly #kernel: Kernel;
  readonly #slab: Slab;
  readonly #arrays: SlabArrays;
  readonly #plan: SignalPlan;
  readonly #routes: readonly (readonly number[])[];
  readonly #approaches = new Map<number, Approach>();
  /** By lane: the spots that it leads to. */
  readonly #spotsOn: ReadonlyMap<number, readonly number[]>;
  /** By spot: how often its actor had been sent in the previous frame. */
  readonly #sent: Int32Array;

  /** Sees every pass as it ends. */
  readonly #onPass: (pass: SpotPass) => void;

  constructor(
    kernel: Kernel,
    slab: Slab,
    course: Course,
    counts?: SpotCounts[],
    onPass: (pass: SpotPass) => void = () => {},
  ) {
    this.#onPass = onPass;
    this.#kernel = kernel;
    this.#slab = slab;
    this.#course = course;
    this.#arrays = kernel.view(slab);
    this.#plan = new SignalPlan(course.city, this.#arrays);
    this.#routes = course.city.routes;
    this.counts = counts ?? course.city.hazards.map(() => new SpotCounts());
    const leading = course.city.hazards.flatMap(({ site }, spot) =>
      site.lanes.map((lane) => ({ lane, spot })),
    );
    const byLane = Map.groupBy(leading, ({ lane }) => lane);
    this.#spotsOn = new Map(
      [...byLane].map(([lane, spots]) => [lane, spots.map(({ spot }) => spot)]),
    );
    this.#sent = Int32Array.from(this.counts, (_, spot) => this.#actor(spot, A_SENT));
  }

  /** Steps the world by some ticks; `onContact` receives the contacts of each step. */
  run(ticks: number, onContact?: (contacts: readonly ContactFacts[]) => void): void {
    const end = this.#kernel.tick(this.#slab) + ticks;
    while (this.#kernel.tick(this.#slab) < end) {
      const seen = this.#kernel.contactCount(this.#slab);
      const tick = this.#kernel.tick(this.#slab);
      this.#kernel.step(this.#slab, Math.min(FRAME_TICKS - (tick % FRAME_TICKS), end - tick));
      this.#countSends();
      if (this.#kernel.contactCount(this.#slab) !== seen) {
        const news = this.#kernel.contacts(this.#slab, seen);
        for (const contact of news) this.#count(contact);
        this.contacts.push(...news);
        onContact?.(news);
      }
      if (this.#kernel.tick(this.#slab) % FRAME_TICKS === 0) this.#look();
    }
  }

  #countSends(): void {
    for (let spot = 0; spot < this.counts.length; spot++) {
      const sent = this.#actor(spot, A_SENT);
      at(this.counts, spot).sends += sent - (this.#sent[spot] ?? 0);
      this.#sent[spot] = sent;
    }
  }

  #actor(spot: number, field: number): number {
    return this.#arrays.i32[(HAZARDS + spot * HAZARD_BYTES + field) / 4] as number;
  }

  #car(array: number, car: number): number {
    return this.#arrays.i32[array / 4 + car] as number;
  }

  #carF64(array: number, car: number): number {
    return this.#arrays.f64[array / 8 + car] as number;
  }

  #count({ hazard, block, parties }: ContactFacts): void {
    const counts = this.counts[hazard];
    if (!counts) return;
    if (block >= 0) {
      counts.bodyContacts++;
      return;
    }
    counts.actorContacts++;
    for (const { car } of parties) {
      const approach = this.#approaches.get(hazard * CAR_COUNT + car);
      if (!approach) continue;
      if (approach.armed && approach.fired) counts.hits++;
      this.#finish(hazard, car, approach);
    }
  }

  /** Updates the cars on their way to a spot, and those of the previous frame. */
  #look(): void {
    const { hazards } = this.#course.city;
    for (const key of this.#approaches.keys()) {
      const [spot, car] = [Math.floor(key / CAR_COUNT), key % CAR_COUNT];
      const isThere = this.#spotsOn.get(this.#car(C_LANE, car))?.includes(spot);
      if (!isThere) this.#lookAt(spot, at(hazards, spot), car);
    }
    for (let car = 0; car < CAR_COUNT; car++) {
      const spots = this.#spotsOn.get(this.#car(C_LANE, car));
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
    if (!arming) return;
    const speed = this.#carF64(C_VX, car);
    const state = this.#actor(spot, A_STATE);
    if (approach.armed === undefined && wayM < arming.leadS * speed) {
      approach.armed = speed >= arming.fromMps && this.#isReady(spot, hazard, car, wayM / speed);
    }
    if (arming === STANDING) {
      approach.fired ||= approach.armed === true;
    } else if (state === ACTOR_ACTS && this.#actor(spot, A_CAR) === car) approach.fired = true;
  }

  /** Whether the actor waits or stands for this car, and the light is such. */
  #isReady(spot: number, hazard: HazardSpot, car: number, arrivalS: number): boolean {
    const { kind, site } = hazard;
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
    const arming = ARMING[kind];
    const waitsInSight = arming === STANDING || kind === 'cut_in' || kind === 'sudden_stop';
    if (waitsInSight) return state === ACTOR_STANDS && this.#actor(spot, A_STRUCK) === 0;
    return state === ACTOR_WAITS && tick >= this.#actor(spot, A_ARMED);
  }

  /** Whether only cars behind it on its lane are near the conflict point. */
  #isFirst({ x, y, site: { lanes } }: HazardSpot, car: number): boolean {
    const stationM = this.#carF64(C_STATION, car);
    for (let other = 0; other < CAR_COUNT; other++) {
      const isOnLane = this.#car(C_LANE, other) === lanes[0];
      if (isOnLane && this.#carF64(C_STATION, other) <= stationM) continue;
      const awayM = Math.hypot(this.#carF64(C_X, other) - x, this.#carF64(C_Y, other) - y);
      if (isOnLane || awayM < NEAR_M) return false;
    }
    return true;
  }

  #finish(spot: number, car: number, { armed = false, fired, sinceTick }: Approach): void {
    this.#approaches.delete(spot * CAR_COUNT + car);
    const counts = at(this.counts, spot);
    counts.passes++;
    this.#onPass({ spot, car, sinceTick, armed, fired });
    if (!armed) return;
    counts.armed++;
    if (fired) counts.fired++;
  }

  /** m from the car's front to the conflict point, down to 3 m behind it, on a way that leads there. */
  #wayTo({ site }: HazardSpot, car: number): number | undefined {
    const lane = this.#car(C_LANE, car);
    const index = site.lanes.indexOf(lane);
    if (index < 0 || this.#car(C_STATUS, car) === STATUS_CRASHED) return undefined;
    const route = at(this.#routes, car);
    const position = this.#car(C_ROUTE_INDEX, car);
    let wayM = site.stationM - this.#carF64(C_STATION, car);
    wayM -= NOSE_M[this.#car(C_TYPE, car)] as number;
    for (let i = index + 1; i < site.lanes.length; i++) {
      if (route[(position + i - index) % route.length] !== site.lanes[i]) return undefined;
      wayM += this.#course.laneLengthM[at(site.lanes, i - 1)] as number;
    }
    return wayM > -3 ? wayM : undefined;
  }
}

/** Counts at the spots of a city over worlds of some seeds; `prepare` may switch features first. */
export function tallySpots(
  city: City,
  cityIndex: number,
  seeds: readonly number[],
  ticks: number,
  prepare: (kernel: Kernel, slab: Slab) => void = () => {},
): SpotCounts[] {
  const kernel = makeKernel(1);
  const course = courseOf(city, cityIndex);
  const counts = city.hazards.map(() => new SpotCounts());
  for (const seed of seeds) {
    const slab = makeWorld(kernel, seed, cityIndex);
    prepare(kernel, slab);
    new SpotTally(kernel, slab, course, counts).run(ticks);
    kernel.release(slab);
  }
  return counts;
}

function main(): void {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      seeds: { type: 'string', default: '1' },
    },
  });
  const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => i + 1);
  const minutes = Number(values.minutes);
  for (const [index, city] of cities.cities.entries()) {
    const counts = tallySpots(city, index, seeds, minutes * 60 * TICKS_PER_S);
    const hours = (minutes * seeds.length) / 60;
    const rows = city.hazards.map(({ id, kind }, spot) => {
      const { passes, armed, fired, sends, hits, actorContacts, bodyContacts } = at(counts, spot);
      const perHour = (count: number) => Number((count / hours).toFixed(1));
      return {
        spot: `${id} ${kind}`,
        'passes/h': perHour(passes),
        'armed/h': perHour(armed),
        'fired %': Math.round((100 * fired) / armed),
        'sends/h': perHour(sends),
        'hits of fired %': Math.round((100 * hits) / fired),
        'actor contacts/h': perHour(actorContacts),
        'body contacts/h': perHour(bodyContacts),
      };
    });
    console.log(`${city.name}, ${hours} h of 20 cars`);
    console.table(rows);
  }
}

if (import.meta.main) main();
