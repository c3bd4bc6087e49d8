/**
 * The path that a car is about to drive, as a chain of straight pieces, and where a box reaches
 * into it. Built for one car at a time, and only as far as it is needed.
 */
import {
  CT_CENTRE,
  CT_LENGTH,
  CT_WHEELBASE,
  CT_WIDTH,
  C_EVADE_OFFSET,
  C_EVADE_TICK,
  C_HX,
  C_HY,
  C_OFFSET,
  C_STATION,
  C_STEER,
  C_VX,
  C_X,
  C_Y,
  L_LENGTH,
  L_SPACING,
  OWN_PATH,
  PT_RUN,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
} from './layout';
import { along, laneAhead, laneRecord, pointAt, shareAt } from './lanes';
import { greatest, least } from './math';
import { getF, getI, typeOf } from './memory';
import { OFF_LANE_M } from './occupancy';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';
import { add, div, greater, lesser, mul, size, splat, sub, whereLess } from './pair';
import { REACH_MIN_M, REACH_S } from './track';

/** Length of the path: time of driving, s, plus a minimum, m, up to a maximum, m. */
const PATH_S = 3.0;
const PATH_MIN_M = 12.0;
const PATH_MAX_M = 70.0;
/** Greatest ratio of a path's length to the straight line between its ends in a city. */
const DETOUR = 1.6;
/** Greatest number of pieces. */
const PIECES_MAX = 45;
/** Width of the corridor beyond the car, to each side, m. */
export const CORRIDOR_MARGIN_M = 0.2;
/** Lengths, see REACH_MIN_M, after which the car is back on its lane. */
const RETURN_LENGTHS = 4.0;
/**
 * Longest piece on the way back, m, and the offset from which a car counts as off the centre, m.
 */
const RETURN_PIECE_M = 4.0;
const RETURN_FROM_M = 0.1;
/** Length of the pieces along the direction of the wheels, m. */
const FREE_PIECE_M = 4.0;

// Head of the chain, then its pieces.
const COUNT: usize = OWN_PATH; // i32, number of pieces
const AHEAD: usize = OWN_PATH + 4; // i32, lanes ahead of the one that the car is on
const CAR: usize = OWN_PATH + 8; // i32
const IS_FREE: usize = OWN_PATH + 12; // i32, 1 if it follows the wheels
const STATION: usize = OWN_PATH + 16; // f64 m along that lane, end of the last piece
const HALF_WIDTH: usize = OWN_PATH + 24; // f64 m, of the corridor
const AIM: usize = OWN_PATH + 32; // f64 m left of the lane, offset that the car steers to
const AWAY: usize = OWN_PATH + 40; // f64 m left of that, where its front is
const PER_RETURN: usize = OWN_PATH + 48; // f64 1/m
/** f64 m from the front bumper to the end of the last piece */
const END_DISTANCE: usize = OWN_PATH + 56;
const END_X: usize = OWN_PATH + 64; // f64 m, position of that end
const END_Y: usize = OWN_PATH + 72;
const CURVATURE: usize = OWN_PATH + 80; // f64 1/m, if it follows the wheels
const END_TX: usize = OWN_PATH + 88; // f64, direction at the end if it follows the wheels
const END_TY: usize = OWN_PATH + 96;
const RANGE: usize = OWN_PATH + 112; // f64 m, length of the path
const SPREAD: usize = OWN_PATH + 120; // f64 m, from the front to the left to the middle of the car
const PIECES: usize = OWN_PATH + 128;
const PW_X: usize = 0; // m, beginning
const PW_Y: usize = 8;
const PW_TX: usize = 16; // unit vector
const PW_TY: usize = 24;
const PW_LENGTH: usize = 32; // m
const PW_DISTANCE: usize = 40; // m from the front bumper
const PW_SPREAD: usize = 48; // m, widening of the corridor to the left, or to the right if negative
const PW_BYTES: usize = 56;
/** Results of `spanEdges`, f64 m. */
const NEAREST: usize = PIECES + <usize>PIECES_MAX * PW_BYTES;
const FARTHEST: usize = NEAREST + 8;

/** Result of `meetPath`: distance from the front bumper, f64 m. */
export const MET_DISTANCE: usize = OWN_PATH + 104;

/** Begins the path of a car, without any piece. */
export function beginPath(slab: usize, city: usize, car: i32): void {
  const type = typeOf(slab, car);
  const offset = getF(slab, C_OFFSET, car);
  const isFree = offset > OFF_LANE_M || offset < -OFF_LANE_M;
  const nose = load<f64>(type + CT_CENTRE) + 0.5 * load<f64>(type + CT_LENGTH);
  const aim = getI(slab, C_EVADE_TICK, car) == 0 ? 0.0 : getF(slab, C_EVADE_OFFSET, car);
  const hx = getF(slab, C_HX, car);
  const hy = getF(slab, C_HY, car);
  store<i32>(COUNT, 0);
  store<i32>(AHEAD, 0);
  store<i32>(CAR, car);
  store<i32>(IS_FREE, isFree ? 1 : 0);
  store<f64>(STATION, getF(slab, C_STATION, car) + nose);
  store<f64>(HALF_WIDTH, 0.5 * load<f64>(type + CT_WIDTH) + CORRIDOR_MARGIN_M);
  store<f64>(AIM, aim);
  store<f64>(SPREAD, 0.0);
  store<f64>(PER_RETURN, 1.0 / greatest(REACH_MIN_M, REACH_S * getF(slab, C_VX, car)));
  store<f64>(CURVATURE, getF(slab, C_STEER, car) / load<f64>(type + CT_WHEELBASE));
  store<f64>(END_DISTANCE, 0.0);
  store<f64>(RANGE, least(PATH_MAX_M, PATH_MIN_M + PATH_S * greatest(getF(slab, C_VX, car), 0.0)));
  store<f64>(END_X, getF(slab, C_X, car) + nose * hx);
  store<f64>(END_Y, getF(slab, C_Y, car) + nose * hy);
  store<f64>(END_TX, hx);
  store<f64>(END_TY, hy);
  if (!isFree) leaveLanesBehind(slab, city);
}

@inline function pieceAt(index: i32): usize {
  return PIECES + <usize>index * PW_BYTES;
}

/** The bumper may be some lanes ahead of the centre of gravity. */
function leaveLanesBehind(slab: usize, city: usize): void {
  const car = load<i32>(CAR);
  let ahead = load<i32>(AHEAD);
  let station = load<f64>(STATION);
  let length = load<f64>(laneRecord(city, laneAhead(slab, city, car, ahead)) + L_LENGTH);
  while (station >= length) {
    station -= length;
    length = load<f64>(laneRecord(city, laneAhead(slab, city, car, ++ahead)) + L_LENGTH);
  }
  store<i32>(AHEAD, ahead);
  store<f64>(STATION, station);
}

/** Adds the next piece of the chain. */
function extend(slab: usize, city: usize): void {
  if (load<i32>(IS_FREE) != 0) extendFree();
  else extendOnLane(slab, city);
}

/** Continues in the direction of the wheels: an arc of chords. */
function extendFree(): void {
  const tx = load<f64>(END_TX);
  const ty = load<f64>(END_TY);
  const bend = load<f64>(CURVATURE) * FREE_PIECE_M;
  const norm = 1.0 / sqrt(1.0 + bend * bend);
  addPiece(load<f64>(END_X) + FREE_PIECE_M * tx, load<f64>(END_Y) + FREE_PIECE_M * ty, 0.0);
  store<f64>(END_TX, (tx - bend * ty) * norm);
  store<f64>(END_TY, (ty + bend * tx) * norm);
}

/**
 * Continues along the lanes as far as they are straight, and back to their centre as `steer`
 * steers.
 */
function extendOnLane(slab: usize, city: usize): void {
  const lane = laneAhead(slab, city, load<i32>(CAR), load<i32>(AHEAD));
  const record = laneRecord(city, lane);
  const length = load<f64>(record + L_LENGTH);
  const station = load<f64>(STATION);
  const point = pointAt(city, lane, station);
  const from = shareAt(city, lane, station);
  const beyond = from * load<f64>(record + L_SPACING);
  if (load<i32>(COUNT) == 0) {
    const front = frontLeftOf(point, from);
    store<f64>(AWAY, front - load<f64>(AIM));
    store<f64>(SPREAD, getF(slab, C_OFFSET, load<i32>(CAR)) - front);
  }
  const away = load<f64>(AWAY);
  let step = greatest(<f64>load<f32>(point + PT_RUN) - beyond, 0.0);
  const isReturning =
    abs(away) > RETURN_FROM_M && load<f64>(END_DISTANCE) * load<f64>(PER_RETURN) < RETURN_LENGTHS;
  if (isReturning) step = least(step, RETURN_PIECE_M);
  let end = station + step;
  // The rest of a lane would be too short for a piece.
  if (end > length - 0.25) end = length;
  const way = load<f64>(END_DISTANCE) + end - station;
  const last = pointAt(city, lane, end);
  const share = shareAt(city, lane, end);
  const unreturned = shareLeft(way * load<f64>(PER_RETURN));
  const left = load<f64>(AIM) + away * unreturned;
  const tx = along(last, PT_TX, share);
  const ty = along(last, PT_TY, share);
  addPiece(
    along(last, PT_X, share) - left * ty,
    along(last, PT_Y, share) + left * tx,
    load<f64>(SPREAD) * unreturned,
  );
  store<f64>(STATION, end);
  if (end < length) return;
  store<i32>(AHEAD, load<i32>(AHEAD) + 1);
  store<f64>(STATION, 0.0);
}

/**
 * Offset of the front from the lane, m. In a bend it is smaller than the offset of the middle,
 * which passes on the inner side.
 */
@inline function frontLeftOf(point: usize, share: f64): f64 {
  const dx = load<f64>(END_X) - along(point, PT_X, share);
  const dy = load<f64>(END_Y) - along(point, PT_Y, share);
  return dy * along(point, PT_TX, share) - dx * along(point, PT_TY, share);
}

/**
 * Share of an offset that is left after some lengths of return: a cubic in place of an exponential.
 */
@inline function shareLeft(lengths: f64): f64 {
  const share = 1.0 - least(lengths * (1.0 / RETURN_LENGTHS), 1.0);
  return share * share * (3.0 - 2.0 * share);
}

/** Adds a piece from the end of the last one, with a widening of the corridor to one side. */
function addPiece(x: f64, y: f64, spread: f64): void {
  const count = load<i32>(COUNT);
  const piece = pieceAt(count);
  const dx = x - load<f64>(END_X);
  const dy = y - load<f64>(END_Y);
  const length = sqrt(dx * dx + dy * dy);
  const per = 1.0 / greatest(length, 0.001);
  store<f64>(piece + PW_X, load<f64>(END_X));
  store<f64>(piece + PW_Y, load<f64>(END_Y));
  store<f64>(piece + PW_TX, dx * per);
  store<f64>(piece + PW_TY, dy * per);
  store<f64>(piece + PW_LENGTH, length);
  store<f64>(piece + PW_DISTANCE, load<f64>(END_DISTANCE));
  store<f64>(piece + PW_SPREAD, spread);
  store<f64>(END_X, x);
  store<f64>(END_Y, y);
  store<f64>(END_DISTANCE, load<f64>(END_DISTANCE) + length);
  store<i32>(COUNT, count + 1);
}

/**
 * Whether a box with a circumradius reaches into the corridor; leaves the distance in MET_DISTANCE.
 */
export function meetPath(slab: usize, city: usize, box: usize, radius: f64): bool {
  let reach = radius + load<f64>(HALF_WIDTH);
  const bx = load<f64>(box + BOX_X);
  const by = load<f64>(box + BOX_Y);
  let far = load<f64>(RANGE);
  for (let index = 0; index < PIECES_MAX; index++) {
    if (index == load<i32>(COUNT)) {
      if (load<f64>(END_DISTANCE) >= far) return false;
      extend(slab, city);
    }
    if (index == 0) reach += abs(load<f64>(SPREAD));
    const piece = pieceAt(index);
    const dx = bx - load<f64>(piece + PW_X);
    const dy = by - load<f64>(piece + PW_Y);
    const tx = load<f64>(piece + PW_TX);
    const ty = load<f64>(piece + PW_TY);
    if (index == 0) far = least(far, DETOUR * (sqrt(dx * dx + dy * dy) + reach));
    if (abs(dy * tx - dx * ty) >= reach) continue;
    const ahead = dx * tx + dy * ty;
    if (ahead + radius < 0.0 || ahead - radius > load<f64>(piece + PW_LENGTH)) continue;
    if (meetPiece(box, piece)) return true;
  }
  return false;
}

/** The same for one piece, in whose axes the corridor is a rectangle. */
function meetPiece(box: usize, piece: usize): bool {
  const px = load<f64>(piece + PW_X);
  const py = load<f64>(piece + PW_Y);
  const tx = load<f64>(piece + PW_TX);
  const ty = load<f64>(piece + PW_TY);
  const dx = load<f64>(box + BOX_X) - px;
  const dy = load<f64>(box + BOX_Y) - py;
  const middleX = dx * tx + dy * ty;
  const hx = load<f64>(box + BOX_HX);
  const hy = load<f64>(box + BOX_HY);
  const cosine = hx * tx + hy * ty;
  const sine = hy * tx - hx * ty;
  const lx = load<f64>(box + BOX_HALF_LENGTH) * cosine;
  const ly = load<f64>(box + BOX_HALF_LENGTH) * sine;
  const wx = -load<f64>(box + BOX_HALF_WIDTH) * sine;
  const wy = load<f64>(box + BOX_HALF_WIDTH) * cosine;
  const aside = 0.5 * load<f64>(piece + PW_SPREAD);
  const half = load<f64>(HALF_WIDTH) + abs(aside);
  const middleY = dy * tx - dx * ty - aside;
  const right = middleY - abs(ly) - abs(wy);
  const left = middleY + abs(ly) + abs(wy);
  if (right >= half || left <= -half) return false;
  spanEdges(middleX, middleY, lx, ly, wx, wy, half);
  const nearest = load<f64>(NEAREST);
  const farthest = load<f64>(FARTHEST);
  const distance = load<f64>(piece + PW_DISTANCE) + greatest(nearest, 0.0);
  if (farthest < 0.0 || nearest > load<f64>(piece + PW_LENGTH) || distance > load<f64>(RANGE))
    return false;
  store<f64>(MET_DISTANCE, distance);
  return true;
}

/**
 * The nearest and the farthest point of the edges of a box within the strip. The middle of the box, and half
 * its length and width, are given in the axes of the strip.
 */
@inline function spanEdges(
  middleX: f64,
  middleY: f64,
  lx: f64,
  ly: f64,
  wx: f64,
  wy: f64,
  half: f64,
): void {
  let nearest = 1e9;
  let farthest = -1e9;
  if (ASC_FEATURE_SIMD) {
    // Two opposite edges at once: the long ones, then the short ones.
    const a = f64x2(1.0, -1.0);
    const b = f64x2(-1.0, 1.0);
    const longX = corner<v128>(middleX, a, lx, a, wx);
    const longY = corner<v128>(middleY, a, ly, a, wy);
    const shortX = corner<v128>(middleX, b, lx, a, wx);
    const shortY = corner<v128>(middleY, b, ly, a, wy);
    const near = lesser<v128>(
      nearOf<v128>(longX, longY, edge<v128>(a, lx), edge<v128>(a, ly), half),
      nearOf<v128>(shortX, shortY, edge<v128>(a, wx), edge<v128>(a, wy), half),
    );
    const far = greater<v128>(
      farOf<v128>(longX, longY, edge<v128>(a, lx), edge<v128>(a, ly), half),
      farOf<v128>(shortX, shortY, edge<v128>(a, wx), edge<v128>(a, wy), half),
    );
    nearest = least(f64x2.extract_lane(near, 0), f64x2.extract_lane(near, 1));
    farthest = greatest(f64x2.extract_lane(far, 0), f64x2.extract_lane(far, 1));
  } else {
    for (let i = 0; i < 4; i++) {
      const a = i == 0 || i == 3 ? 1.0 : -1.0;
      const b = i < 2 ? 1.0 : -1.0;
      const fromX = corner<f64>(middleX, a, lx, b, wx);
      const fromY = corner<f64>(middleY, a, ly, b, wy);
      const alongX = (i & 1) == 0 ? edge<f64>(a, lx) : edge<f64>(b, wx);
      const alongY = (i & 1) == 0 ? edge<f64>(a, ly) : edge<f64>(b, wy);
      nearest = least(nearest, nearOf<f64>(fromX, fromY, alongX, alongY, half));
      farthest = greatest(farthest, farOf<f64>(fromX, fromY, alongX, alongY, half));
    }
  }
  store<f64>(NEAREST, nearest);
  store<f64>(FARTHEST, farthest);
}

/** Coordinates of a corner of a box; `a` and `b` are 1 or −1. */
@inline function corner<T>(middle: f64, a: T, length: f64, b: T, width: f64): T {
  const end = add<T>(splat<T>(middle), mul<T>(a, splat<T>(length)));
  return add<T>(end, mul<T>(b, splat<T>(width)));
}

/** From that corner to the next one. */
@inline function edge<T>(sign: T, half: f64): T {
  return mul<T>(mul<T>(splat<T>(-2.0), sign), splat<T>(half));
}

/** The nearest point of an edge within the strip, m; 1e9 if none is. */
@inline function nearOf<T>(fromX: T, fromY: T, alongX: T, alongY: T, half: f64): T {
  const low = lowShare<T>(fromY, alongY, half);
  const high = highShare<T>(fromY, alongY, half);
  const share = whereLess<T>(splat<T>(0.0), alongX, low, high);
  return whereLess<T>(high, low, splat<T>(1e9), add<T>(fromX, mul<T>(alongX, share)));
}

/** The farthest one, m; −1e9 if none is. */
@inline function farOf<T>(fromX: T, fromY: T, alongX: T, alongY: T, half: f64): T {
  const low = lowShare<T>(fromY, alongY, half);
  const high = highShare<T>(fromY, alongY, half);
  const share = whereLess<T>(splat<T>(0.0), alongX, high, low);
  return whereLess<T>(high, low, splat<T>(-1e9), add<T>(fromX, mul<T>(alongX, share)));
}

/** Least change along the strip for which a share of it has a meaning, m. */
const CHANGE_MIN_M = 1e-9;

/** Share of an edge at which it enters the strip; greater than `highShare` if it never is inside. */
@inline function lowShare<T>(from: T, change: T, half: f64): T {
  const per = div<T>(splat<T>(1.0), change);
  const a = mul<T>(sub<T>(splat<T>(-half), from), per);
  const b = mul<T>(sub<T>(splat<T>(half), from), per);
  const first = lesser<T>(greater<T>(lesser<T>(b, a), splat<T>(0.0)), splat<T>(2.0));
  const whole = whereLess<T>(splat<T>(half), size<T>(from), splat<T>(1.0), splat<T>(0.0));
  return whereLess<T>(size<T>(change), splat<T>(CHANGE_MIN_M), whole, first);
}

/** Share at which it leaves the strip. */
@inline function highShare<T>(from: T, change: T, half: f64): T {
  const per = div<T>(splat<T>(1.0), change);
  const a = mul<T>(sub<T>(splat<T>(-half), from), per);
  const b = mul<T>(sub<T>(splat<T>(half), from), per);
  const last = lesser<T>(greater<T>(greater<T>(a, b), splat<T>(-1.0)), splat<T>(1.0));
  const whole = whereLess<T>(splat<T>(half), size<T>(from), splat<T>(0.0), splat<T>(1.0));
  return whereLess<T>(size<T>(change), splat<T>(CHANGE_MIN_M), whole, last);
}
