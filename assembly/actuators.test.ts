import { describe, expect, it, test } from 'vitest';
import { at } from '../src/city/geometry.ts';
import {
  airOf,
  FULL,
  GRAVITY,
  ProvingGround,
  ROLLING_MPS2,
} from '../src/testing/rigs/proving-ground.ts';
import { CAR_TYPES } from '../src/twin/fleet.ts';
import {
  C_ACCEL,
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_BRAKE,
  C_DRIVE,
  C_EFFECTIVE,
  C_STEER,
  C_STEER_TARGET,
  C_VX,
  CAR_COUNT,
  F_ALL,
  F_BRAKES,
  F_STEERING,
  F_THROTTLE,
  TICK_S,
} from './layout.ts';

const types = [...CAR_TYPES.entries()];

const KMH = 1 / 3.6;
const ENGINE_DRAG = 0.4;
/** Share of the friction limit that brakes under ABS use. */
const ABS_SHARE = 0.95;

describe('an emergency stop', () => {
  /** Way of each type until it stands, m. */
  function stop(speedKmh: number, friction: number): number[] {
    const ground = new ProvingGround(CAR_TYPES, friction);
    ground.setAll(C_VX, speedKmh * KMH);
    ground.demand(FULL);
    ground.move(2500);
    return types.map(([car]) => {
      expect(ground.speed(car)).toBe(0);
      return ground.distance(car);
    });
  }

  test.each([
    [0.95, 10.3, 15],
    [0.55, 18, 23],
    [0.25, 41, 47],
  ])('[C5] from 50 km/h at friction %d takes %d to %d m', (friction, least, most) => {
    for (const way of stop(50, friction)) {
      expect(way).toBeGreaterThan(least);
      expect(way).toBeLessThan(most);
    }
  });

  /** Metres with 0.1 s of dead time, then 30 m/s³ up to 0.95 of friction, and nothing else that drags. */
  test.each([
    [30, 0.9, 6.11],
    [30, 0.6, 7.81],
    [30, 0.3, 13.64],
    [30, 0.2, 19.72],
    [50, 1, 13.86],
    [50, 0.9, 14.8],
    [50, 0.6, 19.92],
    [50, 0.5, 23.16],
    [50, 0.3, 36.53],
    [50, 0.2, 53.57],
    [80, 1, 32.13],
    [80, 0.9, 34.74],
    [80, 0.6, 48.44],
    [80, 0.5, 56.93],
    [80, 0.3, 91.57],
    [80, 0.2, 135.38],
  ])('from %d km/h at friction %d takes up to 6 per cent less than %d m', (kmh, friction, way) => {
    for (const found of stop(kmh, friction)) {
      expect(found).toBeLessThan(way);
      expect(found).toBeGreaterThan(0.94 * way);
    }
  });

  test.each([0.95, 0.55, 0.25, 0.1])(
    'at friction %d takes what dead time, build-up, friction and air make, to 1.5 per cent',
    (friction) => {
      for (const kmh of [30, 50, 80]) {
        for (const [car, found] of stop(kmh, friction).entries()) {
          let [speed, way] = [kmh * KMH, 0];
          for (let ms = 0; speed > 0; ms++) {
            const pressed = 0.03 * Math.max(0, ms - 100);
            const held = ABS_SHARE * friction * GRAVITY;
            const wheels = Math.min(held, ROLLING_MPS2 + ENGINE_DRAG + pressed);
            speed -= 0.001 * (wheels + airOf(at(CAR_TYPES, car), speed));
            way += 0.001 * speed;
          }
          expect(Math.abs(found / way - 1)).toBeLessThan(0.015);
        }
      }
    },
  );
});

describe('steering', () => {
  it('turns the wheels by 0.6 rad/s, to 0.6 rad', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_VX, 5);
    ground.setAll(C_STEER_TARGET, 2);
    for (let tick = 1; tick <= 60; tick++) {
      ground.move();
      expect(ground.get(C_STEER)).toBeCloseTo(Math.min(0.012 * tick, 0.6), 6);
    }
    ground.setAll(C_STEER_TARGET, -2);
    ground.move(25);
    expect(ground.get(C_STEER)).toBeCloseTo(0.3, 6);
    ground.move(100);
    expect(ground.get(C_STEER)).toBeCloseTo(-0.6, 6);
  });

  it('comes to rest at what is asked for', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_STEER_TARGET, 0.1);
    ground.move(20);
    expect(ground.get(C_STEER)).toBe(Math.fround(0.1));
  });

  it('that is off holds its angle', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_VX, 5);
    ground.setAll(C_STEER, 0.07);
    ground.setAll(C_STEER_TARGET, -0.6);
    ground.setI32(C_EFFECTIVE, 1, F_ALL & ~F_STEERING);
    ground.move(200);
    expect(ground.get(C_STEER, 1)).toBe(Math.fround(0.07));
    expect([ground.get(C_STEER, 0), ground.get(C_STEER, 2)]).toEqual([
      Math.fround(-0.6),
      Math.fround(-0.6),
    ]);
    expect(ground.heading(1)).toBeGreaterThan(0);
  });
});

describe('brakes', () => {
  it('act after 0.1 s, then build up and let go at 30 m/s³', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_VX, 30);
    ground.demand(-6);
    const pedal = () => ground.get(C_BRAKE) - ROLLING_MPS2;
    ground.move(5);
    expect(pedal()).toBeCloseTo(0, 7);
    const before = ground.get(C_ACCEL);
    for (let tick = 1; tick <= 8; tick++) {
      ground.move();
      expect(pedal()).toBeCloseTo(30 * TICK_S * tick, 6);
      expect(ground.get(C_ACCEL)).toBeCloseTo(before - 30 * TICK_S * tick, 1);
    }
    ground.move(20);
    expect(ground.get(C_ACCEL)).toBeCloseTo(-6, 2);
    const held = pedal();
    ground.demand(0);
    ground.move(3);
    expect(pedal()).toBeCloseTo(held - 3 * 30 * TICK_S, 6);
    ground.move(20);
    expect(pedal()).toBeCloseTo(0, 7);
  });

  it('are asked for at no more than 10 m/s³', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_VX, 15);
    ground.setAll(C_ACCEL_WANTED, -3.5);
    for (let tick = 1; tick <= 20; tick++) {
      ground.move();
      expect(ground.get(C_ACCEL_TARGET)).toBeCloseTo(Math.max(-0.2 * tick, -3.5), 5);
    }
    ground.setAll(C_ACCEL_WANTED, 1);
    ground.move(10);
    // And let go of at 2.5 m/s³.
    expect(ground.get(C_ACCEL_TARGET)).toBeCloseTo(-3.5 + 10 * 0.05, 6);
  });

  it('that are off leave rolling resistance, engine drag and air, whatever is asked for', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_VX, 14);
    ground.demand(FULL);
    for (let car = 0; car < CAR_COUNT; car++) ground.setI32(C_EFFECTIVE, car, F_ALL & ~F_BRAKES);
    for (let tick = 0; tick < 1000; tick++) {
      ground.move();
      for (const [car, type] of types) {
        const speed = ground.get(C_VX, car);
        // The engine fades out below 2 m/s.
        if (speed < 2.1) continue;
        const drag = ROLLING_MPS2 + ENGINE_DRAG + airOf(type, speed);
        expect(ground.get(C_ACCEL, car)).toBeGreaterThan(-drag - 1e-3);
        if (tick > 20) expect(ground.get(C_ACCEL, car)).toBeLessThan(-drag + 1e-3);
      }
    }
    ground.move(1000);
    for (const [car] of types) expect(ground.speed(car)).toBe(0);
  });
});

describe('throttle', () => {
  it('drives by 3 m/s² up to 8 m/s, then by its power', () => {
    for (const [speed, most] of [
      [3, 3],
      [8, 3],
      [12, 2],
      [16, 1.5],
      [24, 1],
    ] as const) {
      const ground = new ProvingGround(CAR_TYPES);
      for (let tick = 0; tick < 200; tick++) {
        ground.setAll(C_VX, speed);
        ground.demand(10);
        ground.move();
      }
      for (const [car, type] of types) {
        expect(ground.get(C_DRIVE, car)).toBeCloseTo(most, 4);
        const expected = most - ROLLING_MPS2 - airOf(type, speed);
        expect(ground.get(C_ACCEL, car)).toBeCloseTo(expected, 2);
      }
    }
  });

  it('follows with a lag of 0.25 s', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.demand(1);
    const ticks = 12;
    ground.move(ticks);
    const reached = ground.get(C_DRIVE) / (1 + ROLLING_MPS2);
    expect(Math.abs(reached - (1 - Math.exp((-ticks * TICK_S) / 0.25)))).toBeLessThan(0.03);
  });

  it('wishes more by 2.5 m/s³ at most', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_ACCEL_WANTED, 2);
    ground.move(10);
    expect(ground.get(C_ACCEL_TARGET)).toBeCloseTo(0.5, 6);
  });

  it('that is off drives nothing', () => {
    const ground = new ProvingGround(CAR_TYPES);
    for (const [car, speed] of [0, 1, 5, 14].entries()) ground.set(C_VX, car, speed);
    ground.setAll(C_ACCEL_WANTED, 2);
    for (let car = 0; car < CAR_COUNT; car++) ground.setI32(C_EFFECTIVE, car, F_ALL & ~F_THROTTLE);
    for (let tick = 0; tick < 2000; tick++) {
      ground.move();
      for (let car = 0; car < CAR_COUNT; car++) {
        expect(ground.get(C_DRIVE, car)).toBeLessThanOrEqual(0);
        expect(ground.get(C_ACCEL, car)).toBeLessThanOrEqual(0);
      }
    }
    for (let car = 0; car < CAR_COUNT; car++) expect(ground.speed(car)).toBe(0);
  });

  it('on ice spins the driven wheels: no more than friction moves the car, front or rear driven', () => {
    const ground = new ProvingGround(CAR_TYPES, 0.1);
    ground.setAll(C_VX, 5);
    ground.demand(3);
    ground.move(100);
    for (const [car, type] of types) {
      const driven = type.drive === 'front' ? type.lrM : type.wheelbaseM - type.lrM;
      const limit = 0.98 * 0.1 * GRAVITY * (driven / type.wheelbaseM);
      // Load shifts by less than 3 per cent at such accelerations; the other axle rolls.
      expect(ground.get(C_ACCEL, car)).toBeLessThan(1.03 * limit);
      expect(ground.get(C_ACCEL, car)).toBeGreaterThan(0.97 * limit - ROLLING_MPS2 - 0.02);
    }
  });
});
