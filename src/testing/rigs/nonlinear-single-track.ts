import type { CarType } from '../../twin/fleet.ts';

const GRAVITY = 9.81;
/** ½ ρ c_d A, N s²/m². */
const AIR_DRAG = 0.4;
/** Pacejka's shape factor C of the side force. */
const SHAPE = 1.35;
/** Share of the friction limit that brakes under ABS, and a spinning driven axle, transmit. */
const ABS_SHARE = 0.95;
const SPIN_SHARE = 0.98;
/** Smallest square of what the friction ellipse leaves for side force. */
const ELLIPSE_MIN = 0.02;
/** Slip denominators are no less than this, m/s. */
const SLIP_SPEED_MIN = 2;
/** Time constant of the acceleration that shifts load, s. */
const LOAD_LAG_S = 0.05;

/** x, y, heading, forward and leftward speed, yaw rate, and the low-passed acceleration of load shift. */
export type MotionState = readonly number[];

/** Accelerations (force ÷ mass) along the wheels, m/s², and the angle of the front ones. */
export interface Inputs {
  steer: number;
  drive: number;
  brake: number;
}

interface Axle {
  friction: number;
  stiffness: number;
  /** Load ÷ mass. */
  load: number;
  drive: number;
  brake: number;
  slipAngle: number;
}

/** Forward and leftward force of an axle ÷ mass, in the wheels' own axes. */
function axleForces(axle: Axle, travel: number): [number, number] {
  const limit = axle.friction * axle.load;
  const drive = Math.min(axle.drive, SPIN_SHARE * limit);
  const forward = drive - Math.min(axle.brake, ABS_SHARE * limit) * travel;
  const theta = Math.atan((axle.stiffness / SHAPE) * Math.tan(axle.slipAngle));
  const left = Math.sqrt(Math.max(ELLIPSE_MIN, 1 - (forward / limit) ** 2));
  return [forward, -limit * Math.sin(SHAPE * theta) * left];
}

/**
 * The nonlinear single-track model with friction ellipse and load transfer (Rajamani, Vehicle
 * Dynamics and Control; tyre curve of Pacejka) as textbooks write it, with angles, for cars that do not
 * stand: what the kernel's own integration without transcendental functions must come to.
 */
function derivatives(type: CarType, friction: number, state: MotionState, u: Inputs): number[] {
  const [, , psi = 0, vx = 0, vy = 0, r = 0, loadAccel = 0] = state;
  const { massKg, yawInertiaKgM2, wheelbaseM, lrM, heightM } = type;
  const lf = wheelbaseM - lrM;
  const along = Math.max(Math.abs(vx), SLIP_SPEED_MIN);
  const driveFront = type.drive === 'front' ? 1 : 0;
  const travel = Math.sign(vx);
  const [frontAlong, frontAcross] = axleForces(
    {
      friction,
      stiffness: type.stiffnessFront,
      load: (GRAVITY * lrM - loadAccel * heightM) / wheelbaseM,
      drive: u.drive * driveFront,
      brake: u.brake * type.brakeFront,
      slipAngle: Math.atan2(vy + lf * r, along) - u.steer,
    },
    travel,
  );
  const [rearAlong, rearAcross] = axleForces(
    {
      friction,
      stiffness: type.stiffnessRear,
      load: (GRAVITY * lf + loadAccel * heightM) / wheelbaseM,
      drive: u.drive * (1 - driveFront),
      brake: u.brake * (1 - type.brakeFront),
      slipAngle: Math.atan2(vy - lrM * r, along),
    },
    travel,
  );
  const [cos, sin] = [Math.cos(u.steer), Math.sin(u.steer)];
  const frontLeft = frontAcross * cos + frontAlong * sin;
  const air = (AIR_DRAG * vx * Math.abs(vx)) / massKg;
  const felt = frontAlong * cos - frontAcross * sin + rearAlong - air;
  return [
    vx * Math.cos(psi) - vy * Math.sin(psi),
    vx * Math.sin(psi) + vy * Math.cos(psi),
    r,
    felt + vy * r,
    frontLeft + rearAcross - vx * r,
    (massKg * (lf * frontLeft - lrM * rearAcross)) / yawInertiaKgM2,
    (felt - loadAccel) / LOAD_LAG_S,
  ];
}

/** One classical Runge-Kutta step of any system of equations. */
export function rungeKutta(
  f: (state: readonly number[]) => number[],
  state: readonly number[],
  stepS: number,
): number[] {
  const moved = (slopes: readonly number[], h: number) =>
    state.map((value, i) => value + h * (slopes[i] ?? 0));
  const k1 = f(state);
  const k2 = f(moved(k1, stepS / 2));
  const k3 = f(moved(k2, stepS / 2));
  const k4 = f(moved(k3, stepS));
  return state.map(
    (value, i) =>
      value + (stepS / 6) * ((k1[i] ?? 0) + 2 * (k2[i] ?? 0) + 2 * (k3[i] ?? 0) + (k4[i] ?? 0)),
  );
}

/** `ms` milliseconds of the model in steps of one. */
export function simulate(
  type: CarType,
  friction: number,
  from: MotionState,
  inputs: Inputs,
  ms: number,
): number[] {
  let state = [...from];
  for (let i = 0; i < ms; i++) {
    state = rungeKutta((each) => derivatives(type, friction, each, inputs), state, 0.001);
  }
  return state;
}
