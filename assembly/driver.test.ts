import { describe, expect, it, test } from 'vitest';
import { loadProbe } from '../src/testing/rigs/probe.ts';
import { ProvingGround } from '../src/testing/rigs/proving-ground.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import { C_ACCEL_COMFORT, C_DECEL_COMFORT, C_HEADWAY } from './layout.ts';

/** Parameters of a car in a city (Treiber, Hennecke, Helbing 2000; Treiber, Kesting 2013). */
const WANTED_MPS = 13.89;
const HEADWAY_S = 1;
const STANDSTILL_M = 2;
const ACCEL_MPS2 = 1.5;
const DECEL_MPS2 = 2;
/** Added to the standstill gap, since brakes act late. */
const STOPPING_LAG_M = 0.7;

function makeDriver(headway = HEADWAY_S): ProvingGround {
  const ground = new ProvingGround(CAR_TYPES);
  ground.setAll(C_ACCEL_COMFORT, ACCEL_MPS2);
  ground.setAll(C_DECEL_COMFORT, DECEL_MPS2);
  ground.setAll(C_HEADWAY, headway);
  return ground;
}

/** Towards a standing vehicle the driver keeps 0.3 of its headway. */
const headwayTo = (leadSpeed: number) => (leadSpeed === 0 ? HEADWAY_S / 0.3 : HEADWAY_S);

const followed = (speed: number, leadSpeed: number, gap: number) =>
  makeDriver(headwayTo(leadSpeed)).followAccel(
    speed,
    leadSpeed,
    gap,
    STANDSTILL_M - STOPPING_LAG_M,
  );

const free = (speed: number) => loadProbe().freeAccel(ACCEL_MPS2, speed, WANTED_MPS);

/** The intelligent driver model: the sum of the free-road and the interaction terms. */
const model = (speed: number, leadSpeed: number, gap: number) =>
  free(speed) + followed(speed, leadSpeed, gap) - ACCEL_MPS2;

describe('the intelligent driver model', () => {
  test.each([
    [0, 0, 1e9, 1.5],
    [13.89, 0, 1e9, 0],
    [10, 0, 12, -0.40297887128597454],
    [10, 0, 20, 0.5570211287140254],
    [10, 5, 20, -1.5232669769626321],
    [13.89, 13.89, 60, -2.135153860336201],
    [5, -2, 10, 1.2210316031937336],
    [0, 0, 2, 0],
  ])(
    'at %d m/s, closing in by %d m/s on a gap of %d m, accelerates by %d m/s²',
    (speed, closing, gap, accel) => {
      expect(model(speed, speed - closing, gap)).toBeCloseTo(accel, 6);
    },
  );

  test.each([
    [2, 4.000859965507019],
    [5, 7.059518329375023],
    [8, 10.60021758825188],
    [10, 14.03199364958519],
    [12, 21.036060222305256],
  ])('at %d m/s is in equilibrium %d m behind', (speed, gap) => {
    expect(model(speed, speed, gap)).toBeCloseTo(0, 12);
  });

  it('asks on a free road for all of its acceleration at rest, for none at the wanted speed', () => {
    expect(free(0)).toBe(ACCEL_MPS2);
    expect(free(WANTED_MPS / 2)).toBeCloseTo(ACCEL_MPS2 * (1 - 1 / 16), 12);
    expect(free(WANTED_MPS)).toBeCloseTo(0, 12);
  });

  it('slows to a lower limit by no more than 2 m/s²', () => {
    expect(free(1.1 * WANTED_MPS)).toBeCloseTo(ACCEL_MPS2 * (1 - 1.1 ** 4), 12);
    expect(free(2 * WANTED_MPS)).toBe(-2);
  });

  it('brakes the harder the closer and the slower the vehicle ahead is', () => {
    const driver = makeDriver();
    const accels = (of: (value: number) => [number, number]) =>
      [40, 30, 20, 10].map((value) => {
        const [leadSpeed, gap] = of(value);
        return driver.followAccel(12, leadSpeed, gap, STANDSTILL_M);
      });
    for (const found of [accels((gap) => [8, gap]), accels((value) => [value / 4, 20])]) {
      expect(found).toEqual(found.toSorted((a, b) => b - a));
      expect(new Set(found).size).toBe(4);
    }
  });

  it('stands at its standstill gap behind a standing vehicle, and starts when that drives on', () => {
    expect(followed(0, 0, STANDSTILL_M)).toBeCloseTo(0, 12);
    expect(followed(0, 0, STANDSTILL_M - 0.5)).toBeLessThan(-0.5);
    expect(followed(0, 2, STANDSTILL_M + 2)).toBeGreaterThan(1);
  });
});
