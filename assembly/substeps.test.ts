import { describe, expect, it } from 'vitest';
import { at } from '../src/city/geometry.ts';
import { Dice } from '../src/testing/rigs/dice.ts';
import { GRAVITY, ProvingGround } from '../src/testing/rigs/proving-ground.ts';
import { CAR_TYPES, type CarType } from '../src/twin/fleet.ts';
import {
  C_BRAKE,
  C_DRIVE,
  C_FRICTION_FRONT,
  C_HX,
  C_HY,
  C_LOAD_ACCEL,
  C_SLOPE,
  C_STEER,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  C_YAW_RATE,
  CAR_COUNT,
  TICK_S,
} from './layout.ts';

interface State {
  x: number;
  y: number;
  heading: number;
  vx: number;
  vy: number;
  yawRate: number;
}

interface Inputs {
  friction: number;
  steer: number;
  drive: number;
  brake: number;
  slope: number;
  loadAccel: number;
}

type Velocities = Pick<State, 'vx' | 'vy' | 'yawRate'>;

const AIR_DRAG = 0.4;
const SHAPE = 1.35;

/** The tyre curve as a ratio of polynomials, see tyre-curve.ts. */
function saturating(across: number, along: number, grip: number): number {
  const u = Math.abs((grip * across) / along);
  const above = u * (SHAPE + 2.13925091 * u + 1.20693523 * u ** 2);
  const share = above / (1 + 1.61147811 * u + 1.35682473 * u ** 2 + 1.41512028 * u ** 3);
  return across < 0 ? -share : share;
}

const sideLimit = (limit: number, force: number) =>
  Math.sqrt(Math.max(limit ** 2 - force ** 2, 0.02 * limit ** 2));

/** One tick of a car that drives forwards, faster than wheels roll, in f64 with exact sines. */
function reference(type: CarType, from: State, inputs: Inputs): State {
  const { friction, steer, drive, brake, slope, loadAccel } = inputs;
  const lr = type.lrM;
  const lf = type.wheelbaseM - lr;
  const shift = loadAccel * type.heightM;
  const limitFront = (friction * (GRAVITY * lr - shift)) / type.wheelbaseM;
  const limitRear = (friction * (GRAVITY * lf + shift)) / type.wheelbaseM;
  const isFront = type.drive === 'front' ? 1 : 0;
  const wheels = (force: number, limit: number) =>
    Math.min(Math.max(force, -0.95 * limit), 0.98 * limit);
  const front = wheels(drive * isFront - brake * type.brakeFront, limitFront);
  const rear = wheels(drive * (1 - isFront) - brake * (1 - type.brakeFront), limitRear);
  const [s, c] = [Math.sin(steer), Math.cos(steer)];
  const accelsAt = ({ vx, vy, yawRate }: Velocities) => {
    const frontAcross = vy + lf * yawRate;
    const wheelAcross = frontAcross * c - vx * s;
    const wheelAlong = vx * c + frontAcross * s;
    const pushFront =
      sideLimit(limitFront, front) *
      saturating(wheelAcross, wheelAlong, type.stiffnessFront / SHAPE);
    const pushRear =
      sideLimit(limitRear, rear) * saturating(vy - lr * yawRate, vx, type.stiffnessRear / SHAPE);
    const aside = front * s - pushFront * c;
    const air = (AIR_DRAG / type.massKg) * vx ** 2;
    return {
      ax: front * c + rear + slope + pushFront * s - air + vy * yawRate,
      ay: aside - pushRear - vx * yawRate,
      ar: (type.massKg / type.yawInertiaKgM2) * (lf * aside + lr * pushRear),
    };
  };
  const moved = (state: Velocities, at: Velocities, step: number): Velocities => {
    const { ax, ay, ar } = accelsAt(at);
    return {
      vx: state.vx + ax * step,
      vy: state.vy + ay * step,
      yawRate: state.yawRate + ar * step,
    };
  };
  const to = { ...from };
  const step = TICK_S / 2;
  for (let substep = 0; substep < 2; substep++) {
    const middle = moved(to, to, step / 2);
    const angle = to.heading + (middle.yawRate * step) / 2;
    to.x += step * (middle.vx * Math.cos(angle) - middle.vy * Math.sin(angle));
    to.y += step * (middle.vx * Math.sin(angle) + middle.vy * Math.cos(angle));
    to.heading += middle.yawRate * step;
    Object.assign(to, moved(to, middle, step));
  }
  return to;
}

/** Between two limits. */
const between = (dice: Dice, low: number, high: number) =>
  low + ((high - low) * dice.below(1e6)) / 1e6;

function randomState(dice: Dice): State {
  return {
    x: between(dice, -600, 600),
    y: between(dice, -600, 600),
    heading: between(dice, -Math.PI, Math.PI),
    vx: between(dice, 4, 40),
    vy: between(dice, -1, 1),
    yawRate: between(dice, -1, 1),
  };
}

function randomInputs(dice: Dice): Inputs {
  return {
    friction: between(dice, 0.1, 0.95),
    steer: between(dice, -0.5, 0.5),
    drive: between(dice, -0.5, 3),
    brake: between(dice, 0.15, 9),
    slope: between(dice, -0.5, 0.5),
    loadAccel: between(dice, -8, 2),
  };
}

describe('a tick in f32', () => {
  it('[C4] differs from one in f64 by far less than a car can be seen to move', () => {
    const dice = new Dice(1);
    const ground = new ProvingGround(CAR_TYPES);
    const most = { way: 0, heading: 0, speed: 0, yawRate: 0 };
    for (let round = 0; round < 500; round++) {
      const { friction, ...inputs } = randomInputs(dice);
      ground.setFriction(friction);
      const froms = Array.from({ length: CAR_COUNT }, () => randomState(dice));
      for (const [car, { x, y, heading, vx, vy, yawRate }] of froms.entries()) {
        ground.set(C_X, car, x);
        ground.set(C_Y, car, y);
        ground.set(C_HX, car, Math.cos(heading));
        ground.set(C_HY, car, Math.sin(heading));
        ground.set(C_VX, car, vx);
        ground.set(C_VY, car, vy);
        ground.set(C_YAW_RATE, car, yawRate);
      }
      ground.setAll(C_STEER, inputs.steer);
      ground.setAll(C_DRIVE, inputs.drive);
      ground.setAll(C_BRAKE, inputs.brake);
      ground.setAll(C_SLOPE, inputs.slope);
      ground.setAll(C_LOAD_ACCEL, inputs.loadAccel);
      // Velocities and inputs are kept in f32: the reference begins with the same numbers.
      const kept = {
        friction: ground.get(C_FRICTION_FRONT),
        steer: ground.get(C_STEER),
        drive: ground.get(C_DRIVE),
        brake: ground.get(C_BRAKE),
        slope: ground.get(C_SLOPE),
        loadAccel: ground.get(C_LOAD_ACCEL),
      };
      for (const [car, from] of froms.entries()) {
        from.vx = ground.get(C_VX, car);
        from.vy = ground.get(C_VY, car);
        from.yawRate = ground.get(C_YAW_RATE, car);
      }
      ground.integrate();
      for (const [car, from] of froms.entries()) {
        const type = at(CAR_TYPES, car % CAR_TYPES.length);
        const to = reference(type, from, kept);
        const note = (name: keyof typeof most, error: number) => {
          most[name] = Math.max(most[name], Math.abs(error));
        };
        note('way', Math.hypot(ground.get(C_X, car) - to.x, ground.get(C_Y, car) - to.y));
        note('heading', Math.sin(ground.heading(car) - to.heading));
        note('speed', Math.hypot(ground.get(C_VX, car) - to.vx, ground.get(C_VY, car) - to.vy));
        note('yawRate', ground.get(C_YAW_RATE, car) - to.yawRate);
      }
    }
    expect(most.way).toBeLessThan(1e-6);
    expect(most.heading).toBeLessThan(1e-8);
    expect(most.speed).toBeLessThan(1e-5);
    expect(most.yawRate).toBeLessThan(1e-6);
    // In f64 there would be no difference at all.
    expect(Math.min(most.way, most.speed, most.yawRate)).toBeGreaterThan(0);
  });
});
