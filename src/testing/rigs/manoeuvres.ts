import type { Actor } from '../../city/types.ts';
import {
  CAR,
  KMH,
  type Manoeuvre,
  type ManoeuvreResult,
  type Motion,
  type Mover,
  runManoeuvre,
} from './manoeuvre.ts';

/** Euro NCAP's global vehicle target. */
export const VEHICLE: Actor = {
  kind: 'vehicle',
  name: 'vehicle target',
  lengthM: 4.023,
  widthM: 1.712,
  massKg: 1200,
  speedMps: 0,
};
export const PERSON: Actor = {
  kind: 'person',
  name: 'pedestrian',
  lengthM: 0.6,
  widthM: 0.5,
  massKg: 75,
  speedMps: 0,
};
/** Euro NCAP's motorcyclist: by its class a vehicle, though a narrow one. */
export const MOTORCYCLE: Actor = {
  ...VEHICLE,
  name: 'motorcycle',
  lengthM: 2.08,
  widthM: 0.79,
  massKg: 270,
};
/** The car that hides oncoming traffic in Euro NCAP's lane changes. */
const CAR_AHEAD: Actor = {
  ...VEHICLE,
  name: 'car ahead',
  lengthM: 4.418,
  widthM: 1.82,
};
const CHILD: Actor = { ...PERSON, name: 'child', lengthM: 0.5, widthM: 0.4, massKg: 30 };
/** A cyclist on a bicycle, as Euro NCAP's target. */
const CYCLIST: Actor = {
  kind: 'person',
  name: 'cyclist',
  lengthM: 1.9,
  widthM: 0.5,
  massKg: 90,
  speedMps: 0,
};
const DEER: Actor = {
  kind: 'animal',
  name: 'deer',
  lengthM: 1.1,
  widthM: 0.35,
  massKg: 23,
  speedMps: 0,
};

/** Conditions of a manoeuvre: features, friction, lanes. */
export type Conditions = Omit<Manoeuvre, 'speedKmh' | 'movers'>;

/** Time to collision at which a manoeuvre begins, s. */
const LEAD_IN_S = 4;

const standing = (aheadM: number, leftM: number): Motion => ({
  aheadM,
  leftM,
  headingRad: 0,
  speedMps: 0,
  accelMps2: 0,
});

/** CCRs: towards something that stands. */
export const towardsStanding = (
  speedKmh: number,
  conditions: Conditions = {},
  object: Approached = {},
): ManoeuvreResult => towardsSlower(speedKmh, 0, conditions, object);

/** An object ahead on the lane. */
interface Approached {
  actor?: Actor;
  /** Of the lane's centre. */
  leftM?: number;
  /** It is not seen earlier than this before contact. */
  revealS?: number;
}

/** CCRm, CPLA, CBLA: approaches a slower object ahead. */
export function towardsSlower(
  speedKmh: number,
  otherKmh: number,
  conditions: Conditions = {},
  { leftM = 0, revealS = LEAD_IN_S, actor = VEHICLE }: Approached = {},
): ManoeuvreResult {
  const gapM = (speedKmh - otherKmh) * KMH * LEAD_IN_S;
  const speedMps = otherKmh * KMH;
  const mover: Mover = {
    actor,
    at: (timeS) => ({
      ...standing(gapM + actor.lengthM / 2 + speedMps * timeS, leftM),
      speedMps,
    }),
    hiddenUntilS: LEAD_IN_S - revealS,
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover] });
}

/** CPLA: an adult who walks along the lane at 5 km/h; struck at 25 or 50 % of the width. */
export const adultAlong = (struckAt: number) => ({
  actor: PERSON,
  leftM: (struckAt - 0.5) * CAR.widthM,
});
/** CBLA: a cyclist who rides along the lane; struck in the middle. */
export const CYCLIST_ALONG = { actor: CYCLIST, leftM: 0 };

/** CCFhos: towards an oncoming car that covers such a share of the width, straight on. */
export function headOn(
  speedKmh: number,
  otherKmh: number,
  overlap: number,
  conditions: Conditions = {},
): ManoeuvreResult {
  const speedMps = otherKmh * KMH;
  const startM = (speedKmh + otherKmh) * KMH * LEAD_IN_S + VEHICLE.lengthM / 2;
  const leftM = (CAR.widthM + VEHICLE.widthM) / 2 - overlap * CAR.widthM;
  const mover: Mover = {
    actor: VEHICLE,
    at: (timeS) => ({
      ...standing(startM - speedMps * timeS, leftM),
      headingRad: Math.PI,
      speedMps,
    }),
  };
  // To stand in time helps only half: the other keeps coming.
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover], goesOnStanding: true });
}

/** Of oncoming traffic to the middle of the own lane, m. */
const ONCOMING_M = 3.5;
/** Time at which oncoming traffic begins to change lane, s. */
const CHANGE_FROM_S = 1;
/** Time to collision at which the change is complete without braking, s. */
const CHANGED_S = 1.5;
/** Time between it and the car ahead of it, s. */
const ONCOMING_HEADWAY_S = 1;

/**
 * CCFhol: an oncoming car of the same speed changes from behind another one into the own lane,
 * within some metres.
 */
export function headOnChangingLane(
  speedKmh: number,
  changeM: number,
  conditions: Conditions = {},
): ManoeuvreResult {
  const speedMps = speedKmh * KMH;
  const meetsS = CHANGE_FROM_S + changeM / speedMps + CHANGED_S;
  const aheadAt = (timeS: number) => speedMps * (2 * meetsS - timeS) + VEHICLE.lengthM / 2;
  const leftAt = (timeS: number) => {
    const share = (speedMps * (timeS - CHANGE_FROM_S)) / changeM;
    return ONCOMING_M * (1 - shareAside(share));
  };
  const target: Mover = {
    actor: VEHICLE,
    at: (timeS) => ({
      aheadM: aheadAt(timeS),
      leftM: leftAt(timeS),
      headingRad: Math.atan2((leftAt(timeS + 0.01) - leftAt(timeS)) / 0.01, -speedMps),
      speedMps,
      accelMps2: 0,
    }),
  };
  const leadM = ONCOMING_HEADWAY_S * speedMps + (VEHICLE.lengthM + CAR_AHEAD.lengthM) / 2;
  const carAhead: Mover = {
    actor: CAR_AHEAD,
    at: (timeS) => ({
      ...standing(aheadAt(timeS) - leadM, ONCOMING_M),
      headingRad: Math.PI,
      speedMps,
    }),
  };
  const movers = [target, carAhead];
  return runManoeuvre({ ...conditions, speedKmh, movers, goesOnStanding: true });
}

/** How far something has come aside when it has done such a share of the way to there, as a share. */
function shareAside(wayShare: number): number {
  const share = Math.min(Math.max(wayShare, 0), 1);
  return share * share * (3 - 2 * share);
}

/** CCRb: behind a car of the same speed that brakes after a second until it stands. */
export function behindBraking(
  speedKmh: number,
  gapM: number,
  decelMps2: number,
  conditions: Conditions = {},
): ManoeuvreResult {
  const startMps = speedKmh * KMH;
  const lastsS = startMps / decelMps2;
  const mover: Mover = {
    actor: VEHICLE,
    at: (timeS) => {
      const brakingS = Math.min(Math.max(timeS - 1, 0), lastsS);
      const wayM = startMps * (Math.min(timeS, 1) + brakingS) - (decelMps2 / 2) * brakingS ** 2;
      return {
        ...standing(gapM + VEHICLE.lengthM / 2 + wayM, 0),
        speedMps: startMps - decelMps2 * brakingS,
        accelMps2: brakingS > 0 && brakingS < lastsS ? -decelMps2 : 0,
      };
    },
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover] });
}

export interface Walk {
  actor: Actor;
  speedKmh: number;
  /** Where it starts, right of the middle of the car. */
  fromRightM: number;
  /** Share of the car's width, from its right, at which it strikes without reaction. */
  struckAt: number;
  /** It is not seen earlier than this before contact. */
  revealS?: number;
}

/** CPNA: an adult from the near side, 5 km/h, 4 m; struck at 25 or 75 % of the width. */
export const adultFromNearSide = (struckAt: number): Walk => ({
  actor: PERSON,
  speedKmh: 5,
  fromRightM: 4,
  struckAt,
});
/** CPFA: an adult from the far side, 8 km/h, 6 m. */
export const ADULT_FROM_FAR_SIDE: Walk = {
  actor: PERSON,
  speedKmh: 8,
  fromRightM: -6,
  struckAt: 0.5,
};
/** CPNCO: a child from behind parked cars, 5 km/h; it is seen 1.44 s before contact. */
export const CHILD_FROM_PARKED_CARS: Walk = {
  actor: CHILD,
  speedKmh: 5,
  fromRightM: 4,
  struckAt: 0.5,
  revealS: 1.44,
};
/** CBNA: a cyclist from the near side, 15 km/h, 17 m; the front wheel is struck in the middle. */
export const CYCLIST_FROM_NEAR_SIDE: Walk = {
  actor: CYCLIST,
  speedKmh: 15,
  fromRightM: 17,
  struckAt: 0.5,
};
/** CBNAO: the same at 10 km/h behind parked cars, seen as late as the child. */
export const CYCLIST_FROM_PARKED_CARS: Walk = {
  actor: CYCLIST,
  speedKmh: 10,
  fromRightM: 11,
  struckAt: 0.5,
  revealS: 1.44,
};
/** CBFA: a cyclist from the far side, 20 km/h, 20 m. */
export const CYCLIST_FROM_FAR_SIDE: Walk = {
  actor: CYCLIST,
  speedKmh: 20,
  fromRightM: -20,
  struckAt: 0.5,
};
/** A deer that leaps out of a hedge, 3 m/s; it is seen 1.58 s before contact. */
export const DEER_FROM_HEDGE: Walk = {
  actor: DEER,
  speedKmh: 10.8,
  fromRightM: 6.25,
  struckAt: 0.5,
  revealS: 1.58,
};

/** A person walks or runs across the lane and is struck without reaction. */
export function acrossTheLane(
  speedKmh: number,
  walk: Walk,
  conditions: Conditions = {},
): ManoeuvreResult {
  const { actor, fromRightM, struckAt, revealS = LEAD_IN_S } = walk;
  const towards = Math.sign(fromRightM);
  const speedMps = walk.speedKmh * KMH;
  const aheadM = speedKmh * KMH * LEAD_IN_S + actor.widthM / 2;
  const atContactM = (struckAt - 0.5) * CAR.widthM;
  const mover: Mover = {
    actor,
    at: (timeS) => {
      const wayM = speedMps * (timeS - LEAD_IN_S);
      const leftM = atContactM + towards * wayM;
      const isWaiting = (leftM + fromRightM) * towards < 0;
      return {
        aheadM,
        leftM: isWaiting ? -fromRightM : leftM,
        headingRad: (towards * Math.PI) / 2,
        speedMps: isWaiting ? 0 : speedMps,
        accelMps2: 0,
      };
    },
    hiddenUntilS: LEAD_IN_S - revealS,
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover] });
}

/** An obstacle that covers part of the way of a car in the middle of its lane, seen so late. */
export function behindCrest(
  speedKmh: number,
  conditions: Conditions = {},
  { overlapM = 0.7, revealS = 1.55, beside = [] as readonly Mover[] } = {},
): ManoeuvreResult {
  const widthM = CAR.widthM / 2 + overlapM;
  const actor: Actor = { ...VEHICLE, kind: 'obstacle', name: 'obstacle', lengthM: 2, widthM };
  const gapM = speedKmh * KMH * LEAD_IN_S;
  const mover: Mover = {
    actor,
    at: () => standing(gapM + 1, overlapM - CAR.widthM / 2 - widthM / 2),
    hiddenUntilS: LEAD_IN_S - revealS,
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover, ...beside] });
}

/**
 * A van pulls out of a bay beside the lane at 15 km/h when the car is this time from its rear, s.
 */
export function behindCutIn(
  speedKmh: number,
  fromS: number,
  conditions: Conditions = {},
): ManoeuvreResult {
  const actor: Actor = { ...VEHICLE, name: 'van', lengthM: 5.9, widthM: 2, massKg: 2800 };
  const startM = speedKmh * KMH * (LEAD_IN_S + fromS) + actor.lengthM / 2;
  const pullOutMps = 15 * KMH;
  const leftAt = (wayM: number) => -BAY_M * (1 - shareAside(wayM / PULL_OUT_M));
  const mover: Mover = {
    actor,
    at: (timeS) => {
      const wayM = Math.max(0, timeS - LEAD_IN_S) * pullOutMps;
      const leftM = leftAt(wayM);
      return {
        aheadM: startM + wayM,
        leftM,
        headingRad: wayM > 0 ? Math.atan2(leftAt(wayM + 0.1) - leftM, 0.1) : 0,
        speedMps: wayM > 0 ? pullOutMps : 0,
        accelMps2: 0,
      };
    },
  };
  return runManoeuvre({ ...conditions, speedKmh, movers: [mover] });
}

const BAY_M = 3.05;
const PULL_OUT_M = 14;
