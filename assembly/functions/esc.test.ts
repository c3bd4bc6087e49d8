import { describe, expect, it, test } from 'vitest';
import { at } from '../../src/city/geometry.ts';
import { cars, look, makeOneWorld, stepTo } from '../../src/testing/rigs/kernel.ts';
import {
  type SineRun,
  sineWithDwell,
  unitAmplitudes,
} from '../../src/testing/rigs/manoeuvres-esc.ts';
import { ProvingGround } from '../../src/testing/rigs/proving-ground.ts';
import { edit } from '../../src/testing/rigs/slab-editor.ts';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import {
  C_ACTED,
  C_DRIVE,
  C_EFFECTIVE,
  C_ESC_ACTIVE,
  C_ESC_BRAKE_FRONT,
  C_ESC_BRAKE_REAR,
  C_FLAGS,
  C_STATUS,
  C_STEER,
  C_STEER_TARGET,
  C_VX,
  C_VY,
  C_YAW_MOMENT,
  C_YAW_RATE,
  C_YAW_REFERENCE,
  ESC_TICKS,
  EVENT_INTERVENTION,
  F_ALL,
  F_BRAKES,
  F_ESC,
  F_STEERING,
  FLAG_ESC,
  STATUS_CRASHED,
} from '../layout.ts';

const GRAVITY = 9.81;
const RADIANS = Math.PI / 180;
const ESC_BIT = 11;
const units = unitAmplitudes(CAR_TYPES);
const types = CAR_TYPES.map((type, i) => ({ model: type.model, type, unit: at(units, i) }));

describe.each(types)('the sine with dwell at 80 km/h by a $model', ({ type, unit }) => {
  const runs = (amplitudes: readonly number[], hasEsc: boolean): SineRun[] =>
    amplitudes.map((amplitude) => ({ type, amplitudeRad: amplitude * unit, hasEsc }));
  /** From 1.5 to 6.5 times the angle of 0.3 g in steps of a half, and 8 times. */
  const amplitudes = [...Array.from({ length: 11 }, (_, i) => 1.5 + i / 2), 8];

  it('begins from the angle that turns it by 0.3 g', () => {
    // δ = ay (L ÷ v² + K): 0.023 rad for L = 2.6 m, K = 0.0026 s²/m; the tyres' curve adds some.
    const understeer = (1 / type.stiffnessFront - 1 / type.stiffnessRear) / GRAVITY / 0.95;
    const linear = 0.3 * GRAVITY * (type.wheelbaseM / (80 / 3.6) ** 2 + understeer);
    expect(unit).toBeGreaterThan(linear);
    expect(unit).toBeLessThan(1.06 * linear);
  });

  it('[C17] ends in a spin without stability control where the wheels turn far', () => {
    for (const result of sineWithDwell(runs([5, 5.5, 6, 6.5], false))) {
      expect(result.yawRatioAt1s).toBeGreaterThan(0.35);
      expect(result.yawRatioAt175s).toBeGreaterThan(0.2);
      expect(result.slipMaxRad).toBeGreaterThan(60 * RADIANS);
    }
  });

  it('[C17] is passed with it at every amplitude', () => {
    for (const [i, result] of sineWithDwell(runs(amplitudes, true)).entries()) {
      expect(Math.abs(result.yawRatioAt1s)).toBeLessThan(0.35);
      expect(Math.abs(result.yawRatioAt175s)).toBeLessThan(0.2);
      expect(result.slipMaxRad).toBeLessThan(6 * RADIANS);
      if (at(amplitudes, i) >= 5) expect(result.lateralM).toBeGreaterThan(1.83);
    }
  });

  it('is driven the same with it and without where the wheels turn little', () => {
    const [on, off] = sineWithDwell([...runs([1], true), ...runs([1], false)]);
    expect(on).toEqual(off);
  });
});

/** One tick of a car on a plane, which has been driving like this for long enough. */
function tickOf(
  car: Partial<Record<'speed' | 'steer' | 'yawRate' | 'reference' | 'drive', number>>,
  friction = 0.95,
  mask = F_ALL,
): ProvingGround {
  const type = { ...at(CAR_TYPES, 1), heightM: 0 };
  const ground = new ProvingGround([type], friction);
  ground.setI32(C_EFFECTIVE, 0, mask);
  ground.set(C_VX, 0, car.speed ?? 15);
  ground.set(C_STEER, 0, car.steer ?? 0);
  ground.set(C_STEER_TARGET, 0, car.steer ?? 0);
  ground.set(C_YAW_RATE, 0, car.yawRate ?? 0);
  ground.set(C_YAW_REFERENCE, 0, car.reference ?? car.yawRate ?? 0);
  ground.set(C_VY, 0, type.lrM * (car.yawRate ?? 0));
  ground.set(C_DRIVE, 0, car.drive ?? 0);
  ground.move();
  return ground;
}

describe('stability control', () => {
  const { massKg, yawInertiaKgM2, wheelbaseM, lrM, brakeFront } = at(CAR_TYPES, 1);
  const leverage = (massKg / yawInertiaKgM2) * 0.75;
  const frontLoad = (GRAVITY * lrM) / wheelbaseM;
  const rearLoad = GRAVITY - frontLoad;
  /** Of the reference in the tick, which closes up to straight on by 1 − exp(−1/3). */
  const kept = Math.exp(-1 / 3);

  it('brakes the outer front wheel of a car that turns more than it should', () => {
    const ground = tickOf({ yawRate: 0.2, reference: 0.1 });
    const force = (7 * (0.2 - 0.1 * kept)) / leverage;
    expect(ground.get(C_ESC_BRAKE_FRONT)).toBeCloseTo(force, 6);
    expect(ground.get(C_ESC_BRAKE_REAR)).toBe(0);
    expect(ground.get(C_YAW_MOMENT)).toBeCloseTo(-force * leverage, 6);
    const mirrored = tickOf({ yawRate: -0.2, reference: -0.1 });
    expect(mirrored.get(C_YAW_MOMENT)).toBeCloseTo(force * leverage, 6);
    expect(mirrored.get(C_ESC_BRAKE_FRONT)).toBeCloseTo(force, 6);
  });

  it('brakes the inner rear wheel of one that turns less, all of it a little, and cuts the drive', () => {
    const ground = tickOf({ yawRate: 0.12, reference: 0.3, drive: 2 });
    const slowing = 0.25 * 0.95 * GRAVITY;
    const force = (7 * (0.3 * kept - 0.12)) / leverage;
    expect(ground.get(C_ESC_BRAKE_FRONT)).toBeCloseTo(slowing * brakeFront, 6);
    expect(ground.get(C_ESC_BRAKE_REAR)).toBeCloseTo(slowing * (1 - brakeFront) + force, 6);
    expect(ground.get(C_YAW_MOMENT)).toBeCloseTo(force * leverage, 6);
    expect(ground.get(C_DRIVE)).toBe(0);
  });

  it('brakes a wheel by no more than 0.9 of the friction under it', () => {
    for (const friction of [0.95, 0.55, 0.2]) {
      const ground = tickOf({ yawRate: 2, reference: 1 }, friction);
      expect(ground.get(C_ESC_BRAKE_FRONT)).toBeCloseTo(0.9 * friction * 0.5 * frontLoad, 6);
    }
  });

  it('leaves an axle that it slows the hold to steer', () => {
    const ground = tickOf({ yawRate: 0.05, reference: 2, speed: 10 }, 0.2);
    expect(ground.get(C_ESC_BRAKE_REAR)).toBeLessThan(0.7 * 0.2 * rearLoad);
    expect(ground.get(C_ESC_BRAKE_FRONT)).toBeLessThan(0.7 * 0.2 * frontLoad);
  });

  it('limits drive to half of the friction of the driven axle', () => {
    const ground = tickOf({ yawRate: 0.2, reference: 0.1, drive: 3 }, 0.2);
    expect(ground.get(C_DRIVE)).toBeCloseTo(0.5 * 0.2 * frontLoad, 6);
  });

  it.each([
    ['3°/s beside the reference', { yawRate: 2.9 * RADIANS }, { yawRate: 3.1 * RADIANS }],
    // µ g at δ = µ g (L + K v²) ÷ v² = 1.962 × 2.737 ÷ 36 = 0.149 rad.
    ['wheels turned for more than the road gives', { steer: 0.147 }, { steer: 0.151 }],
  ])('begins at %s', (_, less, more) => {
    const isSteered = 'steer' in less;
    const speed = isSteered ? 6 : 15;
    const friction = isSteered ? 0.2 : 0.95;
    // On its reference as far as that goes: 0.85 of the friction.
    const yawRate = isSteered ? (0.85 * 0.2 * GRAVITY) / speed : 0;
    const still = tickOf({ speed, yawRate, ...less, reference: yawRate }, friction);
    expect(still.getI32(C_ESC_ACTIVE)).toBe(0);
    const acts = tickOf({ speed, yawRate, ...more, reference: yawRate }, friction);
    expect(acts.getI32(C_ESC_ACTIVE)).toBe(ESC_TICKS);
    expect(acts.getI32(C_ACTED)).toBe(F_ESC | F_BRAKES);
  });

  it('does nothing below 4 m/s, and nothing for a car that does without', () => {
    const car = { yawRate: 0.5, reference: 0.1 };
    expect(tickOf({ ...car, speed: 3.9 }).getI32(C_ESC_ACTIVE)).toBe(0);
    expect(tickOf({ ...car, speed: 4.1 }).getI32(C_ESC_ACTIVE)).toBe(ESC_TICKS);
    const without = tickOf(car, 0.95, F_ALL & ~F_ESC);
    for (const array of [C_ESC_BRAKE_FRONT, C_ESC_BRAKE_REAR, C_YAW_MOMENT]) {
      expect(without.get(array)).toBe(0);
    }
    expect(without.getI32(C_ACTED)).toBe(0);
  });
});

describe('an intervention of stability control in a world', () => {
  /** A world whose first car that drives fast enough has been struck so that it turns. */
  function disturbed(mask = F_ALL) {
    const { kernel, slab } = makeOneWorld(3);
    stepTo(kernel, slab, 400);
    const view = look(kernel, slab);
    const car = cars.find((one) => view.real(C_VX, one) > 7) ?? 0;
    kernel.apply(slab, 400, car, F_ALL, mask);
    const strike = () =>
      edit(kernel, slab, (world) =>
        world.setReal(C_YAW_RATE, car, world.real(C_YAW_RATE, car) + 0.3),
      );
    const read = () => look(kernel, slab);
    const interventions = () =>
      kernel
        .events(slab)
        .filter((event) => event.kind === EVENT_INTERVENTION && event.feature === ESC_BIT)
        .filter((event) => event.car === car);
    return { kernel, slab, car, strike, read, interventions };
  }

  it('[C18] is flagged, and told of once', () => {
    const { kernel, slab, car, strike, read, interventions } = disturbed();
    expect(interventions()).toEqual([]);
    strike();
    stepTo(kernel, slab, 404);
    expect(read().i32(C_FLAGS, car) & FLAG_ESC).toBe(FLAG_ESC);
    expect(interventions()).toMatchObject([{ car, tick: 401 }]);
    stepTo(kernel, slab, 460);
    expect(read().i32(C_FLAGS, car) & FLAG_ESC).toBe(0);
    for (const array of [C_ESC_BRAKE_FRONT, C_ESC_BRAKE_REAR, C_YAW_MOMENT]) {
      expect(read().real(array, car)).toBe(0);
    }
    strike();
    stepTo(kernel, slab, 464);
    expect(read().i32(C_FLAGS, car) & FLAG_ESC).toBe(FLAG_ESC);
    expect(interventions()).toHaveLength(1);
  });

  test.each([
    ['stability control', F_ESC],
    ['brakes', F_BRAKES],
    ['steering', F_STEERING],
  ])('does not come to a car without %s', (_, feature) => {
    const { kernel, slab, car, strike, read, interventions } = disturbed(F_ALL & ~feature);
    strike();
    stepTo(kernel, slab, 404);
    expect(read().i32(C_FLAGS, car) & FLAG_ESC).toBe(0);
    expect(interventions()).toEqual([]);
  });

  it('ends with a crash', () => {
    const { kernel, slab, car, strike, read } = disturbed();
    strike();
    stepTo(kernel, slab, 402);
    edit(kernel, slab, (world) => world.setI32(C_STATUS, car, STATUS_CRASHED));
    stepTo(kernel, slab, 404);
    expect(read().i32(C_FLAGS, car)).toBe(0);
    expect(read().real(C_YAW_MOMENT, car)).toBe(0);
  });
});
