import { describe, expect, it, test } from 'vitest';
import { at } from '../src/city/geometry.ts';
import {
  limitedAccel,
  MANOEUVRES,
  type Manoeuvre,
  type PublishedVehicle,
  type TimedState,
  VEHICLE_1,
  VEHICLE_2,
  VEHICLE_2_TYPE,
} from '../src/testing/rigs/commonroad.ts';
import { type Inputs, rungeKutta, simulate } from '../src/testing/rigs/nonlinear-single-track.ts';
import { loadProbe } from '../src/testing/rigs/probe.ts';
import { ProvingGround } from '../src/testing/rigs/proving-ground.ts';
import { CAR_TYPES, type CarType } from '../src/twin/fleet.ts';
import { C_BRAKE, C_DRIVE, C_STEER, C_VX, C_X, C_Y, C_YAW_RATE, TICK_S } from './layout.ts';

/** The kernel's axle loads are f32: the least relative difference of two numbers is 6e-8. */
const KERNEL_ERROR = 1e-6;
const GRAVITY = 9.81;
const AIR_DRAG = 0.4;
const probe = loadProbe();

const caseOf = (name: string): Manoeuvre => {
  const found = MANOEUVRES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no manoeuvre ${name}`);
  return found;
};

/** Side force of both axles ÷ mass by the kernel's functions, slip angles as small as in the paper. */
function axleForces(
  vehicle: PublishedVehicle,
  state: readonly number[],
  accel: number,
  height: number,
) {
  const [, , delta = 0, v = 0, , r = 0, beta = 0] = state;
  const { lf, lr, mu, cS } = vehicle;
  const perWheelbase = 1 / (lf + lr);
  const front = v * beta + lf * r - v * delta;
  const rear = v * beta - lr * r;
  return {
    front: -probe.linearForce(front, v, cS, mu, lr, height, perWheelbase, accel, -1),
    rear: -probe.linearForce(rear, v, cS, mu, lf, height, perWheelbase, accel, 1),
  };
}

/** Derivative of the published single-track model (ST) around the kernel's axle forces. */
function singleTrack(
  vehicle: PublishedVehicle,
  state: readonly number[],
  [steerRate, wanted]: readonly [number, number],
  height = vehicle.hS,
): number[] {
  const [, , , v = 0, psi = 0, r = 0, beta = 0] = state;
  const { m, Iz, lf, lr } = vehicle;
  const accel = limitedAccel(vehicle, v, wanted);
  const { front, rear } = axleForces(vehicle, state, accel, height);
  return [
    v * Math.cos(psi + beta),
    v * Math.sin(psi + beta),
    steerRate,
    accel,
    r,
    (m * (lf * front - lr * rear)) / Iz,
    (front + rear) / v - r,
  ];
}

/** The last two of the same as the paper prints them (its equation 11), with no axle forces. */
function printedSingleTrack(
  { m, Iz, lf, lr, hS, mu, cS }: PublishedVehicle,
  [, , delta = 0, v = 0, , r = 0, beta = 0]: readonly number[],
  accel: number,
): [number, number] {
  const [front, rear] = [cS * (GRAVITY * lr - accel * hS), cS * (GRAVITY * lf + accel * hS)];
  const turn = (mu * m) / (Iz * (lr + lf));
  const slip = mu / (v * (lr + lf));
  return [
    turn *
      (lf * front * delta +
        (lr * rear - lf * front) * beta -
        ((lf ** 2 * front + lr ** 2 * rear) * r) / v),
    slip * (front * delta - (rear + front) * beta + ((rear * lr - front * lf) * r) / v) - r,
  ];
}

describe('the axle force with the linear curve', () => {
  const STATE = [
    2.0233348142065677, 0.0041907137716636, 0.0197545248559617, 15.721623633429012,
    0.0025857914776859, 0.0529001056654038, 0.0033012170610298,
  ];
  const INPUTS = [0.15, 0.63 * GRAVITY] as const;

  it('reproduces the published derivative', () => {
    const published = [
      15.72135120308624, 0.0925527979719355, 0.15, 5.3536773276413925, 0.0529001056654038,
      0.6435589397748606, 0.0313297971641291,
    ];
    for (const [i, value] of singleTrack(VEHICLE_2, STATE, INPUTS).entries()) {
      expect(Math.abs(value - at(published, i))).toBeLessThan(KERNEL_ERROR);
    }
  });

  it('tells the height of the sprung mass from the one that the paper prints', () => {
    const [yaw = 0, slip = 0] = singleTrack(VEHICLE_2, STATE, INPUTS, VEHICLE_2.hCg).slice(5);
    expect(Math.abs(yaw - 0.6615146404909316)).toBeLessThan(KERNEL_ERROR);
    expect(Math.abs(slip - 0.03257573342031685)).toBeLessThan(KERNEL_ERROR);
  });

  it.each([
    ['Ford Escort', VEHICLE_1],
    ['BMW 320i', VEHICLE_2],
  ])('equals the printed equations of the %s', (_, vehicle) => {
    for (const v of [3, 8, 15, 30]) {
      for (const [delta, r, beta] of [
        [0.02, 0.05, 0.003],
        [-0.1, 0.4, -0.02],
        [0.05, -0.2, 0.04],
      ] as const) {
        for (const wanted of [-8, 0, 5]) {
          const state = [1, 2, delta, v, 0.3, r, beta];
          const [, , , accel = 0, , yaw = 0, slip = 0] = singleTrack(vehicle, state, [0, wanted]);
          const [printedYaw, printedSlip] = printedSingleTrack(vehicle, state, accel);
          expect(Math.abs(yaw - printedYaw)).toBeLessThan(
            KERNEL_ERROR * (1 + Math.abs(printedYaw)),
          );
          expect(Math.abs(slip - printedSlip)).toBeLessThan(
            KERNEL_ERROR * (1 + Math.abs(printedSlip)),
          );
        }
      }
    }
  });

  it.each(MANOEUVRES)('leads to the known states: $name', ({ steerRate, accel, ...known }) => {
    let state: number[] = [0, 0, 0, 15, 0, 0, 0];
    const f = (each: readonly number[]) => singleTrack(VEHICLE_2, each, [steerRate, accel]);
    for (let ms = 1; ms <= 1000; ms++) {
      state = rungeKutta(f, state, 0.001);
      const [, ...expected] = known.singleTrack.find(([t]) => t * 1000 === ms) ?? [];
      for (const [i, value] of expected.entries()) {
        expect(Math.abs(at(state, i) - value)).toBeLessThan(KERNEL_ERROR);
      }
    }
  });
});

/**
 * The kernel's vehicle model driven by a manoeuvre, tick by tick. Wheels turn evenly in the manoeuvre
 * and by steps in the kernel, so each tick has the mean angle of its time; the pedals make up for the
 * air, which the published models leave out.
 */
function* drive(type: CarType, friction: number, { steerRate, accel }: Manoeuvre) {
  const ground = new ProvingGround([type], friction);
  ground.setAll(C_VX, 15);
  for (let tick = 1; tick <= 50; tick++) {
    const speed = ground.speed();
    const force = limitedAccel(VEHICLE_2, speed, accel) + (AIR_DRAG * speed ** 2) / type.massKg;
    const inputs: Inputs = {
      steer: steerRate * TICK_S * (tick - 0.5),
      drive: Math.max(force, 0),
      brake: Math.max(-force, 0),
    };
    ground.setAll(C_STEER, inputs.steer);
    ground.setAll(C_DRIVE, inputs.drive);
    ground.setAll(C_BRAKE, inputs.brake);
    ground.integrate();
    yield { tick, ground, inputs };
  }
}

/** Without the wheel angle, which is imposed. */
const STATES = ['x', 'y', 'v', 'psi', 'yawRate', 'beta'] as const;
type Deviations = Record<(typeof STATES)[number], number>;

function deviations(ground: ProvingGround, published: TimedState): Deviations {
  const [, x, y, , v, psi, yawRate, beta] = published;
  return {
    x: Math.abs(ground.get(C_X) - x),
    y: Math.abs(ground.get(C_Y) - y),
    v: Math.abs(ground.speed() - v),
    psi: Math.abs(ground.heading() - psi),
    yawRate: Math.abs(ground.get(C_YAW_RATE) - yawRate),
    beta: Math.abs(ground.slip() - beta),
  };
}

function deviationsAt(name: string, t: number, of: 'singleTrack' | 'singleTrackDrift'): Deviations {
  const manoeuvre = caseOf(name);
  const published = manoeuvre[of].find(([time]) => time === t);
  if (published === undefined) throw new Error(`nothing known of ${name} at ${t} s`);
  for (const { tick, ground } of drive(VEHICLE_2_TYPE, VEHICLE_2.mu, manoeuvre)) {
    if (tick === Math.round(t / TICK_S)) return deviations(ground, published);
  }
  throw new Error('time is beyond the manoeuvre');
}

/** Manoeuvre and time, then limits of the deviations in the order of `STATES`. */
type LimitRow = [name: string, timeS: number, ...limits: number[]];

function expectWithin(found: Deviations, limits: readonly number[]): void {
  for (const [i, state] of STATES.entries())
    expect(found[state], state).toBeLessThan(at(limits, i));
}

describe("the kernel's step with vehicle 2, beside the published models", () => {
  it('[C4] yaws within 6 % of linear tyres below 3 m/s² of lateral acceleration, soon within 2.5 %', () => {
    let state: number[] = [0, 0, 0, 15, 0, 0, 0];
    let [compared, worst, later] = [0, 0, 0];
    for (const { tick, ground } of drive(VEHICLE_2_TYPE, VEHICLE_2.mu, caseOf('coast, left'))) {
      for (let ms = 0; ms < 20; ms++) {
        state = rungeKutta((each) => singleTrack(VEHICLE_2, each, [0.15, 0]), state, 0.001);
      }
      const [, , , v = 0, , r = 0] = state;
      if (v * r > 3) continue;
      compared++;
      const deviation = Math.abs(ground.get(C_YAW_RATE) / r - 1);
      worst = Math.max(worst, deviation);
      // Until then the yaw rate is so small that the angle's steps are some per cent of it.
      if (tick >= 5) later = Math.max(later, deviation);
    }
    expect(compared).toBe(14);
    expect(worst).toBeLessThan(0.06);
    expect(later).toBeLessThan(0.025);
  });

  /**
   * A second of coasting ends at 12.2 m/s² with linear tyres, which is more than the road can give
   * (10.3), so the kernel's tyres turn the car less. Braking by 0.7 g takes 61 % of the front axle's
   * friction and 80 % of the rear axle's, driving by 0.57 g takes 93 % of the rear axle's: the
   * friction ellipse leaves the rear 59 % and 36 % of its side force, the car oversteers. Linear tyres
   * know of neither. In all of them slip slows the car.
   */
  test.each<LimitRow>([
    ['coast, left', 0.5, 0.01, 0.01, 0.05, 0.003, 0.02, 0.003],
    ['coast, left', 1, 0.04, 0.2, 0.3, 0.03, 0.12, 0.03],
    ['brake 0.7 g, left', 0.5, 0.01, 0.05, 0.05, 0.005, 0.04, 0.02],
    ['brake 0.7 g, left', 1, 0.07, 0.2, 0.4, 0.15, 0.7, 0.17],
    ['accelerate 0.63 g, left', 0.5, 0.03, 0.02, 0.1, 0.012, 0.05, 0.02],
    ['accelerate 0.63 g, left', 1, 0.08, 0.4, 0.5, 0.01, 0.13, 0.11],
    ['brake 0.7 g, straight on', 1, 0.001, 1e-12, 0.001, 1e-12, 1e-12, 1e-12],
  ])('%s, %d s: within the stated limits of linear tyres', (name, t, ...limits) => {
    expectWithin(deviationsAt(name, t, 'singleTrack'), limits);
  });

  /**
   * With tyres that saturate it agrees as long as side force alone is asked for. Those of the
   * drift model transmit 14 % more along than across, ours the same both ways: near the limit ours
   * lose more side force to brakes and drive.
   */
  test.each<LimitRow>([
    ['coast, left', 0.5, 0.001, 0.002, 0.001, 0.001, 0.003, 0.001],
    ['coast, left', 1, 0.01, 0.02, 0.02, 0.01, 0.04, 0.005],
    ['brake 0.7 g, left', 0.5, 0.04, 0.05, 0.15, 0.001, 0.05, 0.02],
    ['brake 0.7 g, left', 1, 0.15, 0.2, 0.5, 0.15, 0.6, 0.15],
    ['accelerate 0.63 g, left', 0.5, 0.01, 0.01, 0.03, 0.012, 0.08, 0.015],
    ['accelerate 0.63 g, left', 1, 0.02, 0.03, 0.1, 0.1, 0.3, 0.1],
  ])('%s, %d s: within the stated limits of tyres that saturate', (name, t, ...limits) => {
    expectWithin(deviationsAt(name, t, 'singleTrackDrift'), limits);
  });
});

describe("the kernel's step beside its own equations, by Runge-Kutta of 1 ms and with angles", () => {
  /** Largest distance, m, and share of the yaw rate's peak that it is off, over a second. */
  function errors(type: CarType, friction: number, manoeuvre: Manoeuvre) {
    let state: number[] = [0, 0, 0, 15, 0, 0, 0];
    let [distance, peak, off] = [0, 0, 0];
    for (const { ground, inputs } of drive(type, friction, manoeuvre)) {
      state = simulate(type, friction, state, inputs, 20);
      const [x = 0, y = 0, , , , yawRate = 0] = state;
      distance = Math.max(distance, Math.hypot(ground.get(C_X) - x, ground.get(C_Y) - y));
      peak = Math.max(peak, Math.abs(yawRate));
      off = Math.max(off, Math.abs(ground.get(C_YAW_RATE) - yawRate));
    }
    return { distance, yaw: off / peak };
  }

  const gentle = (name: string, steerRate: number, accel: number): Manoeuvre => ({
    name,
    steerRate,
    accel,
    singleTrack: [],
    singleTrackDrift: [],
  });

  it.each([
    ['coasts', gentle('coast', 0.15, 0)],
    ['accelerates by 2 m/s²', gentle('accelerate', 0.1, 2)],
    ['brakes by 3 m/s²', gentle('brake', 0.1, -3)],
  ])(
    'is within 1 mm, and 0.4 per cent in yaw rate, where a car that turns left %s',
    (_, manoeuvre) => {
      for (const type of [VEHICLE_2_TYPE, ...CAR_TYPES]) {
        for (const friction of [VEHICLE_2.mu, 0.95, 0.55]) {
          const { distance, yaw } = errors(type, friction, manoeuvre);
          expect(distance, `${type.model} at ${friction}`).toBeLessThan(0.001);
          expect(yaw, `${type.model} at ${friction}`).toBeLessThan(0.004);
        }
      }
    },
  );

  // Limits and load are frozen during a tick, which shows where an axle is at its limit.
  it.each(MANOEUVRES)('is within 15 mm, and 1.5 per cent in yaw rate: $name', (manoeuvre) => {
    const { distance, yaw } = errors(VEHICLE_2_TYPE, VEHICLE_2.mu, manoeuvre);
    expect(distance).toBeLessThan(0.015);
    if (manoeuvre.steerRate !== 0) expect(yaw).toBeLessThan(0.015);
  });

  it('has the side force of sin(C atan(c tan α ÷ C)) to 2.5e-4 of the friction limit', () => {
    for (const stiffness of [14, 20.898083706740398, 25]) {
      for (let angle = -1.5; angle <= 1.5; angle += 0.001) {
        const share = probe.saturatingShare(Math.sin(angle), Math.cos(angle), stiffness);
        const exact = Math.sin(1.35 * Math.atan((stiffness / 1.35) * Math.tan(angle)));
        expect(Math.abs(share - exact)).toBeLessThan(2.5e-4);
      }
    }
  });

  it('has its greatest side force at 0.15 rad of slip for a stiffness of 20.9', () => {
    const shareAt = (angle: number) =>
      probe.saturatingShare(Math.sin(angle), Math.cos(angle), 20.898083706740398);
    const angles = Array.from({ length: 600 }, (_, i) => i / 1000);
    const peak = angles.toSorted((a, b) => shareAt(b) - shareAt(a))[0] ?? 0;
    // tan((π ÷ 2) ÷ C) ÷ (c ÷ C)
    const exact = Math.atan(Math.tan(Math.PI / 2 / 1.35) / (20.898083706740398 / 1.35));
    expect(Math.abs(peak - exact)).toBeLessThan(0.01);
    expect(Math.abs(shareAt(peak) - 1)).toBeLessThan(1e-3);
  });
});
