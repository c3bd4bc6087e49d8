/** Car to car rear, pedestrians, animals and an evasive manoeuvre, on a straight road. */
import { F_ALL, F_EVASIVE_STEERING, TICK_MS } from '../../assembly/layout.ts';
import { CAR, type ManoeuvreResult } from '../../src/testing/rigs/manoeuvre.ts';
import {
  ADULT_FROM_FAR_SIDE,
  acrossTheLane,
  adultAlong,
  adultFromNearSide,
  behindBraking,
  behindCrest,
  CHILD_FROM_PARKED_CARS,
  type Conditions,
  CYCLIST_ALONG,
  CYCLIST_FROM_FAR_SIDE,
  CYCLIST_FROM_NEAR_SIDE,
  CYCLIST_FROM_PARKED_CARS,
  DEER_FROM_HEDGE,
  headOn,
  headOnChangingLane,
  towardsSlower,
  towardsStanding,
  type Walk,
} from '../../src/testing/rigs/manoeuvres.ts';
import { type FeatureName, maskOf } from '../../src/twin/catalogue.ts';
import type { Group, Manoeuvre, ManoeuvreRun } from './manoeuvre.ts';

const NCAP_C2C = 'Euro NCAP C2C 4.3.1 (2023) and Crash Avoidance Frontal 1.1 (2026)';
const NCAP_VRU = 'Euro NCAP VRU 4.5.1';
const NO_CONTACT =
  'Nobody sits at the wheel, and where braking is on trial evasive steering is off in both runs. ' +
  'Passed without contact.';
const SPEED_AXES = { x: 'time, s', y: 'speed, km/h' };

export const BRAKING_GROUPS: readonly Group[] = [
  {
    name: 'CCRs',
    asks: `${NCAP_C2C}: towards a standing car. ${NO_CONTACT}`,
    ...SPEED_AXES,
  },
  {
    name: 'CCRm',
    asks: `${NCAP_C2C}: towards a car of 20 km/h. ${NO_CONTACT}`,
    ...SPEED_AXES,
  },
  {
    name: 'CCRb',
    asks: `${NCAP_C2C}: behind a car that brakes to a standstill. ${NO_CONTACT}`,
    ...SPEED_AXES,
  },
  {
    name: 'CPNA',
    asks: `${NCAP_VRU}: an adult walks in from the near side at 5 km/h. ${NO_CONTACT}`,
    ...SPEED_AXES,
  },
  {
    name: 'CPFA',
    asks: `${NCAP_VRU}: an adult runs in from the far side at 8 km/h. ${NO_CONTACT}`,
    ...SPEED_AXES,
  },
  {
    name: 'CPNCO',
    asks:
      `${NCAP_VRU}: a child comes out from behind parked cars at 5 km/h, in sight 1.44 s before. ` +
      `${NO_CONTACT} 60 km/h is only reported.`,
    ...SPEED_AXES,
  },
  {
    name: 'CPLA',
    asks: `${NCAP_VRU}: an adult walks along the lane at 5 km/h. ${NO_CONTACT}`,
    ...SPEED_AXES,
  },
  {
    name: 'Cyclists',
    asks:
      `${NCAP_VRU}: a cyclist from the near side at 15 km/h (CBNA), from behind parked cars at ` +
      '10 km/h, in sight 1.44 s before (CBNAO), from the far side at 20 km/h (CBFA), along the lane ' +
      `at 15 km/h (CBLA). ${NO_CONTACT} CBNAO at 60 km/h is only reported.`,
    ...SPEED_AXES,
  },
  {
    name: 'CCFhos',
    asks:
      `${NCAP_C2C}: towards an oncoming car that goes straight on. Nobody steers out of its way ` +
      'and it does not brake: passed where the car that brakes is 30 % slower at the contact.',
    ...SPEED_AXES,
  },
  {
    name: 'CCFhol',
    asks:
      'Euro NCAP C2C 4.3.1 (2023): an oncoming car of the same speed comes out from behind another one into the ' +
      'lane, in 44 m at 50 km/h and in 60 m at 70 km/h, and is in it 1.5 s before. Nobody steers out ' +
      'of its way and it does not brake: passed without contact, or where the car that brakes is ' +
      '30 % slower at the contact.',
    ...SPEED_AXES,
  },
  {
    name: 'Animal',
    asks: `A deer leaps out of a hedge at 3 m/s, in sight 1.58 s before. ${NO_CONTACT}`,
    ...SPEED_AXES,
  },
  {
    name: 'Evasive manoeuvre',
    asks:
      'An obstacle that covers 0.7 m of the car comes into sight 1.55 s before on a wet road ' +
      `(friction 0.55), with a free strip beside it. ${NO_CONTACT} 50 and 70 km/h are only reported.`,
    ...SPEED_AXES,
  },
];

const SPEEDS = [10, 20, 30, 40, 50, 60, 70, 80];
const WALKING_SPEEDS = [10, 20, 30, 40, 50, 60];
const DRAWN_KMH = [30, 50, 80];
const CYCLISTS_DRAWN_KMH = [50];
/** What an offset of the target leaves of the overlap, as a share of the car's width. */
const OVERLAPS = [-0.75, -0.5, 0.5, 0.75];
const CHILD_KMH_MAX = 50;
const CYCLIST_ALONG_SPEEDS = [25, 30, 40, 50, 60];
const ONCOMING_SPEEDS = [50, 70];
const LANE_CHANGES = [
  { kmh: 50, changeM: 44 },
  { kmh: 70, changeM: 60 },
];
/** What is left of its own speed at a contact that cannot be avoided. */
const MILDER_SHARE = 0.7;
const WET = 0.55;

interface Case {
  group: string;
  feature: FeatureName;
  label: string;
  isDrawn: boolean;
  passesWith?: boolean;
  /** Own speed up to which a contact passes, km/h; without, none does. */
  impactKmhMax?: number;
  drive: (conditions: Conditions) => ManoeuvreResult;
}

const CASES: readonly Case[] = [
  ...SPEEDS.map((kmh) => ({
    group: 'CCRs',
    feature: 'aeb' as const,
    label: `${kmh} km/h`,
    isDrawn: DRAWN_KMH.includes(kmh),
    drive: (conditions: Conditions) => towardsStanding(kmh, conditions),
  })),
  ...OVERLAPS.map((overlap) => ({
    group: 'CCRs',
    feature: 'aeb' as const,
    label: `50 km/h, ${100 * overlap} % overlap`,
    isDrawn: false,
    drive: (conditions: Conditions) =>
      towardsStanding(50, conditions, { leftM: offsetFor(overlap) }),
  })),
  ...SPEEDS.filter((kmh) => kmh >= 30).map((kmh) => ({
    group: 'CCRm',
    feature: 'aeb' as const,
    label: `${kmh} km/h`,
    isDrawn: DRAWN_KMH.includes(kmh),
    drive: (conditions: Conditions) => towardsSlower(kmh, 20, conditions),
  })),
  ...[12, 40].flatMap((gapM) =>
    [2, 6].map((decel) => ({
      group: 'CCRb',
      feature: 'aeb' as const,
      label: `50 km/h, ${gapM} m, ${decel} m/s²`,
      isDrawn: decel === 6,
      drive: (conditions: Conditions) => behindBraking(50, gapM, decel, conditions),
    })),
  ),
  ...SPEEDS.filter((kmh) => kmh >= 30).map((kmh) => ({
    group: 'CCRb',
    feature: 'aeb' as const,
    label: `${kmh} km/h, 1 s, 4 m/s²`,
    isDrawn: false,
    drive: (conditions: Conditions) => behindBraking(kmh, kmh / 3.6, 4, conditions),
  })),
  ...[0.25, 0.75].flatMap((share) => walks('CPNA', `-${100 * share}`, adultFromNearSide(share))),
  ...walks('CPFA', '-50', ADULT_FROM_FAR_SIDE),
  ...walks('CPNCO', '-50', CHILD_FROM_PARKED_CARS, CHILD_KMH_MAX),
  ...(
    [
      [0.25, [50, 60, 70, 80]],
      [0.5, [20, 30, 40, 50, 60]],
    ] as const
  ).flatMap(([share, speeds]) =>
    speeds.map((kmh) => ({
      group: 'CPLA',
      feature: 'aeb' as const,
      label: `CPLA-${100 * share}, ${kmh} km/h`,
      isDrawn: DRAWN_KMH.includes(kmh),
      drive: (conditions: Conditions) => towardsSlower(kmh, 5, conditions, adultAlong(share)),
    })),
  ),
  ...cyclists('CBNA', CYCLIST_FROM_NEAR_SIDE),
  ...cyclists('CBNAO', CYCLIST_FROM_PARKED_CARS, CHILD_KMH_MAX),
  ...cyclists('CBFA', CYCLIST_FROM_FAR_SIDE),
  ...CYCLIST_ALONG_SPEEDS.map((kmh) => ({
    group: 'Cyclists',
    feature: 'aeb' as const,
    label: `CBLA, ${kmh} km/h`,
    isDrawn: false,
    drive: (conditions: Conditions) => towardsSlower(kmh, 15, conditions, CYCLIST_ALONG),
  })),
  ...[0.25, 0.5, 0.75].flatMap((overlap) =>
    [50, 70].flatMap((kmh) =>
      ONCOMING_SPEEDS.map((otherKmh) => ({
        group: 'CCFhos',
        feature: 'aeb' as const,
        label: `${kmh} against ${otherKmh} km/h, ${100 * overlap} % overlap`,
        isDrawn: overlap === 0.5,
        impactKmhMax: MILDER_SHARE * kmh,
        drive: (conditions: Conditions) => headOn(kmh, otherKmh, overlap, conditions),
      })),
    ),
  ),
  ...LANE_CHANGES.map(({ kmh, changeM }) => ({
    group: 'CCFhol',
    feature: 'aeb' as const,
    label: `${kmh} km/h, ${changeM} m`,
    isDrawn: true,
    impactKmhMax: MILDER_SHARE * kmh,
    drive: (conditions: Conditions) => headOnChangingLane(kmh, changeM, conditions),
  })),
  ...[30, 40, 50].map((kmh) => ({
    group: 'Animal',
    feature: 'animal_detection' as const,
    label: `${kmh} km/h`,
    isDrawn: true,
    drive: (conditions: Conditions) => acrossTheLane(kmh, DEER_FROM_HEDGE, conditions),
  })),
  ...[50, 60, 70].map((kmh) => ({
    group: 'Evasive manoeuvre',
    feature: 'evasive_steering' as const,
    label: `${kmh} km/h`,
    isDrawn: true,
    passesWith: kmh === 60,
    drive: (conditions: Conditions) => behindCrest(kmh, { ...conditions, friction: WET }),
  })),
];

export const BRAKING_MANOEUVRES: readonly Manoeuvre[] = CASES.map(
  ({ group, feature, label, isDrawn, passesWith = true, impactKmhMax, drive }) => ({
    id: `${group} ${label}`,
    group,
    label,
    feature,
    passesWith,
    failsWithout: passesWith,
    isDrawn,
    run: (isOn) => {
      const whole = feature === 'evasive_steering' ? F_ALL : F_ALL & ~F_EVASIVE_STEERING;
      return runOf(drive({ features: isOn ? whole : whole & ~maskOf([feature]) }), impactKmhMax);
    },
  }),
);

/** How far the target's middle lies to the left where so much of the car's width overlaps with it. */
function offsetFor(overlap: number): number {
  const side = Math.sign(overlap);
  return side * (1 - Math.abs(overlap)) * CAR.widthM;
}

function walks(
  group: string,
  suffix: string,
  walk: Walk,
  kmhMax = Number.POSITIVE_INFINITY,
  drawnKmh = DRAWN_KMH,
): Case[] {
  return WALKING_SPEEDS.map((kmh) => ({
    group,
    feature: 'aeb',
    label: `${group}${suffix}, ${kmh} km/h`,
    isDrawn: drawnKmh.includes(kmh),
    passesWith: kmh <= kmhMax,
    drive: (conditions) => acrossTheLane(kmh, walk, conditions),
  }));
}

function cyclists(name: string, walk: Walk, kmhMax?: number): Case[] {
  const cases = walks(name, '-50', walk, kmhMax, CYCLISTS_DRAWN_KMH);
  return cases.map((each) => ({ ...each, group: 'Cyclists' }));
}

function runOf(result: ManoeuvreResult, impactKmhMax?: number): ManoeuvreRun {
  const { contact, impactSpeedKmh, minGapM, decelMps2, interventions, speedsKmh } = result;
  const ownKmh = speedsKmh.at(-2) ?? 0;
  return {
    hasPassed: !contact || ownKmh <= (impactKmhMax ?? 0),
    readings: [
      { name: 'impact', value: impactSpeedKmh, unit: 'km/h' },
      ...(impactKmhMax === undefined ? [] : [{ name: 'own speed', value: ownKmh, unit: 'km/h' }]),
      { name: 'least gap', value: minGapM, unit: 'm' },
      { name: 'braking', value: decelMps2, unit: 'm/s²' },
      { name: 'interventions', value: interventions.length, unit: '' },
    ],
    trace: speedsKmh.map((kmh, i) => [(i * TICK_MS) / 1000, kmh]),
  };
}
