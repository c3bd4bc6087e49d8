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
import { groupsOf, type Manoeuvre, type ManoeuvreRun } from './manoeuvre.ts';

const NCAP_C2C = 'Euro NCAP C2C 4.3.1 (2023) and Crash Avoidance Frontal 1.1 (2026)';
const NCAP_VRU = 'Euro NCAP VRU 4.5.1';
const NO_CONTACT =
  'Nobody sits at the wheel, and where braking is on trial evasive steering is off in both runs. ' +
  'Passed without contact.';

export const BRAKING_GROUPS = groupsOf({
  CCRs: `${NCAP_C2C}: towards a standing car. ${NO_CONTACT}`,
  CCRm: `${NCAP_C2C}: towards a car of 20 km/h. ${NO_CONTACT}`,
  CCRb: `${NCAP_C2C}: behind a car that brakes to a standstill. ${NO_CONTACT}`,
  CPNA: `${NCAP_VRU}: an adult walks in from the near side at 5 km/h. ${NO_CONTACT}`,
  CPFA: `${NCAP_VRU}: an adult runs in from the far side at 8 km/h. ${NO_CONTACT}`,
  CPNCO:
    `${NCAP_VRU}: a child comes out from behind parked cars at 5 km/h, in sight 1.44 s before. ` +
    `${NO_CONTACT} 60 km/h is only reported.`,
  CPLA: `${NCAP_VRU}: an adult walks along the lane at 5 km/h. ${NO_CONTACT}`,
  Cyclists:
    `${NCAP_VRU}: a cyclist from the near side at 15 km/h (CBNA), from behind parked cars at ` +
    '10 km/h, in sight 1.44 s before (CBNAO), from the far side at 20 km/h (CBFA), along the lane ' +
    `at 15 km/h (CBLA). ${NO_CONTACT} CBNAO at 60 km/h is only reported.`,
  CCFhos:
    `${NCAP_C2C}: towards an oncoming car that goes straight on. Nobody steers out of its way ` +
    'and it does not brake: passed where the car that brakes is 30 % slower at the contact.',
  CCFhol:
    'Euro NCAP C2C 4.3.1 (2023): an oncoming car of the same speed comes out from behind another one into the ' +
    'lane, in 44 m at 50 km/h and in 60 m at 70 km/h, and is in it 1.5 s before. Nobody steers out ' +
    'of its way and it does not brake: passed without contact, or where the car that brakes is ' +
    '30 % slower at the contact.',
  Animal: `A deer leaps out of a hedge at 3 m/s, in sight 1.58 s before. ${NO_CONTACT}`,
  'Evasive manoeuvre':
    'An obstacle that covers 0.7 m of the car comes into sight 1.55 s before on a wet road ' +
    `(friction 0.55), with a free strip beside it. ${NO_CONTACT} 50 and 70 km/h are only reported.`,
});

const SPEEDS = [10, 20, 30, 40, 50, 60, 70, 80];
const FAST = SPEEDS.filter((kmh) => kmh >= 30);
const WALKING_SPEEDS = [10, 20, 30, 40, 50, 60];
const DRAWN_KMH = [30, 50, 80];
const CYCLISTS_DRAWN_KMH = [50];
/** Overlap with an offset target, as a share of the car's width; negative: to the right. */
const OVERLAPS = [-0.75, -0.5, 0.5, 0.75];
const CHILD_KMH_MAX = 50;
const CYCLIST_ALONG_SPEEDS = [25, 30, 40, 50, 60];
/** Share of the car's width that overlaps, and speeds. */
const ADULT_ALONG = [
  [0.25, [50, 60, 70, 80]],
  [0.5, [20, 30, 40, 50, 60]],
] as const;
const ONCOMING_SPEEDS = [50, 70];
const LANE_CHANGES = [
  { kmh: 50, changeM: 44 },
  { kmh: 70, changeM: 60 },
];
/** Share of the own speed at a contact that cannot be avoided. */
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

/** With emergency braking on trial. */
function braking(
  group: string,
  label: string,
  isDrawn: boolean,
  drive: Case['drive'],
  limits: Pick<Case, 'passesWith' | 'impactKmhMax'> = {},
): Case {
  return { group, feature: 'aeb', label, isDrawn, drive, ...limits };
}

const isDrawn = (kmh: number): boolean => DRAWN_KMH.includes(kmh);

const CASES: readonly Case[] = [
  ...SPEEDS.map((kmh) =>
    braking('CCRs', `${kmh} km/h`, isDrawn(kmh), (given) => towardsStanding(kmh, given)),
  ),
  ...OVERLAPS.map((overlap) =>
    braking('CCRs', `50 km/h, ${100 * overlap} % overlap`, false, (given) =>
      towardsStanding(50, given, { leftM: offsetFor(overlap) }),
    ),
  ),
  ...FAST.map((kmh) =>
    braking('CCRm', `${kmh} km/h`, isDrawn(kmh), (given) => towardsSlower(kmh, 20, given)),
  ),
  ...[12, 40].flatMap((gapM) =>
    [2, 6].map((decel) =>
      braking('CCRb', `50 km/h, ${gapM} m, ${decel} m/s²`, decel === 6, (given) =>
        behindBraking(50, gapM, decel, given),
      ),
    ),
  ),
  ...FAST.map((kmh) =>
    braking('CCRb', `${kmh} km/h, 1 s, 4 m/s²`, false, (given) =>
      behindBraking(kmh, kmh / 3.6, 4, given),
    ),
  ),
  ...[0.25, 0.75].flatMap((share) => walks('CPNA', `-${100 * share}`, adultFromNearSide(share))),
  ...walks('CPFA', '-50', ADULT_FROM_FAR_SIDE),
  ...walks('CPNCO', '-50', CHILD_FROM_PARKED_CARS, CHILD_KMH_MAX),
  ...ADULT_ALONG.flatMap(([share, speeds]) =>
    speeds.map((kmh) =>
      braking('CPLA', `CPLA-${100 * share}, ${kmh} km/h`, isDrawn(kmh), (given) =>
        towardsSlower(kmh, 5, given, adultAlong(share)),
      ),
    ),
  ),
  ...cyclists('CBNA', CYCLIST_FROM_NEAR_SIDE),
  ...cyclists('CBNAO', CYCLIST_FROM_PARKED_CARS, CHILD_KMH_MAX),
  ...cyclists('CBFA', CYCLIST_FROM_FAR_SIDE),
  ...CYCLIST_ALONG_SPEEDS.map((kmh) =>
    braking('Cyclists', `CBLA, ${kmh} km/h`, false, (given) =>
      towardsSlower(kmh, 15, given, CYCLIST_ALONG),
    ),
  ),
  ...[0.25, 0.5, 0.75].flatMap((overlap) =>
    ONCOMING_SPEEDS.flatMap((kmh) =>
      ONCOMING_SPEEDS.map((otherKmh) => {
        const label = `${kmh} against ${otherKmh} km/h, ${100 * overlap} % overlap`;
        const drive: Case['drive'] = (given) => headOn(kmh, otherKmh, overlap, given);
        return braking('CCFhos', label, overlap === 0.5, drive, milderThan(kmh));
      }),
    ),
  ),
  ...LANE_CHANGES.map(({ kmh, changeM }) => {
    const drive: Case['drive'] = (given) => headOnChangingLane(kmh, changeM, given);
    return braking('CCFhol', `${kmh} km/h, ${changeM} m`, true, drive, milderThan(kmh));
  }),
  ...[30, 40, 50].map((kmh) => ({
    group: 'Animal',
    feature: 'animal_detection' as const,
    label: `${kmh} km/h`,
    isDrawn: true,
    drive: (given: Conditions) => acrossTheLane(kmh, DEER_FROM_HEDGE, given),
  })),
  ...[50, 60, 70].map((kmh) => ({
    group: 'Evasive manoeuvre',
    feature: 'evasive_steering' as const,
    label: `${kmh} km/h`,
    isDrawn: true,
    passesWith: kmh === 60,
    drive: (given: Conditions) => behindCrest(kmh, { ...given, friction: WET }),
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

/** Passed where the contact is milder: with this much of the own speed at most. */
function milderThan(kmh: number) {
  return { impactKmhMax: MILDER_SHARE * kmh };
}

/** How far left the target's middle is for a share of the car's width that overlaps. */
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
  return WALKING_SPEEDS.map((kmh) =>
    braking(
      group,
      `${group}${suffix}, ${kmh} km/h`,
      drawnKmh.includes(kmh),
      (given) => acrossTheLane(kmh, walk, given),
      { passesWith: kmh <= kmhMax },
    ),
  );
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
