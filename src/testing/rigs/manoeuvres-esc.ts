import {
  C_EFFECTIVE,
  C_STEER,
  C_STEER_TARGET,
  C_TYPE,
  C_VX,
  C_Y,
  C_YAW_RATE,
  CAR_COUNT,
  F_ALL,
  F_ESC,
  F_THROTTLE,
  TICK_S,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { CarType } from '../../twin/fleet.ts';
import { ProvingGround } from './proving-ground.ts';

/** The sine with dwell of FMVSS 126 and UN R140, with road-wheel angles. */

const GRAVITY_MPS2 = 9.81;
const SPEED_MPS = 80 / 3.6;
const SINE_HZ = 0.7;
const DWELL_S = 0.5;
/** The wheels are held at the second peak, after three quarters of the sine. */
const DWELL_FROM_S = 0.75 / SINE_HZ;
const STEERED_S = 1 / SINE_HZ + DWELL_S;
/** After the steering has begun. */
const LATERAL_S = 1.07;
/** After the steering is complete. */
const FIRST_LOOK_S = 1;
const SECOND_LOOK_S = 1.75;

/** Slow ramp by which a car's unit of amplitude is found: rad/s, and how much it must turn. */
const RAMP_RADPS = 0.01;
const RAMP_ACCEL_MPS2 = 0.3 * GRAVITY_MPS2;
/** Holds the speed on the ramp, 1/s. */
const SPEED_GAIN = 4;

/** Amplitude at which each type turns with 0.3 g at 80 km/h in a slow ramp, rad. */
export function unitAmplitudes(types: readonly CarType[]): number[] {
  const ground = new ProvingGround(types);
  ground.setAll(C_VX, SPEED_MPS);
  const found: number[] = types.map(() => 0);
  for (let tick = 0; found.includes(0); tick++) {
    const angle = tick * TICK_S * RAMP_RADPS;
    for (let car = 0; car < types.length; car++) {
      const across = ground.get(C_VX, car) * ground.get(C_YAW_RATE, car);
      if (found[car] === 0 && across >= RAMP_ACCEL_MPS2) found[car] = angle;
      ground.set(C_STEER, car, angle);
      ground.hold(car, SPEED_MPS, SPEED_GAIN);
    }
    ground.integrate();
  }
  return found;
}

/** One car on its way through the manoeuvre. */
export interface SineRun {
  type: CarType;
  amplitudeRad: number;
  hasEsc: boolean;
}

export interface SineResult {
  /** Yaw rate 1 s after the steering is complete, as a share of its second peak. */
  yawRatioAt1s: number;
  yawRatioAt175s: number;
  /** Displacement of the centre of gravity 1.07 s after the steering has begun, m. */
  lateralM: number;
  slipMaxRad: number;
  /** After each tick, rad/s. */
  yawRates: readonly number[];
}

/** Drives up to as many cars as a world has through the manoeuvre, coasting. */
export function sineWithDwell(runs: readonly SineRun[]): SineResult[] {
  if (runs.length > CAR_COUNT) throw new RangeError(`${CAR_COUNT} runs at most`);
  const types = [...new Set(runs.map(({ type }) => type))];
  const ground = new ProvingGround(types);
  for (const [car, { type, hasEsc }] of runs.entries()) {
    ground.setI32(C_TYPE, car, types.indexOf(type));
    ground.setI32(C_EFFECTIVE, car, F_ALL & ~F_THROTTLE & ~(hasEsc ? 0 : F_ESC));
    ground.set(C_VX, car, SPEED_MPS);
  }
  const traces = runs.map(() => ({ yawRates: [] as number[], slipMax: 0, lateralM: 0 }));
  const ticks = Math.ceil((STEERED_S + SECOND_LOOK_S) / TICK_S);
  for (let tick = 1; tick <= ticks; tick++) {
    for (const [car, { amplitudeRad }] of runs.entries()) {
      const angle = amplitudeRad * shapeAt(tick * TICK_S);
      ground.set(C_STEER, car, angle);
      ground.set(C_STEER_TARGET, car, angle);
    }
    ground.move();
    for (const [car, trace] of traces.entries()) {
      trace.yawRates.push(ground.get(C_YAW_RATE, car));
      trace.slipMax = Math.max(trace.slipMax, Math.abs(ground.slip(car)));
      if (tick === Math.round(LATERAL_S / TICK_S)) trace.lateralM = Math.abs(ground.get(C_Y, car));
    }
  }
  return traces.map(({ yawRates, slipMax, lateralM }) => {
    const second = yawRates.slice(
      Math.round(0.5 / SINE_HZ / TICK_S),
      Math.round(STEERED_S / TICK_S),
    );
    const peak = Math.min(...second);
    const ratioAfter = (s: number) => at(yawRates, Math.round((STEERED_S + s) / TICK_S) - 1) / peak;
    return {
      yawRatioAt1s: ratioAfter(FIRST_LOOK_S),
      yawRatioAt175s: ratioAfter(SECOND_LOOK_S),
      lateralM,
      slipMaxRad: slipMax,
      yawRates,
    };
  });
}

/** Steering as a share of the amplitude, left first. */
function shapeAt(s: number): number {
  const radians = 2 * Math.PI * SINE_HZ;
  if (s <= DWELL_FROM_S) return Math.sin(radians * s);
  if (s <= DWELL_FROM_S + DWELL_S) return -1;
  return s < STEERED_S ? Math.sin(radians * (s - DWELL_S)) : 0;
}
