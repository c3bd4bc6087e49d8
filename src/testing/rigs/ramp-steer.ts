import { C_DRIVE, C_STEER, C_VX, C_YAW_RATE, TICK_S } from '../../../assembly/layout.ts';
import { MANOEUVRES, VEHICLE_2, VEHICLE_2_TYPE } from './commonroad.ts';
import { rungeKutta, simulate } from './nonlinear-single-track.ts';
import { ProvingGround } from './proving-ground.ts';

const GRAVITY = 9.81;
/** N s²/m²; the published models have no air, so the drive makes up for it. */
const AIR_DRAG = 0.4;
const SPEED_MPS = 15;
/** The wheels turn evenly from straight on, rad/s. */
const STEER_RATE = 0.15;
const STEP_S = 0.001;

/** Yaw rate of vehicle 2, rad/s, at a time after the wheels began to turn. */
export interface YawRates {
  timeS: number;
  /** Of the published single-track model, whose tyres are linear. */
  linear: number;
  /** Of the nonlinear single-track model as textbooks write it. */
  nonlinear: number;
  /** Of the published single-track drift model, whose tyres saturate; where it is known. */
  drift: number | undefined;
  kernel: number;
}

/** `leadS`: how far the nonlinear model's wheels are ahead of the others'. */
export const yawRatesAt = (timeS: number, leadS = 0): YawRates => ({
  timeS,
  linear: linearAt(timeS),
  nonlinear: nonlinearAt(timeS, leadS),
  drift: publishedDrift()?.find(([time]) => time === timeS)?.[6],
  kernel: kernelAt(timeS),
});

const publishedDrift = () =>
  MANOEUVRES.find(({ name }) => name === 'coast, left')?.singleTrackDrift;

const airOf = (speed: number): number => (AIR_DRAG * speed ** 2) / VEHICLE_2.m;

function linearAt(timeS: number): number {
  const { m, Iz, lf, lr, mu, cS } = VEHICLE_2;
  const front = (mu * cS * m * GRAVITY * lr) / (lf + lr);
  const rear = (mu * cS * m * GRAVITY * lf) / (lf + lr);
  const derivatives = ([delta = 0, yawRate = 0, beta = 0]: readonly number[]): number[] => {
    const frontForce = front * (delta - beta - (lf * yawRate) / SPEED_MPS);
    const rearForce = rear * (-beta + (lr * yawRate) / SPEED_MPS);
    return [
      STEER_RATE,
      (lf * frontForce - lr * rearForce) / Iz,
      (frontForce + rearForce) / (m * SPEED_MPS) - yawRate,
    ];
  };
  let state = [0, 0, 0];
  for (let i = 0; i < Math.round(timeS / STEP_S); i++) {
    state = rungeKutta(derivatives, state, STEP_S);
  }
  return state[1] ?? Number.NaN;
}

function nonlinearAt(timeS: number, leadS: number): number {
  let state = [0, 0, 0, SPEED_MPS, 0, 0, 0];
  for (let i = 0; i < Math.round(timeS / STEP_S); i++) {
    const steer = STEER_RATE * ((i + 0.5) * STEP_S + leadS);
    const inputs = { steer, drive: airOf(state[3] ?? 0), brake: 0 };
    state = simulate(VEHICLE_2_TYPE, VEHICLE_2.mu, state, inputs, 1);
  }
  return state[5] ?? Number.NaN;
}

/** Each tick has the mean angle of its time. */
function kernelAt(timeS: number): number {
  const ground = new ProvingGround([VEHICLE_2_TYPE], VEHICLE_2.mu);
  ground.setAll(C_VX, SPEED_MPS);
  for (let tick = 1; tick <= Math.round(timeS / TICK_S); tick++) {
    ground.setAll(C_STEER, STEER_RATE * TICK_S * (tick - 0.5));
    ground.setAll(C_DRIVE, airOf(ground.speed()));
    ground.integrate();
  }
  return ground.get(C_YAW_RATE);
}
