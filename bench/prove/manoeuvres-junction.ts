/** Straight over a junction or turning there, in front of somebody who does not stop. */
import {
  F_AEB,
  F_ALL,
  F_EVASIVE_STEERING,
  F_INTERSECTION_ASSIST,
  TICK_MS,
} from '../../assembly/layout.ts';
import { MOTORCYCLE } from '../../src/testing/rigs/manoeuvres.ts';
import {
  type CrossingResult,
  type CrossingRun,
  runCrossing,
  runTurn,
} from '../../src/testing/rigs/manoeuvres-junction.ts';
import { groupsOf, type Manoeuvre, type ManoeuvreRun } from './manoeuvre.ts';

/** Emergency braking would brake too, so it is off where intersection assist is on trial. */
const ON = F_ALL & ~F_AEB;
const OFF = ON & ~F_INTERSECTION_ASSIST;
const ALONE = 'Emergency braking is off in both runs. Passed without contact.';
/** Intersection assist would see pedestrians too, so it is off where braking is on trial. */
const BRAKING_ON = F_ALL & ~F_INTERSECTION_ASSIST & ~F_EVASIVE_STEERING;
const BRAKING_OFF = BRAKING_ON & ~F_AEB;
const FRONTAL_2026 = 'Euro NCAP Crash Avoidance Frontal 1.1 (2026)';
const SPEEDS = [20, 30, 40, 50, 60];
const TURNING_SPEEDS = [10, 15, 20];
const ONCOMING_SPEEDS = [30, 45, 60];
const SIDES = [
  { from: 'south', side: 'near side' },
  { from: 'north', side: 'far side' },
] as const;
const TURNS = [
  { turn: 'left', side: 'far side' },
  { turn: 'right', side: 'near side' },
] as const;
const WALKS = ['same', 'opposite'] as const;

export const JUNCTION_GROUPS = groupsOf({
  CCCscp: `${FRONTAL_2026}: straight over the path of a car that crosses at a steady speed. ${ALONE}`,
  CMCscp:
    `${FRONTAL_2026}: straight over the path of a motorcycle of 2.08 × 0.79 m that crosses at a ` +
    `steady speed. ${ALONE}`,
  CCFtap: `Euro NCAP C2C 4.3.1 (2023): left across the path of an oncoming car. ${ALONE}`,
  CMFtap:
    'Euro NCAP VRU 4.5.1: left across the path of an oncoming motorcycle of 2.08 × 0.79 m. ' +
    ALONE,
  CPTA:
    'Euro NCAP VRU 4.5.1: left (far side) or right (near side) into a road that an adult walks ' +
    'over at 5 km/h, the way the car came or the opposite one. Nobody sits at the wheel, and ' +
    'intersection assist and evasive steering are off in both runs. Passed without contact.',
});

interface Crossing extends CrossingRun {
  group: string;
  label: string;
}

const straightOver = (group: string, actor?: CrossingRun['actor']): Crossing[] =>
  SIDES.flatMap(({ from, side }) =>
    SPEEDS.flatMap((speedKmh) =>
      SPEEDS.map((otherKmh) => ({
        group,
        label: `${speedKmh} against ${otherKmh} km/h, ${side}`,
        from,
        turn: 'straight',
        speedKmh,
        otherKmh,
        ...(actor && { actor }),
      })),
    ),
  );

const leftAcross = (group: string, actor?: CrossingRun['actor']): Crossing[] =>
  TURNING_SPEEDS.flatMap((speedKmh) =>
    ONCOMING_SPEEDS.map((otherKmh) => ({
      group,
      label: `${speedKmh} against ${otherKmh} km/h`,
      from: 'east',
      turn: 'left',
      speedKmh,
      otherKmh,
      ...(actor && { actor }),
    })),
  );

const CROSSINGS: readonly Crossing[] = [
  ...straightOver('CCCscp'),
  ...straightOver('CMCscp', MOTORCYCLE),
  ...leftAcross('CCFtap'),
  ...leftAcross('CMFtap', MOTORCYCLE),
];

const CROSSING_MANOEUVRES = CROSSINGS.map(
  ({ group, label, ...run }): Manoeuvre => ({
    id: `${group} ${label}`,
    group,
    label,
    feature: 'intersection_assist',
    passesWith: true,
    failsWithout: true,
    isDrawn: run.speedKmh === run.otherKmh ? run.from === 'south' : run.otherKmh === 45,
    run: (isOn) => runOf(runCrossing({ ...run, features: isOn ? ON : OFF })),
  }),
);

const TURN_MANOEUVRES = TURNS.flatMap(({ turn, side }) =>
  WALKS.flatMap((walks) =>
    TURNING_SPEEDS.map((speedKmh): Manoeuvre => {
      const label = `${speedKmh} km/h, ${side}, ${walks} way`;
      return {
        id: `CPTA ${label}`,
        group: 'CPTA',
        label,
        feature: 'aeb',
        passesWith: true,
        failsWithout: true,
        isDrawn: turn === 'left' && walks === 'same',
        run: (isOn) =>
          runOf(runTurn({ turn, walks, speedKmh, features: isOn ? BRAKING_ON : BRAKING_OFF })),
      };
    }),
  ),
);

export const JUNCTION_MANOEUVRES: readonly Manoeuvre[] = [
  ...CROSSING_MANOEUVRES,
  ...TURN_MANOEUVRES,
];

function runOf(result: CrossingResult): ManoeuvreRun {
  const { contact, impactSpeedKmh, minGapM, decelMps2, slowestKmh, speedsKmh } = result;
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
