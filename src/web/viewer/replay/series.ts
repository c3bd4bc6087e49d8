/** What a car did over a replay, as plots show it. */

import { KMH_PER_MPS } from '../../common/units.ts';
import { accelerationBetween, SPAN_FRAMES } from '../acceleration.ts';
import type { Incident, MapRoad, Snapshot, Vehicle } from '../api/types.ts';

export interface Sample {
  tick: number;
  kmh: number;
  /** m/s²; null in the first frames and across an impact. */
  acceleration: number | null;
}

export function samplesOf(frames: readonly Snapshot[], vin: string): Sample[] {
  const cars = frames.flatMap(({ tick, vehicles }) => {
    const car = vehicles.find((each) => each.vin === vin);
    return car === undefined ? [] : [{ tick, speed: car.speed }];
  });
  return cars.map(({ tick, speed }, i) => {
    const before = cars[i - SPAN_FRAMES];
    const acceleration = before ? accelerationBetween(before, { tick, speed }) : null;
    return { tick, kmh: speed * KMH_PER_MPS, acceleration };
  });
}

/** The speed limit of the street on which the first vehicle of an incident was last before it, km/h. */
export function limitOf(
  { vehicles, tick }: Incident,
  frames: readonly Snapshot[],
  roads: readonly MapRoad[],
): number | null {
  const vin = vehicles[0]?.vin;
  for (const frame of frames.filter((each) => each.tick <= tick).toReversed()) {
    const road = frame.vehicles.find((each) => each.vin === vin)?.road;
    // At a junction a car is on none.
    const limit = roads.find(({ id }) => id === road)?.speed_limit;
    if (limit !== undefined) return limit * KMH_PER_MPS;
  }
  return null;
}

/** An assistant that acts, from one tick to another. */
export interface Action {
  name: 'AEB' | 'ESC' | 'Evading' | 'Braking';
  fromTick: number;
  toTick: number;
}

const ACTIONS: readonly (readonly [Action['name'], (car: Vehicle) => boolean])[] = [
  ['AEB', ({ aeb }) => aeb],
  ['ESC', ({ esc }) => esc],
  ['Evading', ({ evasive }) => evasive],
  ['Braking', ({ braking, aeb }) => braking && !aeb],
];

/** What acted in a car, and when; in the order in which it began. */
export function actionsOf(frames: readonly Snapshot[], vin: string): Action[] {
  const found: Action[] = [];
  for (const [name, acts] of ACTIONS) {
    let current: Action | undefined;
    for (const { tick, vehicles } of frames) {
      const car = vehicles.find((each) => each.vin === vin);
      if (car === undefined || !acts(car)) current = undefined;
      else if (current !== undefined) current.toTick = tick;
      else {
        current = { name, fromTick: tick, toTick: tick };
        found.push(current);
      }
    }
  }
  return found.toSorted((a, b) => a.fromTick - b.fromTick);
}
