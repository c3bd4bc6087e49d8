/** What a car did over a replay, as plots show it. */
import { type Snapshot, TICKS_PER_S, type Vehicle } from '../api/types.ts';
import { KMH_PER_MPS } from '../formatting.ts';

/** Speeds have a resolution of 1 cm/s: over fewer frames, their difference is mostly rounding. */
const SPAN_FRAMES = 3;
/** m/s². What exceeds it is an impact. */
const ACCELERATION_MAX = 12;

export interface Sample {
  tick: number;
  kmh: number;
  /** m/s²; null across an impact. */
  acceleration: number | null;
}

export function samplesOf(frames: readonly Snapshot[], vin: string): Sample[] {
  const cars = frames.flatMap(({ tick, vehicles }) => {
    const car = vehicles.find((each) => each.vin === vin);
    return car === undefined ? [] : [{ tick, speed: car.speed }];
  });
  return cars.map(({ tick, speed }, i) => {
    const before = cars[Math.max(0, i - SPAN_FRAMES)];
    const seconds = (tick - (before?.tick ?? tick)) / TICKS_PER_S;
    const rate = seconds > 0 ? (speed - (before?.speed ?? speed)) / seconds : 0;
    const acceleration = Math.abs(rate) > ACCELERATION_MAX ? null : rate;
    return { tick, kmh: speed * KMH_PER_MPS, acceleration };
  });
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
