import {
  C_LANE,
  C_STATION,
  C_TYPE,
  C_VX,
  CAR_COUNT,
  LIGHT_AMBER,
  LIGHT_RED,
  LIGHT_RED_AMBER,
  TICKS_PER_S,
} from '../../../assembly/layout.ts';
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import { amberChoice } from './amber.ts';
import { type Course, NOSE_M, SignalPlan } from './course.ts';
import type { DrivingTally } from './driving-tally.ts';
import { WorldProbe } from './world-probe.ts';

/**
 * Drivers decide every 80 ms, on the state of the tick before: a choice is right where it is that
 * of the rule at one of the ticks from the last of green on for 100 ms.
 */
const CHOICE_TICKS = 6;
/** A car that reaches its line later than this after amber has no choice to make, s. */
const BEYOND_AMBER_S = 3;
const GO = 1;
const STOP = 2;

/** Watches the stop lines of signals in one world: crossings, and choices at amber. */
export class SignalProbe extends WorldProbe {
  readonly #signals: SignalPlan;
  readonly #lane = new Int32Array(CAR_COUNT).fill(-1);
  /** The light at the end of each car's lane, −1 where there is none or it is passed. */
  readonly #ahead = new Int32Array(CAR_COUNT).fill(-1);
  /** Station at which each car's front bumper is over the line. */
  readonly #lineM = new Float64Array(CAR_COUNT);
  readonly #ambers: { light: number; tick: number }[];
  #nextAmber = 0;
  /** Choices that each car may make, GO or STOP or both; 0 if it has none to make. */
  readonly #allowed = new Int32Array(CAR_COUNT);
  readonly #asked: string[] = [];
  #asking: { car: number; light: number; until: number }[] = [];

  constructor(slab: SlabArrays, course: Course, tally: DrivingTally, name: string, tick: number) {
    super(slab, course, tally, name);
    this.#signals = new SignalPlan(course.city, slab);
    this.#ambers = course.city.lights.map((_, light) => ({
      light,
      tick: this.#signals.nextAmber(light, tick + 1),
    }));
    this.#plan();
    for (let car = 0; car < CAR_COUNT; car++) this.#enter(car);
  }

  look(tick: number): void {
    for (let car = 0; car < CAR_COUNT; car++) {
      if (this.i32(C_LANE, car) !== this.#lane[car]) this.#enter(car);
      const light = this.#ahead[car] as number;
      if (light < 0) continue;
      if (this.real(C_STATION, car) > (this.#lineM[car] as number)) {
        this.#cross(tick, car, light);
      }
    }
    if (tick + 1 === this.#nextAmber) this.#turnAmber(tick);
    if (this.#asking.length > 0) this.#ask(tick);
  }

  /** Settles the choices of those that stand at their lines when the drive ends. */
  finish(tick: number): void {
    for (let car = 0; car < CAR_COUNT; car++) {
      const light = this.#ahead[car] as number;
      if (light >= 0 && this.#signals.state(light, tick) !== LIGHT_AMBER) this.#chose(car, STOP);
    }
  }

  #plan(): void {
    this.#nextAmber = Math.min(...this.#ambers.map(({ tick }) => tick));
  }

  #enter(car: number): void {
    const lane = this.i32(C_LANE, car);
    const nose = NOSE_M[this.i32(C_TYPE, car)] as number;
    const lineM = (this.course.laneLengthM[lane] as number) - nose;
    const isAhead = lineM >= this.real(C_STATION, car);
    this.#lane[car] = lane;
    this.#lineM[car] = lineM;
    this.#ahead[car] = isAhead ? (this.course.lightOf[this.nextLane(car)] as number) : -1;
    this.#allowed[car] = 0;
  }

  #cross(tick: number, car: number, light: number): void {
    const state = this.#signals.state(light, tick);
    this.#ahead[car] = -1;
    this.tally.arrivals += 1;
    if (state === LIGHT_RED || state === LIGHT_RED_AMBER) {
      this.tally.redCrossings += 1;
      this.tally.example('crossed on red', this.where(tick, car));
    }
    this.#chose(car, state === LIGHT_AMBER || state === LIGHT_RED ? GO : STOP);
  }

  /** On the last tick of green: the first car of each approach lane has a choice to make. */
  #turnAmber(tick: number): void {
    for (const amber of this.#ambers) {
      if (amber.tick !== tick + 1) continue;
      amber.tick = this.#signals.nextAmber(amber.light, tick + 1);
      const { lanes = [], amberTicks = 0 } = this.course.city.lights[amber.light] ?? {};
      for (const lane of lanes) {
        const car = this.#firstOn(lane, amber.light);
        if (car < 0) continue;
        const reachS = amberTicks / TICKS_PER_S + BEYOND_AMBER_S;
        if (this.#leftM(car) > this.real(C_VX, car) * reachS) continue;
        this.#chose(car, STOP);
        this.#asking.push({ car, light: amber.light, until: tick + CHOICE_TICKS });
        const speed = this.real(C_VX, car).toFixed(2);
        const left = this.#leftM(car).toFixed(2);
        this.#asked[car] = `${this.where(tick, car)}, ${speed} m/s, ${left} m before the line`;
      }
    }
    this.#plan();
  }

  #firstOn(lane: number, light: number): number {
    let first = -1;
    for (let car = 0; car < CAR_COUNT; car++) {
      if (this.#lane[car] !== lane || this.#ahead[car] !== light) continue;
      if (first < 0 || this.#leftM(car) < this.#leftM(first)) first = car;
    }
    return first;
  }

  #leftM(car: number): number {
    return (this.#lineM[car] as number) - this.real(C_STATION, car);
  }

  #ask(tick: number): void {
    this.#asking = this.#asking.filter(({ until }) => tick < until);
    for (const { car, light } of this.#asking) {
      if (this.#ahead[car] !== light) continue;
      const amberS = (this.course.city.lights[light]?.amberTicks ?? 0) / TICKS_PER_S;
      const choice = amberChoice(this.real(C_VX, car), this.#leftM(car), amberS);
      this.#allowed[car] = (this.#allowed[car] as number) | (choice === 'go' ? GO : STOP);
    }
  }

  #chose(car: number, choice: number): void {
    const allowed = this.#allowed[car] as number;
    if (allowed === 0) return;
    this.#allowed[car] = 0;
    const tally = this.tally;
    tally.choices += 1;
    if (choice === GO) tally.goes += 1;
    if ((allowed & choice) !== 0) return;
    if (choice === GO) tally.wrongGoes += 1;
    else tally.wrongStops += 1;
    const what = choice === GO ? 'went where the rule stops' : 'stopped where the rule goes';
    tally.example(what, this.#asked[car] ?? '');
  }
}
