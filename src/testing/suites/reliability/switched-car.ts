import { expect } from 'vitest';
import { F_ALL } from '../../../../assembly/layout.ts';
import { systemTime } from '../../../time.ts';
import { FEATURE_NAMES, type FeatureName, featureBit } from '../../../twin/catalogue.ts';
import { applyChange } from '../../../twin/journal.ts';
import { Dice } from '../../rigs/dice.ts';
import { until } from '../../rigs/until.ts';
import type { FeatureState } from '../twin/wire.ts';
import {
  type Answer,
  type Ask,
  ask,
  askLate,
  changesOf,
  expectRefusal,
  journalOf,
  makeWorld,
  type World,
} from './client.ts';

/** What an answer says that cannot tell. */
const MAY_BE_DONE = 'may have been made';

interface Operation {
  path: string;
  asking: Ask;
  /** Feature masks. */
  touched: number;
  values: number;
}

/**
 * A car whose features only this object switches, one operation at a time, and what is known of
 * them: an answered operation has happened or has not; one without an answer may have.
 */
export class SwitchedCar {
  readonly vin: string;
  /** Declared features as masks: at first, and after each operation that changed them. */
  readonly history: number[] = [F_ALL];
  acknowledged = 0;
  refused = 0;
  /** Declared features, all that was acknowledged included. */
  #declared = F_ALL;
  /** The same with an operation whose answer never came. */
  #orElse: number | undefined;

  /** `declared`: what the first change made of the car before anybody else could. */
  constructor(vin: string, declared = F_ALL) {
    this.vin = vin;
    this.#become(declared);
  }

  /** One operation. False where its answer never came, or did not tell whether it was done. */
  async switch(base: string, dice: Dice): Promise<boolean> {
    if (this.#orElse !== undefined) throw new Error('look at the car first');
    const operation = anyOperation(dice);
    const { path, asking, touched, values } = operation;
    const after = applyChange(this.#declared, { tick: 0, car: 0, touched, values });
    this.#orElse = after;
    let answer: Answer;
    try {
      answer = await ask(base, path, { ...asking, vin: this.vin });
    } catch (error) {
      // The connection has ended; anything else is a fault of the answer.
      if (!(error instanceof TypeError)) throw error;
      return false;
    }
    if (answer.status === 503 && answer.text.includes(MAY_BE_DONE)) {
      expectRefusal(answer);
      return false;
    }
    this.#orElse = undefined;
    if (answer.status === 200) {
      this.acknowledged++;
      this.#become(after);
      expectSays(answer.text, operation, after);
    } else {
      this.refused++;
      expectRefusal(answer);
    }
    return true;
  }

  /** The features that a node declares must be what is known; from here on they are known. */
  settle(declared: Readonly<Record<string, boolean>>): void {
    const mask = maskOf(declared);
    const known = this.#orElse === undefined ? [this.#declared] : [this.#declared, this.#orElse];
    expect(known).toContain(mask);
    this.#become(mask);
    this.#orElse = undefined;
  }

  #become(mask: number): void {
    if (mask !== this.#declared) this.history.push(mask);
    this.#declared = mask;
  }
}

/** One operation, after which the car is known: a busy machine may not tell in time if it was done. */
export async function switchAndLook(base: string, car: SwitchedCar, dice: Dice): Promise<void> {
  if (!(await car.switch(base, dice))) car.settle(await declaredOf(base, car.vin));
}

/** The first cars of a new world. */
export function firstCars({ fleet }: World, count: number, declared = F_ALL): SwitchedCar[] {
  return fleet.slice(0, count).map(({ vin }) => new SwitchedCar(vin, declared));
}

/** A world with the cars of it that are switched. */
export interface Site {
  world: World;
  cars: SwitchedCar[];
}

/** New worlds of several ages, with the first cars of each. */
export function makeSites(base: string, worldCount: number, carCount: number): Promise<Site[]> {
  return Promise.all(
    Array.from({ length: worldCount }, async (_, i) => {
      const world = await makeWorld(base, { seed: i, start_tick: 100 * i });
      return { world, cars: firstCars(world, carCount) };
    }),
  );
}

const PAUSE_MS = 5;

/**
 * Switches cars at once, one operation of each at a time, until the result is called or an
 * operation has no answer.
 */
export function switchOn(base: string, cars: readonly SwitchedCar[], seed = 0) {
  let isOver = false;
  const loops = cars.map(async (car, i) => {
    const dice = new Dice(1000 * seed + i);
    while (!isOver && (await car.switch(base, dice))) await systemTime.sleep(PAUSE_MS);
  });
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}

export const acknowledgedOf = (cars: readonly SwitchedCar[]) =>
  cars.reduce((sum, { acknowledged }) => sum + acknowledged, 0);

/** Waits for so many more acknowledged operations. */
export async function moreAcknowledged(cars: readonly SwitchedCar[], count: number): Promise<void> {
  const wanted = acknowledgedOf(cars) + count;
  await until(`${count} acknowledged changes`, () => acknowledgedOf(cars) >= wanted);
}

/**
 * What a node declares, told by the cars and by the journal alike, must be all that was
 * acknowledged, each change whole, and nothing that was refused. `cars` are the first of the world.
 */
export async function expectSwitched(
  base: string,
  world: World,
  cars: readonly SwitchedCar[],
): Promise<void> {
  const changes = changesOf(await journalOf(base, world));
  for (const [index, car] of cars.entries()) {
    car.settle(await declaredOf(base, car.vin));
    const masks = [F_ALL];
    for (const change of changes.filter((each) => each.car === index)) {
      const before = masks.at(-1) ?? 0;
      const after = applyChange(before, change);
      if (after !== before) masks.push(after);
    }
    expect(masks).toEqual(car.history);
  }
}

export async function declaredOf(base: string, vin: string): Promise<Record<string, boolean>> {
  const { body } = await askLate(base, '/api/v1/vehicle/features', { vin });
  return (body as FeatureState).declared;
}

/** The answer to an operation says how the car is switched after it. */
function expectSays(text: string, { path }: Operation, after: number): void {
  const { declared, name, enabled } = JSON.parse(text);
  if (declared !== undefined) expect(maskOf(declared)).toBe(after);
  else expect(enabled, path).toBe((after & bitOf(name)) !== 0);
}

function anyOperation(dice: Dice): Operation {
  const kind = dice.below(10);
  if (kind === 0) return reset();
  return kind < 4 ? put(dice) : patch(dice);
}

function reset(): Operation {
  const path = '/api/v1/vehicle/features/reset';
  return { path, asking: { method: 'POST' }, touched: F_ALL, values: F_ALL };
}

function put(dice: Dice): Operation {
  const name = dice.pick(FEATURE_NAMES);
  const enabled = dice.below(2) === 1;
  return {
    path: `/api/v1/vehicle/features/${name}`,
    asking: { method: 'PUT', json: { enabled } },
    touched: bitOf(name),
    values: enabled ? bitOf(name) : 0,
  };
}

/** One to five features at once. */
function patch(dice: Dice): Operation {
  const json: Partial<Record<FeatureName, boolean>> = {};
  for (let count = 1 + dice.below(5); count > 0; count--) {
    json[dice.pick(FEATURE_NAMES)] = dice.below(2) === 1;
  }
  const touched = Object.keys(json).reduce((mask, name) => mask | bitOf(name), 0);
  return {
    path: '/api/v1/vehicle/features',
    asking: { method: 'PATCH', json },
    touched,
    values: maskOf(json),
  };
}

function bitOf(name: string): number {
  return featureBit(name) ?? 0;
}

function maskOf(switches: Readonly<Record<string, boolean>>): number {
  return Object.entries(switches).reduce((mask, [name, on]) => mask | (on ? bitOf(name) : 0), 0);
}
