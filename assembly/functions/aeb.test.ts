import { describe, expect, it } from 'vitest';
import { makeKernel, makeWorld, stepTo } from '../../src/testing/rigs/kernel.ts';
import { KMH, type Mover, runManoeuvre } from '../../src/testing/rigs/manoeuvre.ts';
import {
  ADULT_FROM_FAR_SIDE,
  acrossTheLane,
  adultAlong,
  adultFromNearSide,
  behindBraking,
  behindCutIn,
  CHILD_FROM_PARKED_CARS,
  CYCLIST_ALONG,
  CYCLIST_FROM_FAR_SIDE,
  CYCLIST_FROM_NEAR_SIDE,
  CYCLIST_FROM_PARKED_CARS,
  DEER_FROM_HEDGE,
  headOn,
  headOnChangingLane,
  PERSON,
  towardsSlower,
  towardsStanding,
  VEHICLE,
} from '../../src/testing/rigs/manoeuvres.ts';
import { runTurn } from '../../src/testing/rigs/manoeuvres-junction.ts';
import {
  EVENT_INTERVENTION,
  F_AEB,
  F_ALL,
  F_ANIMAL_DETECTION,
  F_BRAKES,
  F_EVASIVE_STEERING,
  F_FRONT_CAMERA,
  F_FRONT_RADAR,
  F_INTERSECTION_ASSIST,
  FLAG_AEB,
  FLAG_BRAKING,
} from '../layout.ts';

/** Without evasive steering: braking alone counts. */
const ON = F_ALL & ~F_EVASIVE_STEERING;
const OFF = ON & ~F_AEB;

/** Runs a manoeuvre that ends in a contact without emergency braking, and in none with it. */
function avoided<Result extends { contact: boolean }>(
  run: (own: { features: number }) => Result,
): { on: Result; off: Result } {
  const [on, off] = [run({ features: ON }), run({ features: OFF })];
  expect(on.contact).toBe(false);
  expect(off.contact).toBe(true);
  return { on, off };
}

describe('Euro NCAP car to car, dry', () => {
  it.each([
    [10, 1.2],
    [20, 0.8],
    [30, 2.4],
    [40, 3.3],
    [50, 4.9],
    [60, 6.5],
    [70, 8.3],
    [80, 10.3],
  ])('[C11] CCRs %i km/h: stops %d m before a standing car', (kmh, gapM) => {
    const { on, off } = avoided((own) => towardsStanding(kmh, own));
    expect(on.speedKmh).toBeLessThan(0.2);
    expect(Math.abs(on.minGapM - gapM)).toBeLessThan(0.3);
    expect(off.impactSpeedKmh).toBeCloseTo(kmh, 0);
  });

  it.each([-1, -0.5, 0.5, 1])('CCRs 50 km/h, the other %d m aside', (leftM) => {
    avoided((own) => towardsStanding(50, own, { leftM }));
  });

  it.each([30, 40, 50, 60, 70, 80])('[C11] CCRm %i km/h: falls below the 20 km/h ahead', (kmh) => {
    const { on, off } = avoided((own) => towardsSlower(kmh, 20, own));
    expect(on.speedKmh).toBeLessThan(20);
    expect(off.impactSpeedKmh).toBeCloseTo(kmh - 20, 0);
  });

  it.each([
    [50, 12, 2, 25],
    [50, 12, 6, 43.6],
    [50, 40, 2, 45.6],
    [50, 40, 6, 50],
    // One second behind.
    [30, 30 * KMH, 4, 29.7],
    [50, 50 * KMH, 4, 38],
    [80, 80 * KMH, 4, 48.1],
  ])(
    'CCRb %i km/h, %i m behind a car that brakes by %i m/s²: would strike it with %d km/h',
    (kmh, gapM, decelMps2, impactKmh) => {
      const { off } = avoided((own) => behindBraking(kmh, gapM, decelMps2, own));
      expect(Math.abs(off.impactSpeedKmh - impactKmh)).toBeLessThan(1);
    },
  );

  it.each([
    [50, 50, 0],
    [50, 70, 0],
    [70, 50, 0],
    [70, 70, 7.8],
  ])(
    'CCFhos %i km/h towards an oncoming %i km/h: is at %d km/h when they meet',
    (kmh, other, ownKmh) => {
      // The other does not brake, so they meet: the car itself stands, or nearly.
      const on = headOn(kmh, other, 0.5, { features: ON });
      expect(on.contact).toBe(true);
      expect(Math.abs(on.impactSpeedKmh - other - ownKmh)).toBeLessThan(1);
      const off = headOn(kmh, other, 0.5, { features: OFF });
      expect(off.impactSpeedKmh).toBeCloseTo(kmh + other, 0);
    },
  );

  it.each([
    [50, 44, 0],
    [70, 60, 8.4],
  ])(
    'CCFhol %i km/h, a lane change in %i m: is at %d km/h when they meet',
    (kmh, changeM, ownKmh) => {
      const on = headOnChangingLane(kmh, changeM, { features: ON });
      // It begins to come over after one second, and is over 1.5 s before they would meet.
      const [first, ...others] = on.interventions;
      expect(first?.feature).toBe('aeb');
      expect(first?.timeS).toBeGreaterThan(1);
      expect(first?.timeS).toBeLessThan(1 + changeM / (kmh / 3.6) + 0.5);
      expect(others).toEqual([]);
      expect(Math.abs(on.impactSpeedKmh - kmh - ownKmh)).toBeLessThan(1);
      const off = headOnChangingLane(kmh, changeM, { features: OFF });
      expect(off.impactSpeedKmh).toBeCloseTo(2 * kmh, 0);
    },
  );

  it('stops for a van that pulls out 2 s ahead, at 50 km/h', () => {
    avoided((own) => behindCutIn(50, 2, own));
  });
});

describe('[C11] Euro NCAP pedestrians, dry', () => {
  it.each([
    ['CPNA-25', adultFromNearSide(0.25)],
    ['CPNA-75', adultFromNearSide(0.75)],
    ['CPFA-50', ADULT_FROM_FAR_SIDE],
  ])('%s, 10 to 60 km/h', (_, walk) => {
    for (const kmh of [10, 20, 30, 40, 50, 60]) {
      const { off } = avoided((own) => acrossTheLane(kmh, walk, own));
      expect(off.impactSpeedKmh).toBeCloseTo(kmh, 0);
    }
  });

  it.each([10, 20, 30, 40, 50])('CPNCO-50 %i km/h', (kmh) => {
    avoided((own) => acrossTheLane(kmh, CHILD_FROM_PARKED_CARS, own));
  });

  describe.each([
    ['left', 'same'],
    ['left', 'opposite'],
    ['right', 'same'],
    ['right', 'opposite'],
  ] as const)('CPTA, %s, the adult walks the %s way', (turn, walks) => {
    it.each([10, 15, 20])('%i km/h', (speedKmh) => {
      // Intersection assist would brake for the adult as well.
      const { on, off } = avoided(({ features }) =>
        runTurn({ turn, walks, speedKmh, features: features & ~F_INTERSECTION_ASSIST }),
      );
      expect(on.interventions.map(({ feature }) => feature)).toEqual(['aeb']);
      expect(off.impactSpeedKmh).toBeCloseTo(speedKmh, 0);
    });
  });

  it('needs the camera', () => {
    const blind = acrossTheLane(40, adultFromNearSide(0.25), { features: ON & ~F_FRONT_CAMERA });
    expect(blind.contact).toBe(true);
    expect(blind.interventions).toEqual([]);
  });
});

describe('limits', () => {
  /**
   * Impacts of the published law, which does not know the friction, and ours. The published runs brake
   * on what sensors reported some 0.1 s before and have no drag of the air; the kernel brakes on what
   * is there now. So it strikes up to 5 km/h slower, and nowhere faster.
   */
  it.each([
    [0.6, 30, 0, 0],
    [0.6, 40, 0, 0],
    [0.6, 50, 0, 0],
    [0.6, 60, 9, 6.6],
    [0.6, 70, 16, 10.9],
    [0.6, 80, 22, 18.7],
    [0.3, 10, 0, 0],
    [0.3, 20, 9, 7],
    [0.3, 30, 18, 16.7],
    [0.3, 40, 26, 23.9],
    [0.3, 50, 34, 32.4],
    [0.3, 60, 42, 40.7],
    [0.3, 70, 50, 47.6],
    [0.3, 80, 57, 55.8],
    [0.1, 10, 7, 6.6],
    [0.1, 20, 17, 16.6],
    [0.1, 30, 26, 26.1],
    [0.1, 40, 36, 35.2],
    [0.1, 50, 45, 44.5],
    [0.1, 60, 54, 53.9],
    [0.1, 70, 64, 62.8],
    [0.1, 80, 73, 72],
  ])(
    'friction %d, %i km/h: strikes where the published law does, at %i km/h, with %d km/h',
    (friction, kmh, publishedKmh, impactKmh) => {
      const { contact, impactSpeedKmh } = towardsStanding(kmh, { features: ON, friction });
      expect(contact).toBe(publishedKmh > 0);
      expect(Math.abs(impactSpeedKmh - impactKmh)).toBeLessThan(1);
      expect(impactSpeedKmh).toBeLessThan(publishedKmh + 0.5);
    },
  );

  /**
   * The published runs know an object 0.21 s after it came into sight. Ours need four scans of 80 ms,
   * 0.24 to 0.32 s: they strike 2 to 9 km/h faster, and need a tenth of a second more to stop.
   */
  it.each([
    [30, 0.6, 23, 26.1],
    [30, 0.7, 18, 23],
    [30, 0.8, 12, 19.3],
    [30, 0.9, 0, 8.2],
    [30, 1, 0, 0],
    [50, 0.8, 35, 40.4],
    [50, 0.9, 30, 33.6],
    [50, 1, 24, 29.3],
    [50, 1.1, 16, 25],
    [50, 1.2, 0, 19.4],
    [50, 1.3, 0, 0],
    [60, 1.1, 33, 36.8],
    [60, 1.2, 26, 32.5],
    [60, 1.3, 18, 21.4],
    [60, 1.5, 0, 0],
  ])(
    'at %i km/h a car in sight from %d s before contact on, published with %i km/h: strikes it with %d km/h',
    (kmh, revealS, publishedKmh, impactKmh) => {
      const { contact, impactSpeedKmh } = towardsStanding(kmh, { features: ON }, { revealS });
      expect(contact).toBe(impactKmh > 0);
      expect(Math.abs(impactSpeedKmh - impactKmh)).toBeLessThan(1);
      if (publishedKmh > 0) expect(contact).toBe(true);
    },
  );

  it('brakes cautiously above 50 km/h for an object that only the radar has seen', () => {
    const sure = towardsStanding(80, { features: ON });
    const unsure = towardsStanding(80, { features: ON & ~F_FRONT_CAMERA });
    expect(unsure.contact).toBe(false);
    expect(unsure.minGapM).toBeLessThan(sure.minGapM - 3);
    expect(unsure.acted & F_FRONT_CAMERA).toBe(0);
  });

  it('works with the camera alone', () => {
    const { contact, acted } = towardsStanding(60, { features: ON & ~F_FRONT_RADAR });
    expect(contact).toBe(false);
    expect(acted).toBe(F_AEB | F_BRAKES | F_FRONT_CAMERA);
  });

  it.each([
    ['brakes', F_BRAKES],
    ['both front sensors', F_FRONT_CAMERA | F_FRONT_RADAR],
  ])('[F6] does nothing without %s', (_, missing) => {
    const { contact, interventions, acted } = towardsStanding(40, { features: ON & ~missing });
    expect(contact).toBe(true);
    expect(interventions).toEqual([]);
    expect(acted & F_AEB).toBe(0);
  });
});

describe('an intervention', () => {
  it('[C18] is one event, shows in the flags and credits what took part', () => {
    const { interventions, flags, acted } = towardsStanding(50, { features: ON });
    expect(interventions.map(({ feature }) => feature)).toEqual(['aeb']);
    // Partial braking begins 1.54 s before contact, by a gap that is half a metre less than it is.
    expect(interventions[0]?.timeS).toBeGreaterThan(4 - 1.54 - 0.1);
    expect(interventions[0]?.timeS).toBeLessThan(4 - 1.54 + 0.1);
    expect(flags & (FLAG_AEB | FLAG_BRAKING)).toBe(FLAG_AEB | FLAG_BRAKING);
    expect(acted).toBe(F_AEB | F_BRAKES | F_FRONT_CAMERA | F_FRONT_RADAR);
  });

  it('holds the car for two seconds after the stop', () => {
    const { heldS } = towardsStanding(50, { features: ON, goesOnStanding: true });
    expect(heldS).toBeGreaterThan(1.9);
    expect(heldS).toBeLessThan(2.7);
  });

  it('brakes harder than any driver, up to what tyres transmit', () => {
    const { decelMps2 } = towardsStanding(60, { features: ON });
    expect(decelMps2).toBeGreaterThan(8);
    expect(decelMps2).toBeLessThan(0.95 * 9.81);
  });
});

describe('animals', () => {
  it.each([30, 40, 50])('[C13] only animal detection brakes for a deer, %i km/h', (kmh) => {
    const own = acrossTheLane(kmh, DEER_FROM_HEDGE, { features: ON & ~F_AEB });
    expect(own.contact).toBe(false);
    expect(own.interventions.map(({ feature }) => feature)).toEqual(['animal_detection']);
    expect(own.acted).toBe(F_ANIMAL_DETECTION | F_BRAKES | F_FRONT_CAMERA);
    expect(own.flags & FLAG_AEB).toBe(FLAG_AEB);
    const others = acrossTheLane(kmh, DEER_FROM_HEDGE, { features: ON & ~F_ANIMAL_DETECTION });
    expect(others.impactSpeedKmh).toBeCloseTo(kmh, 0);
    expect(others.interventions).toEqual([]);
  });

  it('cause only a warning without brakes', () => {
    const { contact, flags, acted } = acrossTheLane(40, DEER_FROM_HEDGE, {
      features: ON & ~F_BRAKES,
    });
    expect(contact).toBe(true);
    expect(flags & FLAG_AEB).toBe(0);
    expect(acted & F_ANIMAL_DETECTION).toBe(0);
  });
});

describe('no intervention for', () => {
  const still = (leftM: number, headingRad = 0) => ({
    aheadM: 60,
    leftM,
    headingRad,
    speedMps: 0,
    accelMps2: 0,
  });
  const MOVERS: readonly (readonly [string, Mover])[] = [
    ['a person beside the lane', { actor: PERSON, at: () => still(-2) }],
    ['a car parked beside the lane', { actor: VEHICLE, at: () => still(-2.6) }],
    [
      'an oncoming car',
      {
        actor: VEHICLE,
        at: (timeS) => ({ ...still(3.5, Math.PI), aheadM: 150 - 14 * timeS, speedMps: 14 }),
      },
    ],
    [
      'a person who has crossed before',
      {
        actor: PERSON,
        at: (timeS) => ({ ...still(-5 + 2 * timeS, Math.PI / 2), speedMps: 2 }),
      },
    ],
    [
      'a car that drives away ahead',
      { actor: VEHICLE, at: (timeS) => ({ ...still(0), aheadM: 20 + 15 * timeS, speedMps: 15 }) },
    ],
  ];

  it.each(MOVERS)('%s', (_, mover) => {
    const { interventions, contact } = runManoeuvre({ speedKmh: 50, movers: [mover], lastsS: 6 });
    expect(interventions).toEqual([]);
    expect(contact).toBe(false);
  });

  it('[C12] ordinary traffic: AEB brakes for no car on 60 km of streets', () => {
    const kernel = makeKernel(1);
    for (const cityIndex of [0, 1, 2]) {
      const slab = makeWorld(kernel, 30 + cityIndex, cityIndex);
      stepTo(kernel, slab, 6000);
      const braked = kernel
        .events(slab)
        .filter(
          ({ kind, feature, hazard }) =>
            kind === EVENT_INTERVENTION && feature === AEB && hazard < 0,
        );
      expect(braked).toEqual([]);
      kernel.release(slab);
    }
  });
});

/** Index in the catalogue. */
const AEB = Math.log2(F_AEB);

describe('[C11] Euro NCAP cyclists and an adult along the lane', () => {
  it.each([
    ['CBNA', 20, CYCLIST_FROM_NEAR_SIDE],
    ['CBNA', 50, CYCLIST_FROM_NEAR_SIDE],
    ['CBNAO', 40, CYCLIST_FROM_PARKED_CARS],
    ['CBFA', 60, CYCLIST_FROM_FAR_SIDE],
  ])('%s %i km/h: stops', (_, kmh, walk) => {
    const { off } = avoided((own) => acrossTheLane(kmh, walk, own));
    expect(off.impactSpeedKmh).toBeCloseTo(kmh, 0);
  });

  it.each([
    ['CBLA', 40, 15, CYCLIST_ALONG],
    ['CBLA', 60, 15, CYCLIST_ALONG],
    ['CPLA-50', 40, 5, adultAlong(0.5)],
    ['CPLA-25', 80, 5, adultAlong(0.25)],
  ])('%s %i km/h: falls below the %i km/h ahead', (_, kmh, otherKmh, who) => {
    const { on, off } = avoided((own) => towardsSlower(kmh, otherKmh, own, who));
    expect(on.speedKmh).toBeLessThan(otherKmh);
    expect(off.impactSpeedKmh).toBeCloseTo(kmh - otherKmh, 0);
  });
});
