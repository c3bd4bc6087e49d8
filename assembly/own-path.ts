/**
 * The way that a car is about to go, as a chain of points, and where a box reaches into it. Made for
 * one car at a time, no farther than somebody asks for.
 */
import {
  CT_CENTRE, CT_LENGTH, CT_WHEELBASE, CT_WIDTH, C_EVADE_OFFSET, C_EVADE_TICK, C_HX, C_HY, C_LANE, C_OFFSET, C_STATION, C_STEER, C_VX,
  C_X, C_Y, L_LENGTH, OWN_PATH, PT_TX, PT_TY, PT_X, PT_Y,
} from './layout';
import { along, laneAhead, laneAt, pointAt, shareAt } from './lanes';
import { clamp, greatest, least } from './math';
import { getF, getI, typeOf } from './memory';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';

/** How far a path is known, m, and its points apart, m. */
export const PATH_M = 80.0;
const STEP_M = 2.0;
const POINTS_MAX = 41;
/** What the corridor is wider than the car, to each side, m. */
export const CORRIDOR_MARGIN_M = 0.2;
/** A car further from its lane's centre follows its wheels, not its lane, m. */
const OFF_LANE_M = 1.2;
/** Over so many metres the tracker takes a car back to its lane, m, s; see `steer`. */
const RETURN_M = 4.0;
const RETURN_S = 0.6;

// Head of the chain, then points of four f64 each.
const COUNT: usize = OWN_PATH; // i32
const AHEAD: usize = OWN_PATH + 4; // i32, lanes ahead of the one that the car is on
const CAR: usize = OWN_PATH + 8; // i32
const IS_FREE: usize = OWN_PATH + 12; // i32, 1 where it follows the wheels
const STATION: usize = OWN_PATH + 16; // f64 m along that lane, of the last point
const HALF_WIDTH: usize = OWN_PATH + 24; // f64 m, of the corridor
const AIM: usize = OWN_PATH + 32; // f64 m left of the lane, where the car steers to
const AWAY: usize = OWN_PATH + 40; // f64 m left of that, where its front is
const PER_RETURN: usize = OWN_PATH + 48; // f64 1/m
const NOSE: usize = OWN_PATH + 56; // f64 m from the centre of gravity to the front bumper
const CURVATURE: usize = OWN_PATH + 64; // f64 1/m, where it follows the wheels
const POINTS: usize = OWN_PATH + 96;
const PW_X: usize = 0; // m
const PW_Y: usize = 8;
const PW_TX: usize = 16; // tangent, unit vector
const PW_TY: usize = 24;
const PW_BYTES: usize = 32;

/** What `meetPath` leaves where it found something, f64 m. */
export const MET_AT: usize = OWN_PATH + 72; // from the front bumper
export const MET_RIGHT: usize = OWN_PATH + 80; // ends of the box left of the path
export const MET_LEFT: usize = OWN_PATH + 88;

/** From here on the path is that of `car`: not a point of it is known yet. */
export function beginPath(slab: usize, car: i32): void {
  const type = typeOf(slab, car);
  const offset = getF(slab, C_OFFSET, car);
  const isFree = offset > OFF_LANE_M || offset < -OFF_LANE_M;
  const nose = load<f64>(type + CT_CENTRE) + 0.5 * load<f64>(type + CT_LENGTH);
  const aim = getI(slab, C_EVADE_TICK, car) == 0 ? 0.0 : getF(slab, C_EVADE_OFFSET, car);
  store<i32>(COUNT, 0);
  store<i32>(AHEAD, 0);
  store<i32>(CAR, car);
  store<i32>(IS_FREE, isFree ? 1 : 0);
  store<f64>(STATION, getF(slab, C_STATION, car) + nose);
  store<f64>(HALF_WIDTH, 0.5 * load<f64>(type + CT_WIDTH) + CORRIDOR_MARGIN_M);
  store<f64>(AIM, aim);
  store<f64>(AWAY, offset - aim);
  store<f64>(PER_RETURN, 1.0 / greatest(RETURN_M, RETURN_S * getF(slab, C_VX, car)));
  store<f64>(NOSE, nose);
  store<f64>(CURVATURE, getF(slab, C_STEER, car) / load<f64>(type + CT_WHEELBASE));
}

@inline function pathPoint(index: i32): usize {
  return POINTS + <usize>index * PW_BYTES;
}

/** Adds the next point of the chain. */
function extend(slab: usize, city: usize): void {
  const count = load<i32>(COUNT);
  const at = pathPoint(count);
  store<i32>(COUNT, count + 1);
  if (load<i32>(IS_FREE) != 0) extendFree(slab, count, at);
  else extendOnLane(slab, city, count, at);
}

/** Straight on as the wheels point: an arc, put together from its chords. */
function extendFree(slab: usize, count: i32, at: usize): void {
  const car = load<i32>(CAR);
  if (count == 0) {
    const hx = getF(slab, C_HX, car);
    const hy = getF(slab, C_HY, car);
    const nose = load<f64>(NOSE);
    putPoint(at, getF(slab, C_X, car) + nose * hx, getF(slab, C_Y, car) + nose * hy, hx, hy);
    return;
  }
  const last = at - PW_BYTES;
  const tx = load<f64>(last + PW_TX);
  const ty = load<f64>(last + PW_TY);
  const turn = load<f64>(CURVATURE) * STEP_M;
  const norm = 1.0 / sqrt(1.0 + turn * turn);
  const nextX = (tx - turn * ty) * norm;
  const nextY = (ty + turn * tx) * norm;
  putPoint(at, load<f64>(last + PW_X) + STEP_M * tx, load<f64>(last + PW_Y) + STEP_M * ty, nextX, nextY);
}

/** Along the lanes of the route, back to their middle as the tracker steers. */
function extendOnLane(slab: usize, city: usize, count: i32, at: usize): void {
  const car = load<i32>(CAR);
  let ahead = load<i32>(AHEAD);
  let station = load<f64>(STATION);
  if (count > 0) station += STEP_M;
  let lane = ahead == 0 ? getI(slab, C_LANE, car) : laneAhead(slab, city, car, ahead);
  let length = load<f64>(laneAt(city, lane) + L_LENGTH);
  while (station > length) {
    station -= length;
    lane = laneAhead(slab, city, car, ++ahead);
    length = load<f64>(laneAt(city, lane) + L_LENGTH);
  }
  store<i32>(AHEAD, ahead);
  store<f64>(STATION, station);
  const point = pointAt(city, lane, station);
  const share = shareAt(city, lane, station);
  const tx = along(point, PT_TX, share);
  const ty = along(point, PT_TY, share);
  const left = load<f64>(AIM) + load<f64>(AWAY) * shareLeft(<f64>count * STEP_M * load<f64>(PER_RETURN));
  putPoint(at, along(point, PT_X, share) - left * ty, along(point, PT_Y, share) + left * tx, tx, ty);
}

/** What is left of an offset after so many lengths of return; a cubic in place of an exponential. */
@inline function shareLeft(lengths: f64): f64 {
  const share = 1.0 - least(0.25 * lengths, 1.0);
  return share * share * (3.0 - 2.0 * share);
}

@inline function putPoint(at: usize, x: f64, y: f64, tx: f64, ty: f64): void {
  store<f64>(at + PW_X, x);
  store<f64>(at + PW_Y, y);
  store<f64>(at + PW_TX, tx);
  store<f64>(at + PW_TY, ty);
}

/**
 * Whether a box of the given circumradius reaches into the corridor before `far` m; leaves where
 * first, and its ends across the path there.
 */
export function meetPath(slab: usize, city: usize, box: usize, radius: f64, far: f64): bool {
  const reach = radius + load<f64>(HALF_WIDTH);
  const bx = load<f64>(box + BOX_X);
  const by = load<f64>(box + BOX_Y);
  let index = 0;
  while (index < POINTS_MAX - 1 && <f64>index * STEP_M < far) {
    while (load<i32>(COUNT) <= index + 1) extend(slab, city);
    const point = pathPoint(index);
    const dx = bx - load<f64>(point + PW_X);
    const dy = by - load<f64>(point + PW_Y);
    const ahead = dx * load<f64>(point + PW_TX) + dy * load<f64>(point + PW_TY);
    const left = dy * load<f64>(point + PW_TX) - dx * load<f64>(point + PW_TY);
    if (ahead + radius > 0.0 && ahead - radius < STEP_M && abs(left) < reach) {
      if (meetStep(box, point, <f64>index * STEP_M)) return true;
    }
    // A step covers hardly more ground than its length, so none before this can reach the box.
    const apart = sqrt(dx * dx + dy * dy) - reach;
    const skip = <i32>(apart * (1.0 / STEP_M)) - 2;
    index += skip > 1 ? skip : 1;
  }
  return false;
}

/** The same for one step of the path, on whose axes its piece of the corridor is a rectangle. */
function meetStep(box: usize, point: usize, before: f64): bool {
  const px = load<f64>(point + PW_X);
  const py = load<f64>(point + PW_Y);
  const next = point + PW_BYTES;
  const ex = load<f64>(next + PW_X) - px;
  const ey = load<f64>(next + PW_Y) - py;
  const norm = 1.0 / greatest(sqrt(ex * ex + ey * ey), 0.1);
  const tx = ex * norm;
  const ty = ey * norm;
  const dx = load<f64>(box + BOX_X) - px;
  const dy = load<f64>(box + BOX_Y) - py;
  const middleX = dx * tx + dy * ty;
  const middleY = dy * tx - dx * ty;
  const hx = load<f64>(box + BOX_HX);
  const hy = load<f64>(box + BOX_HY);
  const cosine = hx * tx + hy * ty;
  const sine = hy * tx - hx * ty;
  const lx = load<f64>(box + BOX_HALF_LENGTH) * cosine;
  const ly = load<f64>(box + BOX_HALF_LENGTH) * sine;
  const wx = -load<f64>(box + BOX_HALF_WIDTH) * sine;
  const wy = load<f64>(box + BOX_HALF_WIDTH) * cosine;
  const half = load<f64>(HALF_WIDTH);
  const right = middleY - abs(ly) - abs(wy);
  const left = middleY + abs(ly) + abs(wy);
  if (right >= half || left <= -half) return false;
  // Within the strip, the nearest and the farthest place of each edge.
  let nearest = 1e9;
  let farthest = -1e9;
  for (let i = 0; i < 4; i++) {
    const a = i == 0 || i == 3 ? 1.0 : -1.0;
    const b = i < 2 ? 1.0 : -1.0;
    const isLong = (i & 1) == 0;
    const fromX = middleX + a * lx + b * wx;
    const fromY = middleY + a * ly + b * wy;
    const alongX = isLong ? -2.0 * a * lx : -2.0 * b * wx;
    const alongY = isLong ? -2.0 * a * ly : -2.0 * b * wy;
    const low = edgeShare(fromY, alongY, half, 0.0);
    const high = edgeShare(fromY, alongY, half, 1.0);
    if (low > high) continue;
    nearest = least(nearest, fromX + alongX * (alongX > 0.0 ? low : high));
    farthest = greatest(farthest, fromX + alongX * (alongX > 0.0 ? high : low));
  }
  if (farthest < 0.0 || nearest > STEP_M) return false;
  store<f64>(MET_AT, before + greatest(nearest, 0.0));
  store<f64>(MET_RIGHT, right);
  store<f64>(MET_LEFT, left);
  return true;
}

/**
 * Share of an edge at which it comes into the strip (`end` 0) or leaves it (`end` 1); the first is the
 * greater where it never is inside.
 */
@inline function edgeShare(from: f64, change: f64, half: f64, end: f64): f64 {
  if (abs(change) < 1e-9) return abs(from) <= half ? end : 1.0 - end;
  const per = 1.0 / change;
  const a = (-half - from) * per;
  const b = (half - from) * per;
  return end == 0.0 ? clamp(a < b ? a : b, 0.0, 2.0) : clamp(a < b ? b : a, -1.0, 1.0);
}

/** Width that a box and the corridor share where `meetPath` found it, m. */
export function sharedWidth(): f64 {
  const half = load<f64>(HALF_WIDTH);
  return least(load<f64>(MET_LEFT), half) - greatest(load<f64>(MET_RIGHT), -half);
}
