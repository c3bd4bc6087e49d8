import { describe, expect, test } from 'vitest';
import type { Point } from '../src/city/types.ts';
import {
  actorOf,
  CAMERA_M,
  type GroundPlan,
  NOSE_M,
  type Pose,
  SensingGround,
} from '../src/testing/rigs/sensing-ground.ts';
import {
  CONTACT_ANIMAL,
  CONTACT_PERSON,
  CONTACT_VEHICLE,
  F_ALL,
  F_CORNER_RADARS,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  SEEN_CAMERA,
  SEEN_CORNERS,
  SEEN_RADAR,
} from './layout.ts';

const ALL_SENSORS = SEEN_CAMERA | SEEN_RADAR | SEEN_CORNERS;
/** Enough looks for any sensor to be sure of anything. */
const LONG = 6;
const OTHER = 1;
const ONCOMING: Point = [-1, 0];
const CORNER_ASIDE_M = 0.75;
const CAR_HALF_M = 2.28;

const person = {
  kind: 'dark_zebra',
  actor: { kind: 'person', lengthM: 0.5, widthM: 0.5 },
} as const;
const deer = { kind: 'deer_crossing', actor: { kind: 'animal', lengthM: 1, widthM: 0.4 } } as const;

/** Sensors that know the other car after a long look at it. */
function seenOf(pose: Pose, plan: GroundPlan = {}): number {
  const [target] = new SensingGround(plan).stare(LONG, { [OTHER]: pose });
  return target?.sensors ?? 0;
}

/** The same of an actor. */
function actorSeen(pose: Pose, plan: GroundPlan): number {
  const [target] = new SensingGround(plan).stare(LONG, {}, [pose]);
  return target?.sensors ?? 0;
}

/** On the line at an angle to the left, coming straight towards the sensor that is `from` m ahead. */
function towards(degrees: number, distance: number, speed: number, from: number, side = 0): Pose {
  const angle = (degrees * Math.PI) / 180;
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  return { ahead: from + distance * x, left: side + distance * y, heading: [-x, -y], speed };
}

describe('A target', () => {
  test('is given in the axes of the own car, with its distance along the own path', () => {
    const ground = new SensingGround({});
    const [target] = ground.stare(LONG, {
      0: { ahead: 0, left: 0, speed: 10 },
      [OTHER]: { ahead: 20, left: 0.5 },
    });
    // Bumper to bumper 20 − 2.21 − 2.28 − 0.07 m; 1.82 m wide, 0.5 m to the left.
    expect(target?.object).toBe(OTHER);
    expect(target?.ahead).toBeCloseTo(20 - 0.07, 6);
    expect(target?.left).toBeCloseTo(0.5, 6);
    expect(target?.path).toBeCloseTo(20 - NOSE_M - CAR_HALF_M - 0.07, 2);
  });

  test('beside the path is not in it', () => {
    const ground = new SensingGround({});
    const [target] = ground.stare(LONG, {
      0: { ahead: 0, left: 0, speed: 10 },
      [OTHER]: { ahead: 20, left: 2.1 },
    });
    expect(target).toMatchObject({ object: OTHER, path: -1 });
  });
});

describe('Scans until a sensor confirms an object', () => {
  const known = (speed: number) => {
    const ground = new SensingGround({});
    return Array.from({ length: 5 }, () => {
      const [target] = ground.look({ [OTHER]: { ahead: 40, left: 0, speed } });
      return target?.sensors ?? 0;
    });
  };

  test('four scans of a moving object', () => {
    expect(known(5)).toEqual([0, 0, 0, ALL_SENSORS, ALL_SENSORS]);
  });

  test('five scans by the front radar of an object that never moved', () => {
    expect(known(0)).toEqual([0, 0, 0, SEEN_CAMERA | SEEN_CORNERS, ALL_SENSORS]);
  });

  test.each([
    [4, ALL_SENSORS],
    [5, 0],
  ])('after %d scans without sight the sensors that still confirm it are %d', (looks, sensors) => {
    const ground = new SensingGround({});
    ground.stare(LONG, { [OTHER]: { ahead: 40, left: 0 } });
    expect(ground.stare(looks, { [OTHER]: { ahead: -40, left: 0 } })).toEqual([]);
    const [target] = ground.look({ [OTHER]: { ahead: 40, left: 0 } });
    expect(target?.sensors ?? 0).toBe(sensors);
  });
});

describe('Range and field of view', () => {
  // To the nearest point: the middle of the other car is half a length and its offset further.
  const at = (m: number, from: number): Pose => ({
    ahead: from + m + CAR_HALF_M - 0.07,
    left: 0,
    heading: ONCOMING,
  });

  test.each([
    ['camera', SEEN_CAMERA, 120, CAMERA_M],
    ['front radar', SEEN_RADAR, 100, NOSE_M],
  ])('the %s sees a car up to its range', (_, sensor, rangeM, from) => {
    expect(seenOf(at(rangeM - 1, from)) & sensor).toBe(sensor);
    expect(seenOf(at(rangeM + 1, from)) & sensor).toBe(0);
  });

  test('the corner radars reach 80 m', () => {
    expect(seenOf(at(78, NOSE_M)) & SEEN_CORNERS).toBe(SEEN_CORNERS);
    expect(seenOf(at(81, NOSE_M)) & SEEN_CORNERS).toBe(0);
  });

  test('the camera sees 50° to either side', () => {
    for (const side of [1, -1]) {
      const plan = { actors: [person], features: F_FRONT_CAMERA };
      expect(actorSeen(towards(side * 49, 24, 1, CAMERA_M), plan)).toBe(SEEN_CAMERA);
      expect(actorSeen(towards(side * 52, 24, 1, CAMERA_M), plan)).toBe(0);
    }
  });

  test('the front radar sees 45° to either side near, 10° far', () => {
    const plan = { features: F_FRONT_RADAR };
    for (const side of [1, -1]) {
      // A car that comes head-on is 1.82 m wide: 1.3° to either side at 40 m, 0.65° at 80 m.
      expect(seenOf(towards(side * 44, 40, 10, NOSE_M), plan)).toBe(SEEN_RADAR);
      expect(seenOf(towards(side * 47, 40, 10, NOSE_M), plan)).toBe(0);
      expect(seenOf(towards(side * 9, 80, 20, NOSE_M), plan)).toBe(SEEN_RADAR);
      expect(seenOf(towards(side * 12, 80, 20, NOSE_M), plan)).toBe(0);
    }
  });

  test('the corner radars see 115° to either side', () => {
    const plan = { features: F_CORNER_RADARS };
    for (const side of [1, -1]) {
      expect(seenOf(towards(side * 113, 20, 5, NOSE_M, side * CORNER_ASIDE_M), plan)).toBe(
        SEEN_CORNERS,
      );
      expect(seenOf(towards(side * 120, 20, 5, NOSE_M, side * CORNER_ASIDE_M), plan)).toBe(0);
    }
  });

  test('[C9] at dusk the camera sees cars to 80 m, persons and animals to 35 m instead of 60', () => {
    const camera = { features: F_FRONT_CAMERA };
    const dusk = { ...camera, weather: 'dusk' } as const;
    expect(seenOf(at(79, CAMERA_M), dusk)).toBe(SEEN_CAMERA);
    expect(seenOf(at(81, CAMERA_M), dusk)).toBe(0);
    for (const actor of [person, deer]) {
      const seen = (m: number, plan: GroundPlan) =>
        actorSeen({ ahead: CAMERA_M + m, left: 0 }, { ...plan, actors: [actor] });
      expect([seen(59, camera), seen(62, camera)]).toEqual([SEEN_CAMERA, 0]);
      expect([seen(34, dusk), seen(37, dusk)]).toEqual([SEEN_CAMERA, 0]);
    }
  });

  test('[C9] in fog the camera sees 16 m, radar as ever', () => {
    const fog = { weather: 'fog' } as const;
    expect(seenOf(at(15.5, CAMERA_M), fog)).toBe(ALL_SENSORS);
    expect(seenOf(at(17, CAMERA_M), fog)).toBe(SEEN_RADAR | SEEN_CORNERS);
    expect(seenOf(at(99, NOSE_M), fog)).toBe(SEEN_RADAR);
  });

  test('the sight of a spot limits the camera; a crest hides from radar too', () => {
    const seen = (kind: 'blind_stall' | 'wet_crest' | 'fog_stall', m: number) =>
      actorSeen({ ahead: NOSE_M + m, left: 0 }, { actors: [{ kind, actor: {}, sightM: 25 }] });
    expect([seen('blind_stall', 24), seen('blind_stall', 40)]).toEqual([
      ALL_SENSORS,
      ALL_SENSORS & ~SEEN_CAMERA,
    ]);
    expect([seen('wet_crest', 24), seen('wet_crest', 40)]).toEqual([ALL_SENSORS, 0]);
    expect(seen('fog_stall', 40)).toBe(ALL_SENSORS);
  });
});

describe('Persons and animals', () => {
  const across: Pose = { ahead: 20, left: 0, heading: [0, 1], speed: 1.5 };
  const nearer: Pose = { ahead: 20, left: 0, heading: ONCOMING, speed: 1.5 };

  test('are classified by the camera only', () => {
    const kindOf = (actor: typeof person | typeof deer, features: number, pose: Pose) =>
      new SensingGround({ actors: [actor], features })
        .stare(LONG, {}, [pose])
        .map(({ object, kind }) => [object, kind]);
    expect(kindOf(person, F_ALL, nearer)).toEqual([[actorOf(0), CONTACT_PERSON]]);
    expect(kindOf(deer, F_ALL, nearer)).toEqual([[actorOf(0), CONTACT_ANIMAL]]);
    expect(kindOf(person, F_FRONT_RADAR, nearer)).toEqual([[actorOf(0), CONTACT_VEHICLE]]);
    expect(kindOf(deer, F_FRONT_RADAR | F_CORNER_RADARS, nearer)).toEqual([]);
  });

  test('radar sees a person who walks towards it or away, to 40 m', () => {
    const plan = { actors: [person], features: F_FRONT_RADAR };
    expect(actorSeen(across, plan)).toBe(0);
    expect(actorSeen(nearer, plan)).toBe(SEEN_RADAR);
    expect(actorSeen({ ...nearer, ahead: 42 }, plan)).toBe(SEEN_RADAR);
    expect(actorSeen({ ...nearer, ahead: 43 }, plan)).toBe(0);
  });
});

describe('Occlusion', () => {
  const KMH = 1 / 3.6;
  /** Walls whose corner lies `a` from the crossing path and `b` from the own, which meet `meet` m ahead. */
  const cornerSight = (
    a: number,
    b: number,
    own: number,
    other: number,
    seconds: number,
    from: Point,
  ) => {
    const meet = own * KMH * seconds + from[0];
    const ground = new SensingGround({
      walls: [{ ahead: [meet - a - 60, meet - a], left: [from[1] - b - 60, from[1] - b] }],
      actors: [{ kind: 'blind_crossing', actor: { lengthM: 0.2, widthM: 0.2 } }],
    });
    const pose: Pose = {
      ahead: meet,
      left: from[1] - other * KMH * seconds,
      heading: [0, 1],
      speed: other * KMH,
    };
    const [target] = ground.stare(LONG, { 0: { ahead: 0, left: 0, speed: own * KMH } }, [pose]);
    return target?.sensors ?? 0;
  };

  test.each([
    [6, 6, 30, 30, 1.44],
    [6, 6, 30, 50, 1.15],
    [8, 6, 30, 60, 1.32],
    [10, 10, 50, 50, 1.44],
  ])(
    'a corner %d m and %d m off, at %d and %d km/h, is looked around %d s before',
    (a, b, own, other, seconds) => {
      // a ÷ v_e + b ÷ v_t, from the right corner radar to an object of 0.2 m.
      const radar: Point = [NOSE_M, -CORNER_ASIDE_M];
      expect(cornerSight(a, b, own, other, seconds - 0.06, radar) & SEEN_CORNERS).toBe(
        SEEN_CORNERS,
      );
      expect(cornerSight(a, b, own, other, seconds + 0.06, radar) & SEEN_CORNERS).toBe(0);
    },
  );

  test('the camera sees crossing traffic at 45°, not at 59° or 63°', () => {
    const camera: Point = [CAMERA_M, 0];
    expect(cornerSight(6, 6, 30, 30, 1.38, camera) & SEEN_CAMERA).toBe(SEEN_CAMERA);
    expect(cornerSight(6, 6, 30, 30, 1.5, camera) & SEEN_CAMERA).toBe(0);
    expect(cornerSight(6, 6, 30, 50, 1.0, camera) & SEEN_CAMERA).toBe(0);
    expect(cornerSight(8, 6, 30, 60, 1.2, camera) & SEEN_CAMERA).toBe(0);
  });

  test('[C10] a vehicle in front hides the one before it', () => {
    const ground = new SensingGround({});
    const cars = { [OTHER]: { ahead: 40, left: 0 }, 2: { ahead: 20, left: 0 } };
    expect(ground.stare(LONG, cars).map(({ object }) => object)).toEqual([2]);
    const swerved = { ...cars, 2: { ahead: 20, left: 4 } };
    expect(ground.stare(LONG, swerved).map(({ object }) => object)).toEqual([2, OTHER]);
  });

  test('a parked car hides a child until it has stepped out', () => {
    const child = { kind: 'parked_row_child', actor: { ...person.actor } } as const;
    const plan = {
      walls: [{ ahead: [14, 18.5] as Point, left: [-3.7, -1.9] as Point }],
      actors: [child],
    };
    // From the camera the car's near front corner is at (18.5 − 0.61, −1.9): 6.06°, where 19.39 m ahead is −2.06 m.
    expect(actorSeen({ ahead: 20, left: -2.8, heading: [0, 1], speed: 1.4 }, plan)).toBe(0);
    expect(
      actorSeen({ ahead: 20, left: -1.7, heading: [0, 1], speed: 1.4 }, plan) & SEEN_CAMERA,
    ).toBe(SEEN_CAMERA);
  });
});

describe('A feature that is off', () => {
  test.each([
    [F_ALL & ~F_FRONT_CAMERA, SEEN_RADAR | SEEN_CORNERS],
    [F_ALL & ~F_FRONT_RADAR, SEEN_CAMERA | SEEN_CORNERS],
    [F_ALL & ~F_CORNER_RADARS, SEEN_CAMERA | SEEN_RADAR],
    [F_ALL & ~(F_FRONT_CAMERA | F_FRONT_RADAR | F_CORNER_RADARS), 0],
  ])('[C8] delivers nothing: of %d there is %d', (features, sensors) => {
    expect(seenOf({ ahead: 30, left: 0 }, { features })).toBe(sensors);
  });

  test('[C7] camera or front radar measure the gap to a broken-down car', () => {
    const gap = (features: number) => {
      const ground = new SensingGround({ features, actors: [{ kind: 'sudden_stop', actor: {} }] });
      ground.stare(LONG, { 0: { ahead: 0, left: 0, speed: 10 } }, [{ ahead: 30, left: 0 }]);
      return ground.gap();
    };
    const expected = 30 - NOSE_M - 2.25;
    expect(gap(F_ALL)).toBeCloseTo(expected, 2);
    expect(gap(F_ALL & ~F_FRONT_CAMERA)).toBeCloseTo(expected, 2);
    expect(gap(F_ALL & ~F_FRONT_RADAR)).toBeCloseTo(expected, 2);
    expect(gap(F_ALL & ~(F_FRONT_CAMERA | F_FRONT_RADAR))).toBe(-1);
  });
});
