/** Stability: the sine with dwell on an endless plane, and the iced bend of each city. */
import { F_ALL, F_ESC, TICK_MS } from '../../assembly/layout.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { tallyIce } from '../../src/testing/rigs/ice-tally.ts';
import { sineWithDwell, unitAmplitudes } from '../../src/testing/rigs/manoeuvres-esc.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import { ground } from './ground.ts';
import type { Group, Manoeuvre, ManoeuvreRun } from './manoeuvre.ts';

/** Shares of the second peak of the yaw rate, and m: FMVSS 126 and UN R140. */
const YAW_RATIO_1S_MAX = 0.35;
const YAW_RATIO_175S_MAX = 0.2;
const LATERAL_MIN_M = 1.83;
/** From this amplitude on the lateral displacement is asked for, and a car without help spins. */
const FULL_AMPLITUDE = 5;
const AMPLITUDES = [4, 5, 6.5];

const ICE_SEED = 1;
const ICE_TICKS = 30_000;

const degrees = (radians: number): number => (radians * 180) / Math.PI;

export const ESC_GROUPS: readonly Group[] = [
  {
    name: 'Sine with dwell',
    asks:
      'FMVSS 126 and UN R140: 80 km/h, 0.7 Hz sine with a hold of 0.5 s at its second peak, in ' +
      'units A of the angle that gives 0.3 g. Passed with a yaw rate of at most 35 % of its ' +
      'second peak 1 s after the steering is complete and 20 % after 1.75 s, and from 5 A on ' +
      '1.83 m of displacement after 1.07 s. Without, a car has to fail from 5 A on.',
    x: 'time, s',
    y: 'yaw rate, °/s',
  },
  {
    name: 'Ice bend',
    asks:
      'Ten minutes of every car through the iced bend of the city. Passed where none spins, ' +
      'leaves its lane or hits anything there.',
  },
];

export const ESC_MANOEUVRES: readonly Manoeuvre[] = [
  ...CAR_TYPES.flatMap((type, index) =>
    AMPLITUDES.map((amplitude) => ({
      id: `sine-with-dwell-${index}-${amplitude}`,
      group: 'Sine with dwell',
      label: `${type.model}, ${amplitude} A`,
      feature: 'esc' as const,
      passesWith: true,
      isDrawn: index === 0,
      failsWithout: amplitude >= FULL_AMPLITUDE,
      run: (isOn: boolean) => sine(index, amplitude, isOn),
    })),
  ),
  ...CITIES.map(({ name }, cityIndex) => ({
    id: `ice-bend-${name}`,
    group: 'Ice bend',
    label: name,
    feature: 'esc' as const,
    passesWith: true,
    isDrawn: false,
    failsWithout: true,
    run: (isOn: boolean) => iceBend(cityIndex, isOn),
  })),
];

function sine(index: number, amplitude: number, isOn: boolean): ManoeuvreRun {
  const unit = unitAmplitudes(CAR_TYPES)[index] ?? Number.NaN;
  const type = CAR_TYPES[index];
  if (!type) throw new RangeError(`there is no car type ${index}`);
  const [result] = sineWithDwell([{ type, amplitudeRad: unit * amplitude, hasEsc: isOn }]);
  if (!result) throw new RangeError('nothing was driven');
  const { yawRatioAt1s, yawRatioAt175s, lateralM, slipMaxRad, yawRates } = result;
  const isFarEnough = amplitude < FULL_AMPLITUDE || lateralM >= LATERAL_MIN_M;
  const hasSettled = yawRatioAt1s <= YAW_RATIO_1S_MAX && yawRatioAt175s <= YAW_RATIO_175S_MAX;
  return {
    hasPassed: hasSettled && isFarEnough,
    readings: [
      { name: 'yaw ratio after 1 s', value: 100 * yawRatioAt1s, unit: '%' },
      { name: 'after 1.75 s', value: 100 * yawRatioAt175s, unit: '%' },
      { name: 'displacement', value: lateralM, unit: 'm' },
      { name: 'slip angle', value: degrees(slipMaxRad), unit: '°' },
    ],
    trace: yawRates.map((rate, i) => [((i + 1) * TICK_MS) / 1000, degrees(rate)]),
  };
}

function iceBend(cityIndex: number, isOn: boolean): ManoeuvreRun {
  const { kernel, cities } = ground();
  const city = cities[cityIndex];
  if (!city) throw new RangeError(`there is no city ${cityIndex}`);
  const { passes } = tallyIce(kernel, city, cityIndex, [ICE_SEED], ICE_TICKS, (slab) => {
    if (isOn) return;
    for (let car = 0; car < city.routes.length; car++) {
      kernel.apply(slab, kernel.tick(slab) + 1, car, F_ALL, F_ALL & ~F_ESC);
    }
  });
  const lost = passes.filter((pass) => pass.hasSpun || pass.hasLeftLane || pass.hasCrashed);
  const count = (name: string, matches: (pass: (typeof passes)[number]) => boolean) => ({
    name,
    value: passes.filter(matches).length,
    unit: '',
  });
  return {
    hasPassed: passes.length > 0 && lost.length === 0,
    readings: [
      { name: 'passes', value: passes.length, unit: '' },
      count('intervened', ({ hasIntervened }) => hasIntervened),
      count('spun', ({ hasSpun }) => hasSpun),
      count('left the lane', ({ hasLeftLane }) => hasLeftLane),
      count('crashed', ({ hasCrashed }) => hasCrashed),
    ],
    trace: [],
  };
}
