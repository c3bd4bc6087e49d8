import { percentile } from '../../src/testing/rigs/headways.ts';
import type { YawRates } from '../../src/testing/rigs/ramp-steer.ts';
import { type Figure, figure } from '../common/figures.ts';
import type { CityMotion, Motion } from './motion.ts';
import { type Section, shown } from './section.ts';

/** Median time headway that drivers keep, s. */
const HEADWAY_MIN_S = 1.2;
const HEADWAY_MAX_S = 1.8;
/** Shares of two axles are weighted by their loads at rest, which braking shifts a little. */
const GRIP_MAX = 1.005;
/** Of the yaw rate, % above or below the nonlinear equations; and above the published drift model. */
const NONLINEAR_MAX = 0.9;
const DRIFT_MAX = 1;
const DRIFT_UNTIL_S = 0.5;

const SHARES = [0.02, 0.15, 0.5, 0.85];

export function motionSection(motion: Motion): Section {
  const { cities, yawRates } = motion;
  return {
    id: 'motion',
    title: 'Motion: headways, grip and the vehicle model beside published ones',
    method:
      'Headways: gap ÷ own speed, once a second, of cars that follow another one within 50 m while ' +
      'both are faster than 3 m/s, differ by 0.5 m/s at most and have changed their speed by that at ' +
      'most within the second; leaders are found by lanes and routes. Grip: acceleration of each ' +
      'tick ÷ (friction × g), without that of contacts and slopes; friction is that of the zones at ' +
      'both axles. Yaw rates: vehicle 2 of CommonRoad at 15 m/s, whose wheels turn by 0.15 rad/s, in ' +
      '% of the published linear single-track model (ST). Tyres that saturate turn the car less: ' +
      'those of the published drift model (STD), of the nonlinear equations as textbooks write ' +
      'them, and those of the kernel. So the kernel is held to the latter two.',
    figures: [...cities.flatMap(cityMarks), ...yawMarks(yawRates)],
    tables: [
      {
        title: 'Headways and grip',
        head: ['City', 'samples', ...SHARES.map((share) => `${100 * share} %, s`), 'greatest grip'],
        rows: cities.map(({ name, headwaysS, grip }) => [
          name,
          String(headwaysS.length),
          ...SHARES.map((share) => shown(percentile(headwaysS, share))),
          `${shown(grip.greatest)} (${grip.where})`,
        ]),
      },
      {
        title: 'Yaw rate beside linear tyres',
        head: ['time, s', 'linear, rad/s', 'kernel', 'nonlinear equations', 'drift model'],
        rows: yawRates.map(({ timeS, linear, kernel, nonlinear, drift }) => [
          shown(timeS),
          linear.toFixed(4),
          ...[kernel, nonlinear, drift ?? Number.NaN].map((rate) => percentText(rate, linear)),
        ]),
      },
    ],
    plots: [],
    data: { ...motion, cities: cities.map(({ headwaysS: _, ...rest }) => rest) },
  };
}

const percent = (value: number, reference: number): number => 100 * (value / reference - 1);

const percentText = (value: number, reference: number): string =>
  Number.isNaN(value) ? '–' : `${percent(value, reference).toFixed(1)} %`;

function cityMarks({ name, headwaysS, grip }: CityMotion): Figure[] {
  const median = percentile(headwaysS, 0.5);
  return [
    figure(`${name}: median headway`, median, 's', { atMost: HEADWAY_MAX_S, isScaled: false }),
    figure(`${name}: median headway, no less`, median, 's', {
      atLeast: HEADWAY_MIN_S,
      isScaled: false,
    }),
    figure(`${name}: greatest share of the grip`, grip.greatest, '', { atMost: GRIP_MAX }),
  ];
}

function yawMarks(yawRates: readonly YawRates[]): Figure[] {
  const off = yawRates.map(({ kernel, nonlinear }) => Math.abs(percent(kernel, nonlinear)));
  const drifts = yawRates.flatMap(({ timeS, kernel, drift }) =>
    drift !== undefined && timeS <= DRIFT_UNTIL_S ? [Math.abs(percent(kernel, drift))] : [],
  );
  return [
    figure('yaw rate off the nonlinear equations, at most', Math.max(...off), '%', {
      atMost: NONLINEAR_MAX,
    }),
    figure(
      `yaw rate off the published drift model, 0.5 s`,
      drifts.length === 0 ? Number.NaN : Math.max(...drifts),
      '%',
      {
        atMost: DRIFT_MAX,
      },
    ),
  ];
}
