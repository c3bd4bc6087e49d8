import { describe, expect, it, test } from 'vitest';
import { at } from '../src/city/geometry.ts';
import { VEHICLE_2_TYPE } from '../src/testing/rigs/commonroad.ts';
import {
  airOf,
  DRY,
  FULL,
  GRAVITY,
  ProvingGround,
  ROLLING_MPS2,
} from '../src/testing/rigs/proving-ground.ts';
import { CAR_TYPES, type CarType } from '../src/twin/fleet.ts';
import {
  C_ACCEL,
  C_ACCEL_TARGET,
  C_ACCEL_WANTED,
  C_ACTED,
  C_BRAKE,
  C_BRAKE_TICKS,
  C_DRIVE,
  C_EFFECTIVE,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_LOAD_ACCEL,
  C_STATUS,
  C_STEER,
  C_STEER_TARGET,
  C_TYPE,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_MOMENT,
  C_YAW_RATE,
  C_YAW_REFERENCE,
  CAR_COUNT,
  F_ALL,
  F_ESC,
  STATUS_CRASHED,
  TICK_S,
} from './layout.ts';

const types = [...CAR_TYPES.entries()];

/** Understeer gradient on a road of friction 1, s²/m. */
const understeerOf = ({ stiffnessFront, stiffnessRear }: CarType) =>
  (1 / stiffnessFront - 1 / stiffnessRear) / GRAVITY;

/** Speed and yaw rate of each type after 10 s at a held speed with the wheels turned. */
function corner(
  carTypes: readonly CarType[],
  friction: number,
  speed: number,
  angleOf: (type: CarType) => number,
) {
  const ground = new ProvingGround(carTypes, friction);
  for (const [car, type] of carTypes.entries()) {
    ground.set(C_VX, car, speed);
    ground.set(C_STEER, car, angleOf(type));
  }
  for (let tick = 0; tick < 500; tick++) {
    for (const [car, type] of carTypes.entries()) {
      const missing = speed - ground.get(C_VX, car);
      ground.set(C_DRIVE, car, ROLLING_MPS2 + airOf(type, speed) + 4 * missing);
    }
    ground.integrate();
  }
  return carTypes.map((_, car) => ({
    speed: ground.get(C_VX, car),
    yawRate: ground.get(C_YAW_RATE, car),
  }));
}

describe('steady cornering', () => {
  const accels = [0.5, 1, 1.5, 2, 3, 4];
  const speeds = [10, 12.5, 15, 17.5, 20];

  test.each(accels.flatMap((accel) => speeds.map((speed) => [accel, speed] as const)))(
    'at %d m/s² and %d m/s has the yaw rate of the understeer formula',
    (accel, speed) => {
      // r = v δ ÷ (L + K v²)
      const reach = (type: CarType, v: number) =>
        type.wheelbaseM + (understeerOf(type) / DRY) * v ** 2;
      const angleOf = (type: CarType) => (accel / speed ** 2) * reach(type, speed);
      for (const [car, found] of corner(CAR_TYPES, DRY, speed, angleOf).entries()) {
        const type = at(CAR_TYPES, car);
        const expected = (found.speed * angleOf(type)) / reach(type, found.speed);
        const off = Math.abs(found.yawRate / expected - 1);
        expect(off, type.model).toBeLessThan(accel <= 1.5 ? 0.02 : 0.06);
        // Deviation of the sine curve: far within the required limit.
        expect(off, type.model).toBeLessThan(accel <= 1.5 ? 0.005 : 0.025);
      }
    },
  );

  test.each([
    [15, 24, 5, 0.01, 0.018920593037094438],
    [15, 24, 5, 0.03, 0.05676177911128331],
    [15, 24, 10, 0.01, 0.03528886834949329],
    [15, 24, 10, 0.03, 0.10586660504847986],
    [15, 24, 15, 0.02, 0.09516838679926676],
    [15, 24, 15, 0.03, 0.14275258019890014],
    [15, 24, 20, 0.02, 0.11116419844347274],
    [15, 24, 20, 0.03, 0.1667462976652091],
    [20.9, 20.9, 5, 0.02, 0.038776029961152626],
    [20.9, 20.9, 10, 0.03, 0.11632808988345787],
    [20.9, 20.9, 15, 0.02, 0.11632808988345787],
    [20.9, 20.9, 20, 0.02, 0.1551041198446105],
  ])('stiffness %d front, %d rear, %d m/s, %d rad: %d rad/s', (front, rear, speed, angle, yaw) => {
    const type = { ...VEHICLE_2_TYPE, stiffnessFront: front, stiffnessRear: rear };
    const [found] = corner([type], 1, speed, () => angle);
    // Held to within some millimetres a second.
    expect(Math.abs((found?.speed ?? 0) - speed)).toBeLessThan(0.02);
    const limit = speed * yaw <= 1.5 ? 0.02 : 0.06;
    expect(Math.abs((found?.yawRate ?? 0) / yaw - 1)).toBeLessThan(limit);
  });

  it('at walking pace rolls where its wheels point', () => {
    for (const speed of [0.6, 1, 1.4]) {
      for (const [car, found] of corner(CAR_TYPES, DRY, speed, () => 0.3).entries()) {
        const rolling = (found.speed * Math.tan(0.3)) / at(CAR_TYPES, car).wheelbaseM;
        expect(found.speed).toBeGreaterThan(0.95 * speed);
        expect(Math.abs(found.yawRate / rolling - 1)).toBeLessThan(0.003);
      }
    }
  });

  test.each([0.95, 0.55, 0.25, 0.1])(
    '[C5] never exceeds friction %d, and can use it',
    (friction) => {
      const ground = new ProvingGround(CAR_TYPES, friction);
      ground.setAll(C_VX, 15);
      const greatest = CAR_TYPES.map(() => 0);
      const vyBefore = CAR_TYPES.map(() => 0);
      for (let tick = 0; tick < 150; tick++) {
        ground.setAll(C_STEER, Math.min(0.004 * tick, 0.3));
        ground.integrate();
        for (const [car] of types) {
          const vy = ground.get(C_VY, car);
          const turning = ground.get(C_VX, car) * ground.get(C_YAW_RATE, car);
          const accel = (vy - at(vyBefore, car)) / TICK_S + turning;
          greatest[car] = Math.max(at(greatest, car), accel);
          vyBefore[car] = vy;
        }
      }
      for (const accel of greatest) {
        expect(accel / (friction * GRAVITY)).toBeGreaterThan(0.9);
        expect(accel / (friction * GRAVITY)).toBeLessThan(1);
      }
    },
  );
});

describe('a car that stands', () => {
  const standing = (ground: ProvingGround, car: number) =>
    [C_X, C_Y, C_HX, C_HY, C_VX, C_VY, C_YAW_RATE].map((array) => ground.get(array, car));

  test.each([
    [-3.5, 0],
    [-3.5, 0.5],
    [-0.1, -0.6],
    [0, 0.3],
  ])('stays as it is for ten minutes at %d m/s² and with wheels at %d rad', (wish, angle) => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_ACCEL_WANTED, wish);
    ground.setAll(C_STEER_TARGET, angle);
    ground.move(30_000);
    for (const [car] of types) expect(standing(ground, car)).toEqual([0, 0, 1, 0, 0, 0, 0]);
  });

  test.each([0, 0.5, -0.3])(
    'has stopped without rolling back, and stays, wheels at %d rad',
    (angle) => {
      for (const wish of [-0.56, -1, -3.5, FULL]) {
        for (const speed of [0.1, 0.29, 0.5, 1.9, 6]) {
          const ground = new ProvingGround(CAR_TYPES);
          ground.setAll(C_VX, speed);
          ground.setAll(C_STEER_TARGET, angle);
          ground.setAll(C_ACCEL_WANTED, wish);
          const stood = types.map(() => false);
          for (let tick = 0; tick < 1000; tick++) {
            ground.move();
            for (const [car] of types) {
              const vx = ground.get(C_VX, car);
              expect(vx).toBeGreaterThanOrEqual(0);
              if (stood[car]) expect(ground.speed(car)).toBe(0);
              stood[car] ||= vx === 0;
            }
          }
          expect(stood.every(Boolean)).toBe(true);
          for (const [car] of types) {
            expect(ground.get(C_YAW_RATE, car)).toBe(0);
            expect(ground.get(C_ACCEL, car)).toBe(0);
          }
        }
      }
    },
  );

  it('starts on demand, with turned wheels as well', () => {
    for (const angle of [0, 0.5]) {
      const ground = new ProvingGround(CAR_TYPES);
      ground.setAll(C_STEER, angle);
      ground.setAll(C_STEER_TARGET, angle);
      ground.setAll(C_ACCEL_WANTED, 1.5);
      ground.move(150);
      // Three seconds, 0.6 s to build up the wish and 0.25 s of lag: between 2 s and 3 s of 1.5 m/s².
      for (const [car] of types) {
        expect(ground.get(C_VX, car)).toBeGreaterThan(1.5 * 2);
        expect(ground.get(C_VX, car)).toBeLessThan(1.5 * 3);
      }
    }
  });

  it('does not include a car that slides sideways, however slow its neighbour in memory', () => {
    const after = [1, 15].map((neighbourSpeed) => {
      const ground = new ProvingGround(CAR_TYPES);
      ground.setAll(C_BRAKE, 9);
      ground.set(C_VX, 4, 0.15);
      ground.set(C_VY, 4, -8);
      ground.set(C_VX, 5, neighbourSpeed);
      ground.integrate();
      return [ground.get(C_VX, 4), ground.get(C_VY, 4)];
    });
    expect(after[0]).toEqual(after[1]);
    // Tyres at their limit take off less than g × friction × 20 ms.
    expect(after[0]?.[1]).toBeLessThan(-8 + 9.81 * DRY * 0.02);
  });

  it('was sliding backwards and is brought to rest by its brakes', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_VX, -4);
    ground.setAll(C_ACCEL_WANTED, FULL);
    let before = -4;
    for (let tick = 0; tick < 150; tick++) {
      ground.move();
      const vx = ground.get(C_VX);
      expect(vx).toBeGreaterThanOrEqual(before);
      expect(vx).toBeLessThanOrEqual(0);
      before = vx;
    }
    expect(before).toBe(0);
  });
});

describe('motion', () => {
  it('is as far as the speed, turns as the yaw rate, and keeps the heading a unit vector', () => {
    const ground = new ProvingGround(CAR_TYPES);
    ground.setAll(C_VX, 14);
    ground.setAll(C_ACCEL_WANTED, -1);
    const read = () => ({
      x: ground.get(C_X),
      y: ground.get(C_Y),
      hx: ground.get(C_HX),
      hy: ground.get(C_HY),
      speed: ground.speed(),
      yawRate: ground.get(C_YAW_RATE),
    });
    let before = read();
    for (let tick = 0; tick < 800; tick++) {
      ground.setAll(C_STEER_TARGET, 0.06 * Math.sin(tick / 40));
      ground.move();
      const now = read();
      const way = Math.hypot(now.x - before.x, now.y - before.y);
      const turned = Math.asin(before.hx * now.hy - before.hy * now.hx);
      // The last millimetre: brakes hold the car as soon as they can.
      expect(Math.abs(way - ((before.speed + now.speed) / 2) * TICK_S)).toBeLessThan(5e-4);
      expect(Math.abs(turned - ((before.yawRate + now.yawRate) / 2) * TICK_S)).toBeLessThan(2e-4);
      expect(Math.hypot(now.hx, now.hy)).toBeCloseTo(1, 9);
      before = now;
    }
  });
});

describe('cars side by side in memory', () => {
  const STATE = [
    C_X,
    C_Y,
    C_HX,
    C_HY,
    C_VX,
    C_VY,
    C_YAW_RATE,
    C_STEER,
    C_ACCEL,
    C_ACCEL_TARGET,
    C_DRIVE,
    C_BRAKE,
    C_LOAD_ACCEL,
    C_BRAKE_TICKS,
    C_YAW_REFERENCE,
    C_YAW_MOMENT,
  ];
  /** Evenly spread over 0 to 1, another for each car and each purpose. */
  const spread = (car: number, purpose: number) =>
    (car * 0.6180339887 + purpose * 0.4142135623) % 1;

  /** All kinds of motion: car i in the place that `order` gives it. */
  function mixed(order: (car: number) => number): ProvingGround {
    const ground = new ProvingGround(CAR_TYPES);
    for (let car = 0; car < CAR_COUNT; car++) {
      const place = order(car);
      const value = (purpose: number, from: number, to: number) =>
        from + (to - from) * spread(car, purpose);
      const friction = [0.95, 0.55, 0.1][car % 3] ?? DRY;
      ground.setI32(C_TYPE, place, car % CAR_TYPES.length);
      ground.setI32(C_STATUS, place, car % 7 === 3 ? STATUS_CRASHED : 0);
      ground.setI32(C_EFFECTIVE, place, F_ALL & ~(car % 8));
      ground.set(C_VX, place, car % 5 === 0 ? 0 : value(1, -3, 18));
      ground.set(C_VY, place, car % 5 === 0 ? 0 : value(2, -2, 2));
      ground.set(C_YAW_RATE, place, car % 5 === 0 ? 0 : value(3, -1, 1));
      ground.set(C_STEER_TARGET, place, value(4, -0.7, 0.7));
      ground.set(C_ACCEL_WANTED, place, value(5, -8, 3));
      ground.set(C_FRICTION_FRONT, place, friction);
      ground.set(C_FRICTION_REAR, place, car % 2 ? friction : DRY);
    }
    return ground;
  }

  const states = (ground: ProvingGround, order: (car: number) => number) =>
    Array.from({ length: CAR_COUNT }, (_, car) =>
      STATE.map((array) => ground.get(array, order(car))),
    );

  const same = (car: number) => car;

  it.each([
    ['the other way round', (car: number) => CAR_COUNT - 1 - car],
    ['paired with others', (car: number) => (car * 7) % CAR_COUNT],
  ])('move as they do $0', (_, order) => {
    const [ground, other] = [mixed(same), mixed(order)];
    for (let tick = 0; tick < 400; tick++) {
      ground.move();
      other.move();
      expect(states(other, order)).toEqual(states(ground, same));
    }
  });

  it('move as each does alone', () => {
    const [ground, single] = [mixed(same), mixed(same)];
    for (let tick = 0; tick < 400; tick++) {
      ground.move();
      single.moveSingly();
      expect(states(single, same)).toEqual(states(ground, same));
    }
    const acted = types.map(([car]) => ground.getI32(C_ACTED, car));
    expect(acted.some((features) => features & F_ESC)).toBe(true);
  });

  it('leave wrecks where they are', () => {
    const ground = mixed(same);
    const before = states(ground, same)[3]?.slice(0, 7);
    ground.move(50);
    expect(states(ground, same)[3]?.slice(0, 7)).toEqual(before);
  });
});
