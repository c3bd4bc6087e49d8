import { type GripUse, gripOf } from '../../src/testing/rigs/grip.ts';
import { headwaysOf } from '../../src/testing/rigs/headways.ts';
import { type YawRates, yawRatesAt } from '../../src/testing/rigs/ramp-steer.ts';
import { ground } from './ground.ts';

const WORLDS = 12;
/** Five minutes a world. */
const HEADWAY_TICKS = 15_000;
const GRIP_WORLDS = 3;
const GRIP_TICKS = 15_000;
const YAW_TIMES_S = [0.1, 0.2, 0.3, 0.4, 0.5, 0.74, 1];

export interface CityMotion {
  name: string;
  /** Time headways of cars that follow steadily, s, ascending. */
  headwaysS: readonly number[];
  grip: GripUse;
}

export interface Motion {
  cities: readonly CityMotion[];
  yawRates: readonly YawRates[];
}

/** Measures how the cars of some worlds of each city drive, with everything on. */
export function runMotion({ seed }: { seed: number }): Motion {
  const { kernel, cities } = ground();
  const seeds = Array.from({ length: WORLDS }, (_, i) => seed + i);
  return {
    cities: cities.map((city, index) => ({
      name: city.name,
      headwaysS: headwaysOf(kernel, city, index, seeds, HEADWAY_TICKS),
      grip: gripOf(kernel, city, index, seeds.slice(0, GRIP_WORLDS), GRIP_TICKS),
    })),
    yawRates: YAW_TIMES_S.map((timeS) => yawRatesAt(timeS)),
  };
}
