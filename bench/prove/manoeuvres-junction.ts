/** Straight over and left turns on an open junction, before somebody who keeps going. */
import { F_AEB, F_ALL, F_INTERSECTION_ASSIST, TICK_MS } from '../../assembly/layout.ts';
import { type CrossingRun, runCrossing } from '../../src/testing/manoeuvres-junction.ts';
import type { Group, Manoeuvre, ManoeuvreRun } from './manoeuvre.ts';

/** Emergency braking looks straight ahead too: here the one function is on trial. */
const ON = F_ALL & ~F_AEB;
const OFF = ON & ~F_INTERSECTION_ASSIST;
const ALONE = 'Emergency braking is off in both runs. Passed without contact.';
const SPEEDS = [20, 30, 40, 50, 60];
const TURNING_SPEEDS = [10, 15, 20];
const ONCOMING_SPEEDS = [30, 45, 60];
const SIDES = [
  { from: 'south', side: 'near side' },
  { from: 'north', side: 'far side' },
] as const;

export const JUNCTION_GROUPS: readonly Group[] = [
  {
    name: 'CCCscp',
    asks:
      'Euro NCAP Crash Avoidance Frontal 1.1 (2026): straight over the path of a car that ' +
      `crosses at a steady speed. ${ALONE}`,
    x: 's',
    y: 'speed, km/h',
  },
  {
    name: 'CCFtap',
    asks: `Euro NCAP C2C 4.3.1 (2023): left across the path of an oncoming car. ${ALONE}`,
    x: 's',
    y: 'speed, km/h',
  },
];

interface Case extends CrossingRun {
  group: string;
  label: string;
}

const CASES: readonly Case[] = [
  ...SIDES.flatMap(({ from, side }) =>
    SPEEDS.flatMap((speedKmh) =>
      SPEEDS.map((otherKmh) => ({
        group: 'CCCscp',
        label: `${speedKmh} against ${otherKmh} km/h, ${side}`,
        from,
        turn: 'straight' as const,
        speedKmh,
        otherKmh,
      })),
    ),
  ),
  ...TURNING_SPEEDS.flatMap((speedKmh) =>
    ONCOMING_SPEEDS.map((otherKmh) => ({
      group: 'CCFtap',
      label: `${speedKmh} against ${otherKmh} km/h`,
      from: 'east' as const,
      turn: 'left' as const,
      speedKmh,
      otherKmh,
    })),
  ),
];

export const JUNCTION_MANOEUVRES: readonly Manoeuvre[] = CASES.map(({ group, label, ...run }) => ({
  id: `${group} ${label}`,
  group,
  label,
  feature: 'intersection_assist',
  passesWith: true,
  failsWithout: true,
  isDrawn: run.speedKmh === run.otherKmh ? run.from === 'south' : run.otherKmh === 45,
  run: (isOn) => drive({ ...run, features: isOn ? ON : OFF }),
}));

function drive(run: CrossingRun): ManoeuvreRun {
  const { contact, impactSpeedKmh, minGapM, decelMps2, slowestKmh, speedsKmh } = runCrossing(run);
  return {
    hasPassed: !contact,
    readings: [
      { name: 'impact', value: impactSpeedKmh, unit: 'km/h' },
      { name: 'least gap', value: minGapM, unit: 'm' },
      { name: 'braking', value: decelMps2, unit: 'm/s²' },
      { name: 'slowest', value: slowestKmh, unit: 'km/h' },
    ],
    trace: speedsKmh.map((kmh, i) => [((i + 1) * TICK_MS) / 1000, kmh]),
  };
}
