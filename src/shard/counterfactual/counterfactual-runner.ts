import {
  A_CAR,
  A_SINCE,
  A_STATE,
  ACTOR_WAITS,
  C_BRAKE,
  C_DRIVE,
  C_EFFECTIVE,
  C_HALT_TICK,
  C_STEER,
  C_X,
  C_Y,
  CHAIN_TICKS,
  F_BRAKES,
  F_STEERING,
  F_THROTTLE,
  FRAME_TICKS,
  HAZARD_BYTES,
  HAZARD_MAX,
  HAZARDS,
} from '../../../assembly/layout.ts';
import { realOf, type SlabArrays } from '../../kernel/slab-arrays.ts';
import { LEAD_TICKS_MAX } from '../../limits.ts';
import { INCIDENT_END_TICKS, settled } from '../../twin/contact-records.ts';
import type { Explanation } from '../../twin/explanation.ts';
import type { ContactFacts, IncidentContacts } from '../../twin/incidents.ts';
import { type Bodies, bodiesOf, speedOf } from './bodies.ts';
import {
  type CounterfactualRun,
  CounterfactualSearch,
  carsOf,
  contactsBetween,
  type Nearest,
  type RunResult,
  STOPPED_MPS,
  untilTick,
} from './counterfactual-search.ts';
import type { Rewind, RewindStart, Slices } from './rewind.ts';
import { separation } from './separation.ts';

/**
 * How long before the first contact a re-run may start, ticks. The first three starts are 8, 6 and
 * 4 s before it, or earlier. The later ones replace starts from which the cars miss each other by
 * chance.
 */
const LEADS = [LEAD_TICKS_MAX, 700, 600, 500, 400, 300, 200, 150, 125, 100, 75];
const START_COUNT = 7;
/** Index of the latest position of the third start. */
const THIRD = LEADS.indexOf(200);
/** Re-runs start this long before a hazard appears, or before a car loses its lane, ticks. */
const HAZARD_LEAD_TICKS = 25;
const LANE_LEAD_TICKS = 100;
/** Parties that still approach each other at the end are observed for so long, ticks. */
const LATER_TICKS = CHAIN_TICKS;
/** The closest approach is measured from this long before the first contact, ticks. */
const NEAREST_TICKS = 100;
/** An actuator has acted if it moved by this much. */
const BRAKE_MPS2 = 1;
const STEER_RAD = 0.01;
const DRIVE_MPS2 = 0.1;

/** The re-run diverged from the recorded collision. */
export class DivergedRun extends Error {
  override readonly name = 'DivergedRun';
}

/** Re-runs the seconds before one incident, with features switched on. */
export class CounterfactualRunner {
  readonly #rewind: Rewind;
  readonly #start: RewindStart;
  readonly #chain: IncidentContacts;
  readonly #world: SlabArrays;
  readonly #bodies: readonly Bodies[];
  /** The states at the possible starts, by tick. */
  readonly #images = new Map<number, Uint8Array>();

  /** `start`: LEAD_TICKS_MAX before the first contact, or at the beginning of the world. */
  constructor(rewind: Rewind, start: RewindStart, chain: IncidentContacts, table: ArrayBuffer) {
    this.#rewind = rewind;
    this.#start = start;
    this.#chain = chain;
    this.#world = rewind.kernel.view(rewind.slab);
    this.#bodies = chain.map((contact) => bodiesOf(contact, table));
  }

  /**
   * Re-runs the recorded seconds once and chooses the starts, earliest first: before a car lost its
   * lane or met a hazard. Throws DivergedRun if the collision does not happen again.
   */
  *findStarts(): Slices<number[]> {
    const [first] = this.#chain;
    this.#rewind.restore(this.#start);
    const begin = this.#rewind.tick;
    for (const lead of LEADS) {
      const tick = Math.max(begin, first.tick - lead);
      yield* this.#rewind.stepTo(tick);
      this.#images.set(tick, this.#rewind.kernel.image(this.#rewind.slab));
    }
    yield* this.#rewind.stepTo(first.tick - 1);
    // Equal whichever state the re-run begins from.
    const lead = first.tick - this.#triggerTick(Math.max(begin, first.tick - LEAD_TICKS_MAX));
    yield* this.#rewind.stepTo(first.tick);
    if (!settled(this.#rewind.records).some((contact) => isSame(contact, first))) {
      throw new DivergedRun(`the re-run has no such contact at tick ${first.tick}`);
    }
    const third = LEADS.findLastIndex((each, i) => i <= THIRD && each >= lead);
    const from = Math.max(0, third - 2);
    return LEADS.slice(from, from + START_COUNT).map((each) => Math.max(begin, first.tick - each));
  }

  /** The tick at which a car lost its lane, or a hazard appeared that it met. */
  #triggerTick(begin: number): number {
    const { i32 } = this.#world;
    const cars = carsOf(this.#chain);
    const lost = cars
      .map((car) => i32[C_HALT_TICK / 4 + car] ?? 0)
      .filter((tick) => tick > begin)
      .map((tick) => tick - LANE_LEAD_TICKS);
    const met = Array.from({ length: HAZARD_MAX }, (_, spot) => {
      const at = (HAZARDS + spot * HAZARD_BYTES) / 4;
      const isMet =
        this.#chain.some(({ hazard }) => hazard === spot) ||
        cars.includes(i32[at + A_CAR / 4] ?? -1);
      const isThere = i32[at + A_STATE / 4] !== ACTOR_WAITS;
      return isMet && isThere ? (i32[at + A_SINCE / 4] ?? 0) - HAZARD_LEAD_TICKS : 0;
    }).filter((tick) => tick > begin);
    return Math.min(this.#chain[0].tick, ...lost, ...met);
  }

  /** One re-run with features on, from one of the starts. */
  *run({ startTick, on }: CounterfactualRun): Slices<RunResult> {
    const image = this.#images.get(startTick);
    if (image === undefined) throw new RangeError(`no start at ${startTick}`);
    this.#rewind.restore({ ...this.#start, image });
    this.#rewind.switchOn(on);
    const until = untilTick(this.#chain);
    const cars = carsOf(this.#chain);
    const observer = new Observer(this.#world, this.#bodies, this.#chain);
    const nearestFrom = this.#chain[0].tick - NEAREST_TICKS;
    const inspect = () => observer.inspect(this.#rewind.tick, this.#rewind.tick >= nearestFrom);
    yield* this.#rewind.stepTo(until, FRAME_TICKS, inspect);
    const { kernel, slab, records } = this.#rewind;
    const acted = new Map(cars.map((car) => [car, kernel.acted(slab, car) | observer.moved(car)]));
    const between = () => contactsBetween(this.#chain, settled(records));
    // Wrecks that push each other have crash pulses until long after their last contact.
    const last = between().findLast(({ tick }) => tick <= until);
    if (last !== undefined) yield* this.#rewind.stepTo(last.tick + INCIDENT_END_TICKS);
    else if (observer.isApproaching) yield* this.#rewind.stepTo(until + LATER_TICKS);
    return {
      contacts: settled(records).filter(({ tick }) => tick <= until),
      ...{ acted, nearest: observer.nearest() },
      collidesLater: last === undefined && between().length > 0,
    };
  }

  *explain(): Slices<Explanation> {
    const starts = yield* this.findStarts();
    const search = new CounterfactualSearch(this.#chain, starts).run();
    let asked = search.next();
    while (!asked.done) asked = search.next(yield* this.run(asked.value));
    return asked.value;
  }
}

/** Measures a re-run at each frame: a replay shows the same moments. */
class Observer {
  readonly #world: SlabArrays;
  readonly #bodies: readonly Bodies[];
  readonly #chain: IncidentContacts;
  readonly #cars: readonly number[];
  readonly #moved = new Map<number, number>();
  readonly #steerAtFirst = new Map<number, number>();
  #nearest: Nearest[];

  constructor(world: SlabArrays, bodies: readonly Bodies[], chain: IncidentContacts) {
    this.#world = world;
    this.#bodies = bodies;
    this.#chain = chain;
    this.#cars = carsOf(chain);
    for (const car of this.#cars) this.#steerAtFirst.set(car, realOf(world, C_STEER, car));
    const none = { distanceM: Number.POSITIVE_INFINITY, speeds: new Map(), atEnd: false };
    this.#nearest = bodies.map(() => ({ ...none, fromPlaceM: new Map() }));
  }

  inspect(tick: number, isNearestWanted: boolean): void {
    for (const car of this.#cars) this.#inspectActuators(car);
    if (!isNearestWanted) return;
    for (const [i, { fromPlaceM }] of this.#nearest.entries()) {
      const contact = this.#chain[i];
      if (contact === undefined || tick > contact.tick) continue;
      for (const car of this.#cars) fromPlaceM.set(car, this.#distance(car, contact));
    }
    this.#nearest = this.#nearest.map((known, i) => this.#nearer(known, i));
  }

  /** An effective actuator that moves makes a difference to the car. */
  #inspectActuators(car: number): void {
    const effective = this.#world.i32[C_EFFECTIVE / 4 + car] ?? 0;
    const steer = realOf(this.#world, C_STEER, car) - (this.#steerAtFirst.get(car) ?? 0);
    let moved = this.moved(car);
    if (realOf(this.#world, C_BRAKE, car) > BRAKE_MPS2) moved |= effective & F_BRAKES;
    if (Math.abs(steer) > STEER_RAD) moved |= effective & F_STEERING;
    if (realOf(this.#world, C_DRIVE, car) > DRIVE_MPS2) moved |= effective & F_THROTTLE;
    this.#moved.set(car, moved);
  }

  /** From a car's centre of gravity to where a contact was, m. */
  #distance(car: number, { x, y }: ContactFacts): number {
    return Math.hypot(realOf(this.#world, C_X, car) - x, realOf(this.#world, C_Y, car) - y);
  }

  #nearer(known: Nearest, i: number): Nearest {
    const [a, b] = (this.#bodies[i] ?? []).map((body) => body(this.#world));
    if (a === undefined || b === undefined) return known;
    const distanceM = separation(a, b);
    if (distanceM >= known.distanceM) return known.atEnd ? { ...known, atEnd: false } : known;
    const speeds = new Map(this.#cars.map((car) => [car, speedOf(this.#world, car)]));
    return { distanceM, speeds, atEnd: true, fromPlaceM: known.fromPlaceM };
  }

  moved(car: number): number {
    return this.#moved.get(car) ?? 0;
  }

  nearest(): Nearest[] {
    return this.#nearest;
  }

  /** Whether two parties have never been nearer, unless all cars have stopped and nothing else moves. */
  get isApproaching(): boolean {
    return this.#nearest.some(({ atEnd, speeds }, i) => {
      const hasActor = (this.#chain[i]?.hazard ?? -1) >= 0;
      return atEnd && (hasActor || [...speeds.values()].some((speed) => speed >= STOPPED_MPS));
    });
  }
}

function isSame(a: ContactFacts, b: ContactFacts): boolean {
  const [a0, a1] = a.parties;
  const [b0, b1] = b.parties;
  const parties = a0.car === b0.car && a1.car === b1.car;
  return a.tick === b.tick && a.order === b.order && a.kind === b.kind && parties;
}
