/**
 * What may stand between a car's front and an object: the blocks and vehicles that come near the line
 * from its bumper to the object's middle. All sensors sit near the bumper and all rays end on the
 * object, so that no ray can meet anything else. Found once for all sensors of the car.
 */
import {
  B_CORNER, B_CORNERS, B_MAX_X, B_MAX_Y, B_MIN_X, B_MIN_Y, CAR_COUNT, CONTACT_VEHICLE, C_HX, C_HY, C_LANE, C_OFFSET, C_STATION, GB_HALF_X,
  GB_HALF_Y, GB_X, GB_Y, GRID_BOX_BYTES, GRID_CELL_M,
  GRID_REACH_M, GR_COLUMNS, GR_MIN_X, GR_MIN_Y, GR_ROWS, PT_OPEN, PT_TX, PT_TY, PT_X, PT_Y, SIGHT, T_GRID, VIEW_LEFT_M, VIEW_RIGHT_M,
} from './layout';
import { blockAt, cellEnd, cellStart, gridBox } from './blocks';
import { pointAt } from './lanes';
import { greatest } from './math';
import { getF, getI } from './memory';
import { OB_CLASS, OB_RADIUS, objectAt } from './objects';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';

/** The camera is so far behind the front bumper; corner radars are left and right of its middle, m. */
export const CAMERA_BEHIND_M = 1.6;
export const CORNER_ASIDE_M = 0.75;
/** No sensor sits further from the middle of the front bumper, m. */
const MOUNT_M = CAMERA_BEHIND_M;

/** A car no further from its lane has all sensors in its strip, whichever way it points, m. */
const VIEW_OFFSET_M = 0.5;
/** Room for what is rounded, m. */
const VIEW_SPARE_M = 0.05;

const BLOCK_COUNT: usize = SIGHT + 704; // i32
const VEHICLE_COUNT: usize = SIGHT + 708; // i32
// Line and reach of the search, f64.
const FROM_X: usize = SIGHT + 712; // m
const FROM_Y: usize = SIGHT + 720;
const ALONG_X: usize = SIGHT + 728; // unit vector
const ALONG_Y: usize = SIGHT + 736;
const LENGTH: usize = SIGHT + 744; // m
const REACH: usize = SIGHT + 752; // m to either side
const RADIUS: usize = SIGHT + 760; // m, of the object: no ray ends further before or behind its middle
const VEHICLES: usize = SIGHT + 768; // u32 addresses
const BLOCKS: usize = SIGHT + 912; // u32 addresses
/** A way of 130 m through any city comes near far fewer. */
const BLOCKS_MAX = 400;

/**
 * Address of the point of its lane from which a car's view straight ahead is known, see PT_OPEN; 0 where
 * the car is not where its lane is.
 */
export function viewOf(slab: usize, city: usize, car: i32): usize {
  const offset = getF(slab, C_OFFSET, car);
  if (offset > VIEW_OFFSET_M || offset < -VIEW_OFFSET_M) return 0;
  const point = pointAt(city, getI(slab, C_LANE, car), getF(slab, C_STATION, car));
  const along = getF(slab, C_HX, car) * <f64>load<f32>(point + PT_TX) + getF(slab, C_HY, car) * <f64>load<f32>(point + PT_TY);
  return along > 0.5 ? point : 0;
}

/** Whether all rays to an object stay in the strip that is known to be free of blocks. */
@inline function isInOpen(view: usize, object: usize): bool {
  if (view == 0) return false;
  const tx = <f64>load<f32>(view + PT_TX);
  const ty = <f64>load<f32>(view + PT_TY);
  const dx = load<f64>(object + BOX_X) - <f64>load<f32>(view + PT_X);
  const dy = load<f64>(object + BOX_Y) - <f64>load<f32>(view + PT_Y);
  const radius = load<f64>(object + OB_RADIUS) + VIEW_SPARE_M;
  const ahead = dx * tx + dy * ty;
  const left = dy * tx - dx * ty;
  if (left + radius > <f64>VIEW_LEFT_M || left - radius < -<f64>VIEW_RIGHT_M) return false;
  return ahead > 0.0 && ahead + radius < <f64>load<f32>(view + PT_OPEN);
}

/** What lies between: nothing, something that may hide the object from a sensor, or what hides it from all. */
export const OPEN = 0;
export const PARTLY_OPEN = 1;
export const HIDDEN = 2;

/** Finds what is near the line from the front of a car, at a place, to an object; `near`: the cars, `actors`: the spots to think of. */
export function findBetween(
  city: usize, own: usize, px: f64, py: f64, object: usize, near: u32, actors: u32, view: usize,
): i32 {
  const dx = load<f64>(object + BOX_X) - px;
  const dy = load<f64>(object + BOX_Y) - py;
  const length = sqrt(dx * dx + dy * dy);
  const per = 1.0 / greatest(length, 0.001);
  store<f64>(FROM_X, px);
  store<f64>(FROM_Y, py);
  store<f64>(ALONG_X, dx * per);
  store<f64>(ALONG_Y, dy * per);
  store<f64>(LENGTH, length);
  store<f64>(REACH, greatest(halfAcross(object, dx * per, dy * per), mountAcross(own, dx * per, dy * per)) + VIEW_SPARE_M);
  store<f64>(RADIUS, greatest(load<f64>(object + OB_RADIUS), MOUNT_M));
  store<i32>(BLOCK_COUNT, 0);
  if (!isInOpen(view, object) && walkGrid(city, px, py, dx, dy)) return HIDDEN;
  let vehicles = 0;
  for (let left = near; left != 0; left &= left - 1) vehicles = keepVehicle(object, objectAt(ctz(left)), vehicles);
  for (let left = actors; left != 0; left &= left - 1) vehicles = keepVehicle(object, objectAt(CAR_COUNT + ctz(left)), vehicles);
  store<i32>(VEHICLE_COUNT, vehicles);
  return (load<i32>(BLOCK_COUNT) | vehicles) != 0 ? PARTLY_OPEN : OPEN;
}

/** How far a box reaches to either side of a line through its middle, m. */
@inline function halfAcross(box: usize, ux: f64, uy: f64): f64 {
  const hx = load<f64>(box + BOX_HX);
  const hy = load<f64>(box + BOX_HY);
  return load<f64>(box + BOX_HALF_LENGTH) * abs(hy * ux - hx * uy) + load<f64>(box + BOX_HALF_WIDTH) * abs(hx * ux + hy * uy);
}

/** How far a car's sensors sit to either side of a line from the middle of its bumper, m. */
@inline function mountAcross(own: usize, ux: f64, uy: f64): f64 {
  const hx = load<f64>(own + BOX_HX);
  const hy = load<f64>(own + BOX_HY);
  return greatest(CAMERA_BEHIND_M * abs(hy * ux - hx * uy), CORNER_ASIDE_M * abs(hx * ux + hy * uy));
}

/** Lists a vehicle that is not the object itself where it comes near the line; returns how many there are. */
@inline function keepVehicle(object: usize, other: usize, count: i32): i32 {
  if (other == object || load<i32>(other + OB_CLASS) != CONTACT_VEHICLE) return count;
  const dx = load<f64>(other + BOX_X) - load<f64>(FROM_X);
  const dy = load<f64>(other + BOX_Y) - load<f64>(FROM_Y);
  const ux = load<f64>(ALONG_X);
  const uy = load<f64>(ALONG_Y);
  if (abs(dy * ux - dx * uy) > halfAcross(other, ux, uy) + load<f64>(REACH)) return count;
  const radius = load<f64>(other + OB_RADIUS) + load<f64>(RADIUS);
  const ahead = dx * ux + dy * uy;
  if (ahead < -radius || ahead > load<f64>(LENGTH) + radius) return count;
  store<u32>(VEHICLES + (<usize>count << 2), <u32>other);
  return count + 1;
}

/**
 * Whether a block crosses both edges of the strip in which all rays run, past all sensors and before all
 * ends of rays. It is convex, so it then crosses the strip from edge to edge and every ray with it.
 */
function hides(block: usize): bool {
  const ux = load<f64>(ALONG_X);
  const uy = load<f64>(ALONG_Y);
  const reach = load<f64>(REACH);
  const far = load<f64>(LENGTH) - load<f64>(RADIUS);
  if (far <= MOUNT_M) return false;
  const nearX = load<f64>(FROM_X) + MOUNT_M * ux;
  const nearY = load<f64>(FROM_Y) + MOUNT_M * uy;
  const farX = load<f64>(FROM_X) + far * ux;
  const farY = load<f64>(FROM_Y) + far * uy;
  const sideX = -reach * uy;
  const sideY = reach * ux;
  if (!crossesPolygon(block, nearX + sideX, nearY + sideY, farX + sideX, farY + sideY)) return false;
  return crossesPolygon(block, nearX - sideX, nearY - sideY, farX - sideX, farY - sideY);
}

/**
 * Goes through the grid's cells on the line (Amanatides, Woo 1987) and lists the blocks near it; true as
 * soon as one hides all. What is within GRID_REACH_M of a cell is listed there, which covers the reach to
 * the side; where an object is larger than that, lines to either side are gone along too, and further.
 */
function walkGrid(city: usize, px: f64, py: f64, wayX: f64, wayY: f64): bool {
  const reach = load<f64>(REACH);
  const beyond = greatest(load<f64>(RADIUS) - <f64>GRID_REACH_M, 0.0);
  const sideX = -load<f64>(ALONG_Y);
  const sideY = load<f64>(ALONG_X);
  const dx = wayX + beyond * sideY;
  const dy = wayY - beyond * sideX;
  if (walkLine(city, px, py, dx, dy)) return true;
  for (let aside = <f64>GRID_REACH_M; aside < reach; aside += <f64>GRID_REACH_M) {
    if (walkLine(city, px + aside * sideX, py + aside * sideY, dx, dy)) return true;
    if (walkLine(city, px - aside * sideX, py - aside * sideY, dx, dy)) return true;
  }
  return false;
}

function walkLine(city: usize, px: f64, py: f64, dx: f64, dy: f64): bool {
  const grid = city + load<i32>(city + T_GRID);
  const columns = load<i32>(grid + GR_COLUMNS);
  const rows = load<i32>(grid + GR_ROWS);
  const east = (px - load<f64>(grid + GR_MIN_X)) * (1.0 / <f64>GRID_CELL_M);
  const north = (py - load<f64>(grid + GR_MIN_Y)) * (1.0 / <f64>GRID_CELL_M);
  const perX = <f64>GRID_CELL_M / greatest(abs(dx), 1e-9);
  const perY = <f64>GRID_CELL_M / greatest(abs(dy), 1e-9);
  let column = <i32>floor(east);
  let row = <i32>floor(north);
  let nextX = (dx > 0.0 ? <f64>(column + 1) - east : east - <f64>column) * perX;
  let nextY = (dy > 0.0 ? <f64>(row + 1) - north : north - <f64>row) * perY;
  while (true) {
    if (<u32>column < <u32>columns && <u32>row < <u32>rows && takeCell(city, row * columns + column)) return true;
    if (nextX < nextY) {
      if (nextX > 1.0) return false;
      column += dx > 0.0 ? 1 : -1;
      nextX += perX;
    } else {
      if (nextY > 1.0) return false;
      row += dy > 0.0 ? 1 : -1;
      nextY += perY;
    }
  }
}

/** Lists the blocks of a cell that come near the line, each once; true as soon as one hides all. */
@inline function takeCell(city: usize, cell: i32): bool {
  const ux = load<f64>(ALONG_X);
  const uy = load<f64>(ALONG_Y);
  const fromX = load<f64>(FROM_X);
  const fromY = load<f64>(FROM_Y);
  const reach = load<f64>(REACH);
  const radius = load<f64>(RADIUS);
  const length = load<f64>(LENGTH);
  const end = cellEnd(city, cell);
  let box = gridBox(city, cellStart(city, cell));
  for (let entry = cellStart(city, cell); entry < end; entry += 2, box += GRID_BOX_BYTES) {
    const boxX = <f64>load<f32>(box + GB_HALF_X);
    const boxY = <f64>load<f32>(box + GB_HALF_Y);
    const wayX = <f64>load<f32>(box + GB_X) - fromX;
    const wayY = <f64>load<f32>(box + GB_Y) - fromY;
    if (abs(wayY * ux - wayX * uy) > boxX * abs(uy) + boxY * abs(ux) + reach) continue;
    const block = blockAt(city, <i32>load<u16>(entry));
    const halfX = 0.5 * (load<f64>(block + B_MAX_X) - load<f64>(block + B_MIN_X));
    const halfY = 0.5 * (load<f64>(block + B_MAX_Y) - load<f64>(block + B_MIN_Y));
    const dx = load<f64>(block + B_MIN_X) + halfX - fromX;
    const dy = load<f64>(block + B_MIN_Y) + halfY - fromY;
    if (abs(dy * ux - dx * uy) > halfX * abs(uy) + halfY * abs(ux) + reach) continue;
    const ahead = dx * ux + dy * uy;
    const half = halfX * abs(ux) + halfY * abs(uy) + radius;
    if (ahead < -half || ahead > length + half) continue;
    if (keep(block) && hides(block)) return true;
  }
  return false;
}

/** Lists a block; false where it is listed already. */
function keep(block: usize): bool {
  const count = load<i32>(BLOCK_COUNT);
  const end = BLOCKS + (<usize>count << 2);
  for (let at = BLOCKS; at < end; at += 4) {
    if (<usize>load<u32>(at) == block) return false;
  }
  if (count == BLOCKS_MAX) return false;
  store<u32>(end, <u32>block);
  store<i32>(BLOCK_COUNT, count + 1);
  return true;
}

/** Whether a block that was found crosses the way from a place to another. */
export function isBlockBetween(px: f64, py: f64, qx: f64, qy: f64): bool {
  const end = BLOCKS + (<usize>load<i32>(BLOCK_COUNT) << 2);
  for (let at = BLOCKS; at < end; at += 4) {
    if (crossesPolygon(<usize>load<u32>(at), px, py, qx, qy)) return true;
  }
  return false;
}

/** The same of the vehicles. */
export function isVehicleBetween(px: f64, py: f64, qx: f64, qy: f64): bool {
  const end = VEHICLES + (<usize>load<i32>(VEHICLE_COUNT) << 2);
  for (let at = VEHICLES; at < end; at += 4) {
    if (crossesBox(<usize>load<u32>(at), px, py, qx, qy)) return true;
  }
  return false;
}

/** Cuts the way by the half-planes of a convex polygon's edges (Cyrus, Beck 1978). */
function crossesPolygon(block: usize, px: f64, py: f64, qx: f64, qy: f64): bool {
  const count = load<i32>(block + B_CORNERS);
  let enter = 0.0;
  let leave = 1.0;
  let from = block + B_CORNER + (<usize>(count - 1) << 4);
  for (let i = 0; i < count; i++) {
    const to = block + B_CORNER + (<usize>i << 4);
    const fx = load<f64>(from);
    const fy = load<f64>(from + 8);
    const ex = load<f64>(to) - fx;
    const ey = load<f64>(to + 8) - fy;
    const start = ex * (py - fy) - ey * (px - fx);
    const end = ex * (qy - fy) - ey * (qx - fx);
    if (start < 0.0 && end < 0.0) return false;
    if (start < 0.0) enter = greatest(enter, start / (start - end));
    else if (end < 0.0 && start / (start - end) < leave) leave = start / (start - end);
    if (enter >= leave) return false;
    from = to;
  }
  return true;
}

function crossesBox(box: usize, px: f64, py: f64, qx: f64, qy: f64): bool {
  const hx = load<f64>(box + BOX_HX);
  const hy = load<f64>(box + BOX_HY);
  const dx = px - load<f64>(box + BOX_X);
  const dy = py - load<f64>(box + BOX_Y);
  const wayX = (qx - px) * hx + (qy - py) * hy;
  const wayY = (qy - py) * hx - (qx - px) * hy;
  const fromX = dx * hx + dy * hy;
  const fromY = dy * hx - dx * hy;
  const halfLength = load<f64>(box + BOX_HALF_LENGTH);
  const halfWidth = load<f64>(box + BOX_HALF_WIDTH);
  if (abs(wayX) < 1e-9 && abs(fromX) > halfLength) return false;
  if (abs(wayY) < 1e-9 && abs(fromY) > halfWidth) return false;
  const perX = 1.0 / (abs(wayX) < 1e-9 ? 1e-9 : wayX);
  const perY = 1.0 / (abs(wayY) < 1e-9 ? 1e-9 : wayY);
  const ax = (-halfLength - fromX) * perX;
  const bx = (halfLength - fromX) * perX;
  const ay = (-halfWidth - fromY) * perY;
  const by = (halfWidth - fromY) * perY;
  return ASC_FEATURE_SIMD ? isCutAtOnce(ax, bx, ay, by) : isCut(ax, bx, ay, by);
}

/** Whether a way from 0 to 1 is inside between two pairs of places at the same time. */
function isCut(ax: f64, bx: f64, ay: f64, by: f64): bool {
  const enter = greatest(greatest(ax < bx ? ax : bx, ay < by ? ay : by), 0.0);
  const leaveX = ax < bx ? bx : ax;
  const leaveY = ay < by ? by : ay;
  const leave = leaveX < leaveY ? leaveX : leaveY;
  return enter < leave && enter < 1.0;
}

/** The same without a branch. */
@inline function isCutAtOnce(ax: f64, bx: f64, ay: f64, by: f64): bool {
  const first = f64x2.replace_lane(f64x2.splat(ax), 1, ay);
  const second = f64x2.replace_lane(f64x2.splat(bx), 1, by);
  const enter = f64x2.pmax(f64x2.pmin(first, second), f64x2.splat(0.0));
  const leave = f64x2.pmin(f64x2.pmax(first, second), f64x2.splat(1.0));
  // Each entry before each exit: its own, and the other axis'.
  const swapped = v128.shuffle<f64>(leave, leave, 1, 0);
  return i64x2.all_true(v128.and(f64x2.lt(enter, leave), f64x2.lt(enter, swapped)));
}
