/**
 * The sub-steps of the vehicle model, in f32 for four cars at once. At 40 m/s they lead to velocities that
 * differ from those in f64 by less than 1e-5 m/s and 1e-6 rad/s, and the way of the tick by less than 1e-6 m;
 * `dynamics` adds that to positions in f64.
 */
import { DYNAMICS, TICK_S } from './layout';
import {
  add,
  anyLess,
  constant,
  div,
  greater,
  HALF,
  lesser,
  mul,
  ONE,
  QUAD_ROW,
  size,
  splat,
  sub,
  whereLess,
} from './quad';
import {
  TR_AIR_DRAG,
  TR_FRONT,
  TR_GRIP_FRONT,
  TR_GRIP_REAR,
  TR_REAR,
  TR_TURNING,
  TYPE_ROWS_END,
} from './type-rows';
import { saturating } from './tyre-curve';

const SUBSTEPS = 2;
const SUBSTEP_S: f32 = <f32>(TICK_S / <f64>SUBSTEPS);
const SUBSTEP = memory.data<f32>([SUBSTEP_S]);
const HALF_SUBSTEP = memory.data<f32>([<f32>0.5 * SUBSTEP_S]);
/** Slip is computed with at least this speed, m/s: below it the model would be stiff. */
const SLIP_SPEED_MIN = memory.data<f32>([2.0]);
/** Between these speeds, m/s, wheels change from pure rolling to tyres that slip. */
const ROLLING_MPS: f32 = 0.5;
const SLIPPING_MPS: f32 = 2.0;
const SLIPPING = memory.data<f32>([SLIPPING_MPS]);
/**
 * A car that its brakes can hold stops below the second speed if it came from below the first, m/s.
 */
const LATCH_MPS: f32 = 0.3;
const STILL_MPS: f32 = 0.02;

// Values that the stages of a tick pass on, one f32 per car, in rows of DYNAMICS. Each stage
// processes all cars before the next one begins: cars are independent, so the processor overlaps
// their work. The first five rows are those of track.ts.
/** 1 for cars that move, 0 for others; valid until the next tick. */
export const MOVES: usize = TYPE_ROWS_END;
/** 1 if the drive is stronger than the brakes, else 0. */
export const S_PUSHED: usize = QUAD_ROW * 5 + DYNAMICS;
/** Of the angle of the front wheels. */
export const S_SINE: usize = QUAD_ROW * 6 + DYNAMICS;
export const S_COSINE: usize = QUAD_ROW * 7 + DYNAMICS;
/** Forces of wheels and slope ÷ mass in the axes of the car, m/s². */
export const S_FORWARD: usize = QUAD_ROW * 8 + DYNAMICS;
export const S_ASIDE: usize = QUAD_ROW * 9 + DYNAMICS;
/** What the friction ellipse leaves each axle for side force ÷ mass, m/s². */
export const S_SIDE_FRONT: usize = QUAD_ROW * 10 + DYNAMICS;
export const S_SIDE_REAR: usize = QUAD_ROW * 11 + DYNAMICS;
/** Yaw acceleration by braking on one side, rad/s². */
export const S_MOMENT: usize = QUAD_ROW * 12 + DYNAMICS;
export const S_VX: usize = QUAD_ROW * 13 + DYNAMICS;
export const S_VY: usize = QUAD_ROW * 14 + DYNAMICS;
export const S_YAW_RATE: usize = QUAD_ROW * 15 + DYNAMICS;
/** Way and turn since the start of the tick, in the axes of the car at that time, m and rad. */
export const S_AHEAD: usize = QUAD_ROW * 16 + DYNAMICS;
export const S_LEFT: usize = QUAD_ROW * 17 + DYNAMICS;
export const S_TURN: usize = QUAD_ROW * 18 + DYNAMICS;
/** State in the middle of a sub-step, at which accelerations are evaluated. */
const S_MID_VX: usize = QUAD_ROW * 20 + DYNAMICS;
const S_MID_VY: usize = QUAD_ROW * 21 + DYNAMICS;
const S_MID_YAW_RATE: usize = QUAD_ROW * 22 + DYNAMICS;

/** Moves the cars of MOVES by one tick, by the midpoint rule. */
export function substeps<T>(): void {
  substep<T>(true);
  substep<T>(false);
}

@inline function substep<T>(isFirst: bool): void {
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>()) {
    if (isAny<T>(place)) toMiddle<T>(place);
  }
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>()) {
    if (isAny<T>(place)) toEnd<T>(place, isFirst);
  }
}

/** Whether any car of a place moves. */
@inline export function isAny<T>(place: usize): bool {
  if (isVector<T>()) return v128.any_true(v128.load(place, MOVES));
  return load<f32>(place, MOVES) != 0.0;
}

@inline function toMiddle<T>(place: usize): void {
  const vx = load<T>(place, S_VX);
  const vy = load<T>(place, S_VY);
  const yawRate = load<T>(place, S_YAW_RATE);
  accelerate<T>(place, vx, vy, yawRate, true);
}

@inline function toEnd<T>(place: usize, isFirst: bool): void {
  const ux = load<T>(place, S_MID_VX);
  const uy = load<T>(place, S_MID_VY);
  const ur = load<T>(place, S_MID_YAW_RATE);
  travel<T>(place, ux, uy, ur, isFirst);
  const last = load<T>(place, S_VX);
  accelerate<T>(place, ux, uy, ur, false);
  const speed = greater<T>(size<T>(load<T>(place, S_VX)), size<T>(load<T>(place, S_VY)));
  if (anyLess<T>(speed, constant<T>(SLIPPING))) roll<T>(place, speed, last);
}

/**
 * Velocities in the middle or at the end of the sub-step: those at its start plus the accelerations
 * at (`ux`, `uy`, `ur`).
 */
@inline function accelerate<T>(place: usize, ux: T, uy: T, ur: T, toMiddle: bool): void {
  const s = load<T>(place, S_SINE);
  const c = load<T>(place, S_COSINE);
  const lf = load<T>(place, TR_FRONT);
  const lr = load<T>(place, TR_REAR);
  const slowest = constant<T>(SLIP_SPEED_MIN);
  const frontAcross = add<T>(uy, mul<T>(lf, ur));
  const rearAcross = sub<T>(uy, mul<T>(lr, ur));
  const rearAlong = greater<T>(size<T>(ux), slowest);
  const wheelAcross = sub<T>(mul<T>(frontAcross, c), mul<T>(ux, s));
  const wheelAlong = greater<T>(size<T>(add<T>(mul<T>(ux, c), mul<T>(frontAcross, s))), slowest);
  const pushFront = mul<T>(
    load<T>(place, S_SIDE_FRONT),
    saturating<T>(wheelAcross, wheelAlong, load<T>(place, TR_GRIP_FRONT)),
  );
  const pushRear = mul<T>(
    load<T>(place, S_SIDE_REAR),
    saturating<T>(rearAcross, rearAlong, load<T>(place, TR_GRIP_REAR)),
  );
  const air = mul<T>(load<T>(place, TR_AIR_DRAG), mul<T>(ux, size<T>(ux)));
  const forward = sub<T>(add<T>(load<T>(place, S_FORWARD), mul<T>(pushFront, s)), air);
  const aside = sub<T>(load<T>(place, S_ASIDE), mul<T>(pushFront, c));
  const ax = add<T>(forward, mul<T>(uy, ur));
  const ay = sub<T>(sub<T>(aside, pushRear), mul<T>(ux, ur));
  const turning = mul<T>(
    load<T>(place, TR_TURNING),
    add<T>(mul<T>(lf, aside), mul<T>(lr, pushRear)),
  );
  const ar = add<T>(turning, load<T>(place, S_MOMENT));
  const step = constant<T>(toMiddle ? HALF_SUBSTEP : SUBSTEP);
  const vx = add<T>(load<T>(place, S_VX), mul<T>(ax, step));
  const vy = add<T>(load<T>(place, S_VY), mul<T>(ay, step));
  const yawRate = add<T>(load<T>(place, S_YAW_RATE), mul<T>(ar, step));
  if (toMiddle) {
    store<T>(place, vx, S_MID_VX);
    store<T>(place, vy, S_MID_VY);
    store<T>(place, yawRate, S_MID_YAW_RATE);
  } else {
    store<T>(place, vx, S_VX);
    store<T>(place, vy, S_VY);
    store<T>(place, yawRate, S_YAW_RATE);
  }
}

/**
 * Way and turn of a sub-step from the velocities and the heading in its middle. The sine of a turn is the
 * turn: the third power of a very small one would be a subnormal number of f32, which slows processors down.
 */
@inline function travel<T>(place: usize, ux: T, uy: T, ur: T, isFirst: bool): void {
  const h = constant<T>(SUBSTEP);
  const turn = mul<T>(ur, h);
  const halfTurn = mul<T>(turn, constant<T>(HALF));
  const angle = isFirst ? halfTurn : add<T>(load<T>(place, S_TURN), halfTurn);
  const square = mul<T>(angle, angle);
  const c = sub<T>(constant<T>(ONE), mul<T>(square, constant<T>(HALF)));
  const ahead = mul<T>(h, sub<T>(mul<T>(ux, c), mul<T>(uy, angle)));
  const left = mul<T>(h, add<T>(mul<T>(ux, angle), mul<T>(uy, c)));
  if (isFirst) {
    store<T>(place, ahead, S_AHEAD);
    store<T>(place, left, S_LEFT);
    store<T>(place, turn, S_TURN);
  } else {
    store<T>(place, add<T>(load<T>(place, S_AHEAD), ahead), S_AHEAD);
    store<T>(place, add<T>(load<T>(place, S_LEFT), left), S_LEFT);
    store<T>(place, add<T>(load<T>(place, S_TURN), turn), S_TURN);
  }
}

/**
 * Slow wheels only roll: a smoothstep leads from no slip to the full model. A car stops for good if
 * no more than its brakes and rolling resistance act on it. `last`: speed before the sub-step.
 */
@inline function roll<T>(place: usize, speed: T, last: T): void {
  const zero = splat<T>(0.0);
  const one = constant<T>(ONE);
  const slow = constant<T>(SLIPPING);
  const vx = load<T>(place, S_VX);
  const vy = load<T>(place, S_VY);
  const yawRate = load<T>(place, S_YAW_RATE);
  const ratio = mul<T>(
    sub<T>(speed, splat<T>(ROLLING_MPS)),
    splat<T>(<f32>1.0 / (SLIPPING_MPS - ROLLING_MPS)),
  );
  const t = lesser<T>(greater<T>(ratio, zero), one);
  const slips = mul<T>(mul<T>(t, t), sub<T>(splat<T>(3.0), add<T>(t, t)));
  const rolls = sub<T>(one, slips);
  const lr = load<T>(place, TR_REAR);
  const wheelbase = add<T>(load<T>(place, TR_FRONT), lr);
  const rollRate = div<T>(
    mul<T>(vx, load<T>(place, S_SINE)),
    mul<T>(load<T>(place, S_COSINE), wheelbase),
  );
  const turning = add<T>(mul<T>(slips, yawRate), mul<T>(rolls, rollRate));
  const sliding = add<T>(mul<T>(slips, vy), mul<T>(rolls, mul<T>(lr, turning)));
  const fast = whereLess<T>(splat<T>(LATCH_MPS), size<T>(last), one, zero);
  const pushed = greater<T>(load<T>(place, S_PUSHED), fast);
  const held = whereLess<T>(speed, splat<T>(ROLLING_MPS), pushed, one);
  const decidesToGo = whereLess<T>(splat<T>(STILL_MPS), vx, one, held);
  store<T>(place, whereLess<T>(decidesToGo, one, zero, vx), S_VX);
  store<T>(
    place,
    whereLess<T>(decidesToGo, one, zero, whereLess<T>(speed, slow, sliding, vy)),
    S_VY,
  );
  store<T>(
    place,
    whereLess<T>(decidesToGo, one, zero, whereLess<T>(speed, slow, turning, yawRate)),
    S_YAW_RATE,
  );
}
