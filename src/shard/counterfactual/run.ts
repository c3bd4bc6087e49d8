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
  F_BRAKES,
  F_STEERING,
  F_THROTTLE,
  FRAME_TICKS,
  HAZARD_BYTES,
  HAZARD_MAX,
  HAZARDS,
} from '../../../assembly/layout.ts';
import type { SlabArrays } from '../../kernel/kernel.ts';
import { LEAD_TICKS_MAX } from '../../limits.ts';
import type { Explanation } from '../../twin/explanation.ts';
import type { Chain, ContactFacts } from '../../twin/incidents.ts';
import { type BodyNow, bodiesOf, carRow, speedOf } from './bodies.ts';
import type { Scene, Scratch, Slices } from './rewind.ts';
import {
  carsOf,
  explain,
  type Nearest,
  type Rerun,
  type RerunResult,
  untilTick,
} from './search.ts';
import { separation } from './separation.ts';

/**
 * Starts lie so long before the first contact: the first three at 8, 6 and 4 s, or all of them further
 * back, and then those that stand in for them.
 */
const LEADS = [LEAD_TICKS_MAX, 700, 600, 500, 400, 300, 200, 150, 125, 100, 75];
const START_COUNT = 7;
/** Where the third of the first three is at the latest. */
const THIRD = LEADS.indexOf(200);
/** A hazard is met from a little before it appears; a lane that is lost was being lost before, ticks. */
const HAZARD_LEAD_TICKS = 25;
const LANE_LEAD_TICKS = 100;
/** Before that the parties may have been close for reasons of their own, ticks. */
const NEAREST_TICKS = 100;
/** An actuator has acted once it has moved by so much. */
const BRAKE_MPS2 = 1;
const STEER_RAD = 0.01;
const DRIVE_MPS2 = 0.1;

/** The life that was lived again is not the one that was told of. */
export class AnotherLife extends Error {
  override readonly name = 'AnotherLife';
}

/** The last seconds before one incident, which can be lived again and again. */
export class IncidentReruns {
  readonly #scratch: Scratch;
  readonly #scene: Scene;
  readonly #chain: Chain;
  readonly #world: SlabArrays;
  readonly #bodies: readonly (readonly [BodyNow, BodyNow])[];
  /** States at the possible starts. */
  readonly #images = new Map<number, Uint8Array>();

  /** `scene` lies LEAD_TICKS_MAX before the first contact, or where the world begins. */
  constructor(scratch: Scratch, scene: Scene, chain: Chain, table: ArrayBuffer) {
    this.#scratch = scratch;
    this.#scene = scene;
    this.#chain = chain;
    this.#world = scratch.kernel.view(scratch.slab);
    this.#bodies = chain.map((contact) => bodiesOf(contact, table));
  }

  /**
   * Lives it as it was and chooses the starts by what it sees, the furthest first. Throws
   * AnotherLife where the collision does not happen.
   */
  *findStarts(): Slices<number[]> {
    const [first] = this.#chain;
    this.#scratch.restore(this.#scene);
    const begin = this.#scratch.tick;
    for (const lead of LEADS) {
      const tick = Math.max(begin, first.tick - lead);
      yield* this.#scratch.stepTo(tick);
      this.#images.set(tick, this.#scratch.kernel.image(this.#scratch.slab));
    }
    yield* this.#scratch.stepTo(first.tick - 1);
    const lead = first.tick - this.#triggerTick(begin);
    yield* this.#scratch.stepTo(first.tick);
    if (!this.#scratch.contacts.some((contact) => isSame(contact, first))) {
      throw new AnotherLife(`no such contact at tick ${first.tick}`);
    }
    const third = LEADS.findLastIndex((each, i) => i <= THIRD && each >= lead);
    const from = Math.max(0, third - 2);
    return LEADS.slice(from, from + START_COUNT).map((each) => Math.max(begin, first.tick - each));
  }

  /** When it began: a car lost its lane, or a hazard appeared that it met. */
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

  /** Lives it with features on, from one of the starts. */
  *run({ startTick, on }: Rerun): Slices<RerunResult> {
    const image = this.#images.get(startTick);
    if (image === undefined) throw new RangeError(`no start at ${startTick}`);
    this.#scratch.restore({ ...this.#scene, image });
    this.#scratch.switchOn(on);
    const until = untilTick(this.#chain);
    const cars = carsOf(this.#chain);
    const watch = new Watch(this.#world, this.#bodies, this.#chain, cars);
    const nearestFrom = this.#chain[0].tick - NEAREST_TICKS;
    const look = () => watch.look(this.#scratch.tick, this.#scratch.tick >= nearestFrom);
    yield* this.#scratch.stepTo(until, FRAME_TICKS, look);
    const { kernel, slab, contacts } = this.#scratch;
    return {
      contacts: [...contacts],
      acted: new Map(cars.map((car) => [car, kernel.acted(slab, car) | watch.moved(car)])),
      nearest: watch.nearest(),
    };
  }

  *explain(): Slices<Explanation> {
    const starts = yield* this.findStarts();
    const explaining = explain(this.#chain, starts);
    let asked = explaining.next();
    while (!asked.done) asked = explaining.next(yield* this.run(asked.value));
    return asked.value;
  }
}

/** What is noted of a re-run at its frames, as its replay shows them. */
class Watch {
  readonly #world: SlabArrays;
  readonly #bodies: readonly (readonly [BodyNow, BodyNow])[];
  readonly #chain: Chain;
  readonly #cars: readonly number[];
  readonly #moved = new Map<number, number>();
  readonly #steerAtFirst = new Map<number, number>();
  #nearest: Nearest[];

  constructor(
    world: SlabArrays,
    bodies: readonly (readonly [BodyNow, BodyNow])[],
    chain: Chain,
    cars: readonly number[],
  ) {
    this.#world = world;
    this.#bodies = bodies;
    this.#chain = chain;
    this.#cars = cars;
    for (const car of cars) this.#steerAtFirst.set(car, carRow(world, C_STEER, car));
    const none = { distanceM: Number.POSITIVE_INFINITY, speeds: new Map(), atEnd: false };
    this.#nearest = bodies.map(() => ({ ...none, fromPlaceM: new Map() }));
  }

  look(tick: number, isNearestWanted: boolean): void {
    for (const car of this.#cars) this.#lookAtActuators(car);
    if (!isNearestWanted) return;
    for (const [i, { fromPlaceM }] of this.#nearest.entries()) {
      const contact = this.#chain[i];
      if (contact === undefined || tick > contact.tick) continue;
      for (const car of this.#cars) fromPlaceM.set(car, this.#distance(car, contact));
    }
    this.#nearest = this.#nearest.map((known, i) => this.#nearer(known, i));
  }

  /** An actuator that works and moves makes a difference: without it the car would go on as it was. */
  #lookAtActuators(car: number): void {
    const effective = this.#world.i32[C_EFFECTIVE / 4 + car] ?? 0;
    const steer = carRow(this.#world, C_STEER, car) - (this.#steerAtFirst.get(car) ?? 0);
    let moved = this.moved(car);
    if (carRow(this.#world, C_BRAKE, car) > BRAKE_MPS2) moved |= effective & F_BRAKES;
    if (Math.abs(steer) > STEER_RAD) moved |= effective & F_STEERING;
    if (carRow(this.#world, C_DRIVE, car) > DRIVE_MPS2) moved |= effective & F_THROTTLE;
    this.#moved.set(car, moved);
  }

  /** From a car's centre of gravity to where a contact was, m. */
  #distance(car: number, { x, y }: ContactFacts): number {
    return Math.hypot(carRow(this.#world, C_X, car) - x, carRow(this.#world, C_Y, car) - y);
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
}

function isSame(a: ContactFacts, b: ContactFacts): boolean {
  const [a0, a1] = a.parties;
  const [b0, b1] = b.parties;
  const parties = a0.car === b0.car && a1.car === b1.car;
  return a.tick === b.tick && a.order === b.order && a.kind === b.kind && parties;
}
