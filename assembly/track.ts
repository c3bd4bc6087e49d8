import {
  CT_UNDERSTEER,
  CT_WHEELBASE,
  C_EVADE_FROM,
  C_EVADE_OFFSET,
  C_EVADE_S,
  C_EVADE_TICK,
  C_FRICTION_FRONT,
  C_FRICTION_REAR,
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_STATION,
  C_STATUS,
  C_STEER_TARGET,
  C_VX,
  C_VY,
  C_X,
  C_Y,
  DYNAMICS,
  H_TICK,
  L_LENGTH,
  L_POINTS_PER_M,
  L_POINT_COUNT,
  L_POINT_FIRST,
  L_SPACING,
  POINT_BYTES,
  PT_CURVATURE,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  STATUS_CRASHED,
  TICK_S,
  T_POINTS,
} from './layout';
import { arcTangent } from './arc-tangent';
import { laneAhead, laneRecord, routeCount } from './lanes';
import { carsBeyond, carsWith } from './masks';
import { clamp, greatest, least } from './math';
import { getF, getI, setF, setI, typeOf } from './memory';
import {
  add,
  constant,
  div,
  greater,
  HALF,
  mul,
  ONE,
  QUAD_ROW,
  splat,
  sub,
  whereLess,
  within,
} from './quad';
import { DRY, sampleFriction, sampleFrictionInZones } from './road-grip';
import { MOVES } from './substeps';
import { TR_UNDERSTEER, TR_WHEELBASE } from './type-rows';

/** Preview time of the steering, s: it makes up for the delay of wheels and yaw. */
const PREVIEW_S = 0.2;
/** The way back to the lane takes this driving time, s, and at least this distance, m. */
export const REACH_S = 0.6;
export const REACH_MIN_M = 4.0;
const REACH_MIN = memory.data<f32>([<f32>REACH_MIN_M]);
/**
 * While it evades, a car follows its path as closely as the tyres allow: time × friction, least
 * time and preview, s.
 */
const EVADE_REACH_S = 0.19;
const EVADE_REACH_MIN_S = 0.35;
const EVADE_PREVIEW_S = 0.15;
/** Additional slip of tyres near their limit, as a factor of the linear law. */
const EVADE_SLIP = 1.35;
/** Limits of the steering law's inputs: rad, m, 1/m. */
const ANGLE_MAX = memory.data<f32>([0.7]);
const OFFSET_MAX_M = memory.data<f32>([4.0]);
const CURVATURE_MAX = memory.data<f32>([0.25]);

// What `follow` passes to `steer`: the first five rows of f32[CAR_COUNT] in DYNAMICS.
/** Sine and cosine of the angle from the wanted path to the heading, times the same factor. */
const S_ACROSS: usize = DYNAMICS;
const S_ALONG: usize = QUAD_ROW + DYNAMICS;
const S_CURVATURE: usize = QUAD_ROW * 2 + DYNAMICS;
const S_ERROR: usize = QUAD_ROW * 3 + DYNAMICS; // m left of the wanted path
const S_REACH: usize = QUAD_ROW * 4 + DYNAMICS; // s

/**
 * Finds each car's place on its lane and the next steering angle. Runs every other tick, just
 * before decisions: 25 Hz is fast enough for wheels that turn at 0.6 rad/s. The friction under the
 * axles is sampled every tick: a tyre with the friction that it had a tick ago would grip ice as if
 * it were dry.
 */
export function track(slab: usize, city: usize): void {
  if ((load<u32>(slab + H_TICK) & 1) == 0) {
    sampleFrictionInZones(slab, city);
    return;
  }
  // A standing car has not changed its place. Wrecks slide.
  const cars = carsBeyond(MOVES, 0.0) | carsWith(slab, C_STATUS, STATUS_CRASHED);
  for (let left = cars; left != 0; left &= left - 1) follow(slab, city, <i32>ctz(left));
  sampleFriction(slab, city, cars);
  if (ASC_FEATURE_SIMD) steerAll<v128>(slab);
  else steerAll<f32>(slab);
}

function steerAll<T>(slab: usize): void {
  for (let place: usize = 0; place < QUAD_ROW; place += sizeof<T>()) steer<T>(slab, place);
}

/**
 * Station and offset on the lane, from the nearest point of the centre line and its curve. One
 * Newton step every other tick is exact to a millimetre.
 */
function follow(slab: usize, city: usize, car: i32): void {
  let record = laneRecord(city, getI(slab, C_LANE, car));
  const points = city + load<i32>(city + T_POINTS);
  const station = getF(slab, C_STATION, car);
  const index = <i32>(station * load<f64>(record + L_POINTS_PER_M) + 0.5);
  const point = points + <usize>(load<i32>(record + L_POINT_FIRST) + index) * POINT_BYTES;
  let beyond = station - <f64>index * load<f64>(record + L_SPACING);
  const tx = <f64>load<f32>(point + PT_TX);
  const ty = <f64>load<f32>(point + PT_TY);
  const curvature = <f64>load<f32>(point + PT_CURVATURE);
  const dx = getF(slab, C_X, car) - <f64>load<f32>(point + PT_X);
  const dy = getF(slab, C_Y, car) - <f64>load<f32>(point + PT_Y);
  const ahead = tx * dx + ty * dy;
  const aside = tx * dy - ty * dx;
  // In the axes of the point the curve is (s, ½ κ s²) and its tangent (1, κ s).
  let bend = curvature * beyond;
  const error = clamp(ahead - beyond + (aside - 0.5 * bend * beyond) * bend, -2.0, 2.0);
  const shift = error * (1.0 + clamp(curvature * aside, -0.5, 0.5));
  beyond += shift;
  bend = curvature * beyond;
  const offset = aside - 0.5 * bend * beyond - bend * (ahead - beyond);
  let next = station + shift;
  let length = load<f64>(record + L_LENGTH);
  if (next > length) {
    const position = getI(slab, C_ROUTE_INDEX, car) + 1;
    setI(slab, C_ROUTE_INDEX, car, position == routeCount(city, car) ? 0 : position);
    const lane = laneAhead(slab, city, car, 0);
    setI(slab, C_LANE, car, lane);
    next -= length;
    record = laneRecord(city, lane);
    length = load<f64>(record + L_LENGTH);
  }
  if (next < 0.0) next = 0.0;
  setF(slab, C_STATION, car, next);
  setF(slab, C_OFFSET, car, offset);
  const place = (<usize>car) << 2;
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  const wayX = tx - bend * ty;
  const wayY = ty + bend * tx;
  store<f32>(S_ACROSS + place, <f32>(wayX * hy - wayY * hx));
  store<f32>(S_ALONG + place, <f32>(wayX * hx + wayY * hy));
  let preview = next + greatest(getF(slab, C_VX, car), 0.0) * PREVIEW_S;
  if (preview > length) {
    preview -= length;
    record = laneRecord(city, laneAhead(slab, city, car, 1));
  }
  store<f32>(S_CURVATURE + place, <f32>curvatureAt(points, record, preview));
  store<f32>(S_ERROR + place, <f32>offset);
  store<f32>(S_REACH + place, <f32>REACH_S);
  if (getI(slab, C_EVADE_TICK, car) != 0) swerve(slab, car, place);
}

/**
 * Shifts the path that `steer` follows by 10 p³ − 15 p⁴ + 6 p⁵ of the distance over the duration of
 * the evasion.
 */
function swerve(slab: usize, car: i32, place: usize): void {
  const perTime = 1.0 / greatest(getF(slab, C_EVADE_S, car), 0.1);
  const passed = <f64>(load<u32>(slab + H_TICK) - <u32>getI(slab, C_EVADE_TICK, car)) * TICK_S;
  const from = getF(slab, C_EVADE_FROM, car);
  const way = getF(slab, C_EVADE_OFFSET, car) - from;
  const speed = greatest(getF(slab, C_VX, car), 2.0);
  const p = least(passed * perTime, 1.0);
  const rest = 1.0 - p;
  const slope = (30.0 * p * p * rest * rest * way * perTime) / speed;
  const across = <f64>load<f32>(S_ACROSS + place);
  const along = <f64>load<f32>(S_ALONG + place);
  store<f32>(S_ACROSS + place, <f32>(across - slope * along));
  store<f32>(S_ALONG + place, <f32>(along + slope * across));
  const shift = from + way * p * p * p * (10.0 - p * (15.0 - 6.0 * p));
  store<f32>(S_ERROR + place, <f32>(getF(slab, C_OFFSET, car) - shift));
  store<f32>(
    S_REACH + place,
    <f32>clamp(EVADE_REACH_S / frictionOf(slab, car), EVADE_REACH_MIN_S, REACH_S),
  );
  const q = least((passed + EVADE_PREVIEW_S) * perTime, 1.0);
  const bend = (60.0 * q * (1.0 - q) * (1.0 - 2.0 * q) * way * perTime * perTime) / (speed * speed);
  store<f32>(
    S_CURVATURE + place,
    <f32>(<f64>load<f32>(S_CURVATURE + place) + bend * slipShare(slab, car, speed)),
  );
}

/** Friction of the axle that has less. */
@inline function frictionOf(slab: usize, car: i32): f64 {
  return greatest(least(getF(slab, C_FRICTION_FRONT, car), getF(slab, C_FRICTION_REAR, car)), 0.1);
}

/** Ratio of the wheel angle needed to that on a dry road with tyres far from their limit. */
function slipShare(slab: usize, car: i32, speed: f64): f64 {
  const type = typeOf(slab, car);
  const understeer = load<f64>(type + CT_UNDERSTEER) * speed * speed;
  const wheelbase = load<f64>(type + CT_WHEELBASE);
  return (
    (wheelbase + (understeer * EVADE_SLIP) / frictionOf(slab, car)) /
    (wheelbase + understeer * (1.0 / DRY))
  );
}

/** Curvature of a lane at a station, between its points. */
@inline function curvatureAt(points: usize, record: usize, station: f64): f64 {
  const place = station * load<f64>(record + L_POINTS_PER_M);
  const last = load<i32>(record + L_POINT_COUNT) - 2;
  const whole = <i32>place;
  const index = whole < last ? whole : last;
  const point = points + <usize>(load<i32>(record + L_POINT_FIRST) + index) * POINT_BYTES;
  const here = <f64>load<f32>(point + PT_CURVATURE);
  return (
    here +
    (<f64>load<f32>(point + POINT_BYTES + PT_CURVATURE) - here) * least(place - <f64>index, 1.0)
  );
}

/**
 * Curvature command for a critically damped return to the lane. With the offset e, the angle θ
 * between motion and lane and a distance l: κ = κ_lane − 2θ/l − e/l². The wheel angle follows from
 * the single-track model in steady state, δ = atan(L κ) + K v² κ, on a dry road.
 */
@inline function steer<T>(slab: usize, place: usize): void {
  const cars = slab + place;
  const zero = splat<T>(0.0);
  const vx = load<T>(cars, C_VX);
  const across = load<T>(place, S_ACROSS);
  const along = load<T>(place, S_ALONG);
  const slip = within<T>(
    div<T>(load<T>(cars, C_VY), greater<T>(vx, constant<T>(ONE))),
    constant<T>(HALF),
  );
  const most = constant<T>(ANGLE_MAX);
  const angle = within<T>(add<T>(across, mul<T>(slip, along)), most);
  const away = whereLess<T>(zero, angle, most, sub<T>(zero, most));
  const turn = whereLess<T>(zero, sub<T>(along, mul<T>(slip, across)), angle, away);
  const perReach = div<T>(
    constant<T>(ONE),
    greater<T>(constant<T>(REACH_MIN), mul<T>(load<T>(place, S_REACH), vx)),
  );
  const offset = within<T>(load<T>(place, S_ERROR), constant<T>(OFFSET_MAX_M));
  const error = mul<T>(add<T>(add<T>(turn, turn), mul<T>(offset, perReach)), perReach);
  const curvature = within<T>(
    sub<T>(load<T>(place, S_CURVATURE), error),
    constant<T>(CURVATURE_MAX),
  );
  const rolling = arcTangent<T>(mul<T>(curvature, load<T>(place, TR_WHEELBASE)));
  const understeer = mul<T>(load<T>(place, TR_UNDERSTEER), mul<T>(vx, vx));
  const target = add<T>(rolling, mul<T>(understeer, curvature));
  store<T>(
    cars,
    whereLess<T>(zero, load<T>(place, MOVES), target, load<T>(cars, C_STEER_TARGET)),
    C_STEER_TARGET,
  );
}
