import {
  CT_LENGTH,
  CT_WIDTH,
  C_BRAKE,
  C_BRAKE_TICKS,
  C_EFFECTIVE,
  C_EMERGENCY,
  C_EVADE_FROM,
  C_EVADE_OFFSET,
  C_EVADE_S,
  C_EVADE_TICK,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_OFFSET,
  C_VX,
  C_YAW_RATE,
  F_EVASIVE_STEERING,
  F_FRONT_CAMERA,
  F_STEERING,
  H_TICK,
  SEEN_CAMERA,
  TG_OBJECT,
  TG_SENSORS,
  TICK_S,
} from '../layout';
import { BRAKE_DELAY_TICKS, BRAKE_RATE } from '../actuators';
import { ABS_SHARE } from '../dynamics';
import { greatest, least } from '../math';
import { getF, getI, setF, setI, typeOf } from '../memory';
import { targetRecord, targetCount } from '../targets';
import { GRAVITY } from '../tyre';
import { announce, credit } from './intervention';
import { hasRoadAt } from './road-beside';
import {
  aside,
  gapTo,
  halfAcross,
  halfAlong,
  offsetIn,
  relate,
  speedAcross,
  speedAlong,
  timeToGap,
  willMeet,
} from './threat';

/** Speed range of the function: 25 to 100 km/h. */
const SLOWEST_MPS = 6.95;
const FASTEST_MPS = 27.8;
/** Clearance to the object, m. */
const BESIDE_M = 0.3;
/** Overshoot of the planned offset: the necessary offset is reached after 0.65 of the time. */
const OVERSHOOT = 1.3;
/** Greatest planned offset, m. */
const OFFSET_MAX_M = 3.6;
/** Peak acceleration of a quintic, × distance ÷ time². */
const QUINTIC_PEAK = 5.77;
/** Shares of the friction for steering, for braking meanwhile, and for braking on the way back. */
const SIDE_SHARE = 0.8;
const BRAKE_SHARE = 0.4;
const BACK_BRAKE_SHARE = 0.8;
/** Dead time of the steering, s, and build-up of lateral acceleration at friction 1, m/s³. */
const STEER_DEAD_S = 0.1;
const STEER_RATE = 40.0;
/**
 * The function acts if braking will be too late in this time, s, and steering not yet in this time,
 * s.
 */
const BRAKE_MARGIN_S = 0.1;
const STEER_MARGIN_S = 0.15;
/** Objects that enter the new corridor later than this after the car do not count, s. */
const FREE_S = 2.5;
/**
 * Braking for objects ahead there begins this long afterwards, s, with this share of the friction.
 */
const STEERING_S = 0.3;
const STOP_SHARE = 0.85;
/** Oncoming drivers brake this long afterwards, s. */
const REACTION_S = 0.5;
/** Clearance along the new corridor, beside it, and beside it to oncoming traffic, m. */
const ROOM_M = 3.0;
const ROOM_BESIDE_M = 0.3;
const ROOM_ONCOMING_M = 0.8;
/**
 * Shares of the predicted time to a meeting: it happens neither before the first nor after the
 * second.
 */
const EARLIER_SHARE = 0.5;
const LATER_SHARE = 1.5;
/** Closing speed below which two do not meet soon, m/s. */
const MEETING_MPS = 0.5;
/**
 * The car returns after this time, s, and this distance behind the object, m, with at most this
 * acceleration, m/s².
 */
const HOLD_S = 0.5;
const HOLD_M = 7.0;
const BACK_ACCEL = 2.5;
const BACK_SHARE = 0.4;
/** The car is back in its lane within this offset, m. */
const BACK_M = 1.0;
/** An object in the lane within this time, s, and distance, m, ahead is not passed yet. */
const AHEAD_S = 2.0;
const AHEAD_M = 4.0;

/**
 * Steers around objects if braking no longer suffices, and back. `near`: mask of the targets that
 * can matter.
 */
export function evade(slab: usize, city: usize, car: i32, near: u32): void {
  if (getI(slab, C_EVADE_TICK, car) != 0) {
    goOn(slab, city, car);
    return;
  }
  if ((getI(slab, C_EFFECTIVE, car) & F_EVASIVE_STEERING) == 0) return;
  const speed = getF(slab, C_VX, car);
  if (speed < SLOWEST_MPS || speed > FASTEST_MPS) return;
  for (let left = near; left != 0; left &= left - 1) {
    const i = <i32>ctz(left);
    const target = targetRecord(car, i);
    if ((load<i32>(target + TG_SENSORS) & SEEN_CAMERA) == 0) continue;
    relate(slab, city, car, target);
    if (willMeet(slab, car, 0.0) && isTooLateToBrake(slab, car) && steerAround(slab, city, car, i))
      return;
  }
}

/** Limits braking during a change of offset so that the tyres can still steer. */
export function limitBraking(slab: usize, car: i32): void {
  const since = <u32>getI(slab, C_EVADE_TICK, car);
  if (since == 0 || <f64>(load<u32>(slab + H_TICK) - since) * TICK_S > getF(slab, C_EVADE_S, car))
    return;
  const most =
    (getF(slab, C_EVADE_OFFSET, car) == 0.0 ? BACK_BRAKE_SHARE : BRAKE_SHARE) * grip(slab, car);
  if (getF(slab, C_EMERGENCY, car) > most) setF(slab, C_EMERGENCY, car, most);
}

/** Acceleration that the tyres can transmit, as the car knows it, m/s². */
@inline function grip(slab: usize, car: i32): f64 {
  return least(getF(slab, C_FRICTION_FRONT, car), getF(slab, C_FRICTION_REAR, car)) * GRAVITY;
}

/** Whether full braking from now on ends hardly before the target of `relate`, or not before it. */
function isTooLateToBrake(slab: usize, car: i32): bool {
  const closing = getF(slab, C_VX, car) - speedAlong();
  const decel = ABS_SHARE * grip(slab, car);
  const dead = greatest(BRAKE_DELAY_TICKS * TICK_S - getF(slab, C_BRAKE_TICKS, car) * TICK_S, 0.0);
  const late =
    dead + greatest(decel - getF(slab, C_BRAKE, car), 0.0) * (0.5 / BRAKE_RATE) + BRAKE_MARGIN_S;
  return gapTo() < (closing * closing) / (2.0 * decel) + closing * late;
}

/**
 * Begins to steer around a target, to the side that needs less offset if it is free; whether it
 * did.
 */
function steerAround(slab: usize, city: usize, car: i32, i: i32): bool {
  const time = timeToGap();
  const ahead = gapTo() + halfAlong();
  const middle = aside() + offsetIn(slab, car, time) + speedAcross() * time;
  const clear = halfAcross() + 0.5 * load<f64>(typeOf(slab, car) + CT_WIDTH) + BESIDE_M;
  const offset = getF(slab, C_OFFSET, car);
  const left = middle + clear - offset;
  const right = offset - (middle - clear);
  const first = left < right ? left : -right;
  const second = left < right ? -right : left;
  if (!canGain(slab, car, first, time)) return false;
  if (begin(slab, city, car, i, offset + OVERSHOOT * first, ahead, time)) return true;
  return (
    canGain(slab, car, second, time) &&
    begin(slab, city, car, i, offset + OVERSHOOT * second, ahead, time)
  );
}

/** Whether an offset, m, can be reached in time: constant acceleration after the build-up. */
function canGain(slab: usize, car: i32, offset: f64, time: f64): bool {
  const accel = sideAccel(slab, car);
  if (accel <= 0.0) return false;
  const buildUp =
    accel /
    (STEER_RATE * least(getF(slab, C_FRICTION_FRONT, car), getF(slab, C_FRICTION_REAR, car)));
  return time > STEER_DEAD_S + 0.5 * buildUp + sqrt((2.0 * abs(offset)) / accel) + STEER_MARGIN_S;
}

/** Lateral acceleration that the present bend leaves for the evasion, m/s². */
function sideAccel(slab: usize, car: i32): f64 {
  return SIDE_SHARE * grip(slab, car) - abs(getF(slab, C_VX, car) * getF(slab, C_YAW_RATE, car));
}

function begin(
  slab: usize,
  city: usize,
  car: i32,
  i: i32,
  offset: f64,
  ahead: f64,
  time: f64,
): bool {
  if (
    abs(offset) > OFFSET_MAX_M ||
    !hasRoadAt(slab, city, car, ahead, offset) ||
    !isFree(slab, city, car, i, offset, time)
  )
    return false;
  const from = getF(slab, C_OFFSET, car);
  setI(slab, C_EVADE_TICK, car, load<u32>(slab + H_TICK));
  setF(slab, C_EVADE_FROM, car, from);
  setF(slab, C_EVADE_OFFSET, car, offset);
  setF(slab, C_EVADE_S, car, sqrt((QUINTIC_PEAK * abs(offset - from)) / sideAccel(slab, car)));
  announce(slab, car, F_EVASIVE_STEERING, load<i32>(targetRecord(car, i) + TG_OBJECT));
  credit(slab, car, F_EVASIVE_STEERING | F_STEERING | F_FRONT_CAMERA);
  return true;
}

/** Whether the new corridor is free of other targets until the car has passed. */
function isFree(slab: usize, city: usize, car: i32, threat: i32, offset: f64, time: f64): bool {
  const type = typeOf(slab, car);
  const halfWidth = 0.5 * load<f64>(type + CT_WIDTH);
  const behind = -load<f64>(type + CT_LENGTH) - ROOM_M;
  const count = targetCount(car);
  for (let i = 0; i < count; i++) {
    if (i == threat) continue;
    relate(slab, city, car, targetRecord(car, i));
    if (gapTo() + 2.0 * halfAlong() < behind || gapTo() > roomTo(slab, car, time) + ROOM_M)
      continue;
    const now = aside() + offsetIn(slab, car, timeToGap()) - offset;
    const from = now + speedAcross() * soonestMeeting(slab, car);
    const to = now + speedAcross() * latestMeeting(slab, car, time);
    const reach = halfWidth + halfAcross() + (speedAlong() < 0.0 ? ROOM_ONCOMING_M : ROOM_BESIDE_M);
    if (least(from, to) < reach && greatest(from, to) > -reach) return false;
  }
  return true;
}

/** Earliest time at which the car is beside the target of `relate`, s. */
function soonestMeeting(slab: usize, car: i32): f64 {
  const closing = getF(slab, C_VX, car) - speedAlong();
  return closing > MEETING_MPS ? (EARLIER_SHARE * greatest(gapTo(), 0.0)) / closing : 0.0;
}

/** Latest such time, s, at least `time`. */
function latestMeeting(slab: usize, car: i32, time: f64): f64 {
  const closing = getF(slab, C_VX, car) - speedAlong();
  if (closing <= MEETING_MPS) return time;
  const way = gapTo() + 2.0 * halfAlong() + load<f64>(typeOf(slab, car) + CT_LENGTH);
  return greatest(time, LATER_SHARE * (way / closing));
}

/**
 * Distance to the target of `relate` that suffices to pass an object in `time` s, m: either it is
 * not reached for long after that, or the car, offset and braking, stops in time, as an oncoming
 * driver does too.
 */
function roomTo(slab: usize, car: i32, time: f64): f64 {
  const speed = getF(slab, C_VX, car);
  const closing = speed - speedAlong();
  const room = closing * (time + FREE_S);
  if (closing <= 0.0) return room;
  const steering = time + STEERING_S;
  const perDecel = 0.5 / (STOP_SHARE * grip(slab, car));
  const lost = BRAKE_SHARE * grip(slab, car) * steering;
  if (speedAlong() >= 0.0) {
    const slower = greatest(closing - lost, 0.0);
    return least(room, 0.5 * (closing + slower) * steering + slower * slower * perDecel);
  }
  const slower = greatest(speed - lost, 0.0);
  const own = 0.5 * (speed + slower) * steering + slower * slower * perDecel;
  const theirs = speedAlong() * speedAlong() * perDecel - speedAlong() * (steering + REACTION_S);
  return least(room, own + theirs);
}

/** Stays beside the lane until the object is passed, then returns. */
function goOn(slab: usize, city: usize, car: i32): void {
  const tick = load<u32>(slab + H_TICK);
  const offset = getF(slab, C_EVADE_OFFSET, car);
  const lasts = getF(slab, C_EVADE_S, car);
  const held = <f64>(tick - <u32>getI(slab, C_EVADE_TICK, car)) * TICK_S - lasts;
  if (held < 0.0) return;
  if (offset == 0.0) {
    // A car that has to wait on the way back is still on it.
    if (abs(getF(slab, C_OFFSET, car)) > BACK_M) return;
    setI(slab, C_EVADE_TICK, car, 0);
    setF(slab, C_EVADE_S, car, 0.0);
    return;
  }
  if (isBeside(slab, city, car)) {
    setI(slab, C_EVADE_TICK, car, tick - <u32>(lasts * (1.0 / TICK_S)));
    return;
  }
  if (held < HOLD_S || held * getF(slab, C_VX, car) < HOLD_M) return;
  setI(slab, C_EVADE_TICK, car, tick);
  setF(slab, C_EVADE_FROM, car, offset);
  setF(slab, C_EVADE_OFFSET, car, 0.0);
  setF(
    slab,
    C_EVADE_S,
    car,
    sqrt((QUINTIC_PEAK * abs(offset)) / least(BACK_ACCEL, BACK_SHARE * grip(slab, car))),
  );
}

/**
 * Whether an object is still in the lane that the car left, beside it or a little ahead. Objects in
 * the car's present path do not count.
 */
function isBeside(slab: usize, city: usize, car: i32): bool {
  const type = typeOf(slab, car);
  const halfWidth = 0.5 * load<f64>(type + CT_WIDTH);
  const behind = -load<f64>(type + CT_LENGTH);
  const speed = getF(slab, C_VX, car);
  const offset = getF(slab, C_EVADE_OFFSET, car);
  const count = targetCount(car);
  for (let i = 0; i < count; i++) {
    relate(slab, city, car, targetRecord(car, i));
    if (
      gapTo() + 2.0 * halfAlong() < behind ||
      gapTo() > (speed - speedAlong()) * AHEAD_S + AHEAD_M
    )
      continue;
    const isAhead = gapTo() > 0.0 && abs(aside()) < halfWidth + halfAcross();
    if (!isAhead && abs(aside() + offset) < halfWidth + ROOM_BESIDE_M + halfAcross()) return true;
  }
  return false;
}
