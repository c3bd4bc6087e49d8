import { formatRequest } from '../../bench/common/http-pool.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Answer } from '../../bench/common/response-parser.ts';
import { featureBit } from '../../src/twin/catalogue.ts';
import type { Change } from '../../src/twin/journal.ts';

/** Most cars move otherwise from the next frame on, so a snapshot that lacks a change is another one. */
const FEATURE = 'throttle';
const FEATURES = '/api/v1/vehicle/features';
const ANY_HOST = new URL('http://127.0.0.1');
const BIT = featureBit(FEATURE) ?? 0;
/** In the hint of an answer that cannot tell whether a change was made. */
const MAY_BE_MADE = 'may have been made';

interface Car {
  vin: string;
  world: string;
  /** In the fleet. */
  index: number;
  isOn: boolean;
  /** Values that were acknowledged since `begin`, in order; each differs from the one before. */
  acknowledged: boolean[];
  /** A value whose outcome nobody knows. The car is not changed again until that is known. */
  unknown: boolean | undefined;
  isUnderWay: boolean;
}

/** What journals say of the cars that were changed. */
export interface Checked {
  right: number;
  /** Cars whose journal lacks an acknowledged change, or has one that was refused. */
  wrong: number;
  /** Changes that may have been made, and of these those that were. */
  unknown: number;
  made: number;
}

/**
 * Changes of cars in turn, each of which changes something. So the journal of a world must have every
 * acknowledged change and no refused one.
 */
export class CarChanges {
  acknowledged = 0;
  refused = 0;
  readonly #cars: Car[];
  readonly #sent = new Map<number, Car>();
  /** By world: how many changes its journal had at the beginning. */
  readonly #before = new Map<string, number>();
  #next = 0;

  constructor(worlds: readonly MadeWorld[]) {
    this.#cars = worlds.flatMap(({ id, vins }) =>
      vins.map((vin, index) => ({
        ...{ vin, world: id, index, isOn: true },
        ...{ acknowledged: [], unknown: undefined, isUnderWay: false },
      })),
    );
  }

  /** Begins anew after what a journal has. */
  begin(world: string, changes: readonly Change[]): void {
    this.#before.set(world, changes.length);
    for (const car of this.#cars.filter((each) => each.world === world)) {
      car.acknowledged = [];
      car.unknown = undefined;
      car.isUnderWay = false;
      car.isOn = valuesOf(car, changes).at(-1) ?? true;
    }
  }

  /** A change of the next car; a read, where all of them wait. */
  readonly request = (index: number): Buffer => {
    const car = this.#nextCar();
    if (car === undefined) return formatRequest(ANY_HOST, 'GET', '/api/v1/cities');
    car.isUnderWay = true;
    this.#sent.set(index, car);
    const body = JSON.stringify({ [FEATURE]: !car.isOn });
    return formatRequest(ANY_HOST, 'PATCH', FEATURES, { 'X-VIN': car.vin }, body);
  };

  #nextCar(): Car | undefined {
    for (let tries = 0; tries < this.#cars.length; tries++) {
      const car = this.#cars[this.#next++ % this.#cars.length] as Car;
      if (!car.isUnderWay && car.unknown === undefined) return car;
    }
    return undefined;
  }

  /** The world of the car that a request changes, until it is answered; undefined: it changes none. */
  worldOf(index: number): string | undefined {
    return this.#sent.get(index)?.world;
  }

  readonly answered = (index: number, answer: Answer | undefined): void => {
    const car = this.#sent.get(index);
    this.#sent.delete(index);
    if (car === undefined) return;
    car.isUnderWay = false;
    if (answer?.status === 200) {
      this.acknowledged++;
      car.isOn = !car.isOn;
      car.acknowledged.push(car.isOn);
    } else if (answer !== undefined && !String(answer.body).includes(MAY_BE_MADE)) {
      this.refused++;
    } else car.unknown = !car.isOn;
  };

  /** @param changes the whole journal of a world */
  check(world: string, changes: readonly Change[]): Checked {
    const checked = { right: 0, wrong: 0, unknown: 0, made: 0 };
    const later = changes.slice(this.#before.get(world) ?? 0);
    for (const car of this.#cars.filter((each) => each.world === world)) {
      const found = valuesOf(car, later);
      const { acknowledged, isUnderWay } = car;
      const unknown = isUnderWay ? !car.isOn : car.unknown;
      const isMade = unknown !== undefined && found.length === acknowledged.length + 1;
      const expected = isMade ? [...acknowledged, unknown] : acknowledged;
      if (found.join() === expected.join()) checked.right++;
      else checked.wrong++;
      if (unknown !== undefined) checked.unknown++;
      if (isMade) checked.made++;
    }
    return checked;
  }

  /** Acknowledged changes that a journal lacks: a store that loses its last writes loses them. */
  lostIn(world: string, changes: readonly Change[]): number {
    const later = changes.slice(this.#before.get(world) ?? 0);
    return this.#cars
      .filter((each) => each.world === world)
      .reduce((sum, car) => {
        const missing = car.acknowledged.length - valuesOf(car, later).length;
        return sum + Math.max(0, missing);
      }, 0);
  }
}

function valuesOf({ index }: Car, changes: readonly Change[]): boolean[] {
  return changes
    .filter(({ car, touched }) => car === index && (touched & BIT) !== 0)
    .map(({ values }) => (values & BIT) !== 0);
}
