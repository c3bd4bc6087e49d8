/**
 * Finds the blocks and vehicles that may occlude an object: those that reach into the wedge from
 * the sensors of a car to the sides of the object. All rays run inside this wedge. One search
 * serves all sensors of the car.
 */
import {
  B_CORNER,
  B_CORNERS,
  CONTACT_VEHICLE,
  C_HX,
  C_HY,
  C_LANE,
  C_OFFSET,
  C_STATION,
  GB_HALF_X,
  GB_HALF_Y,
  GB_X,
  GB_Y,
  GRID_BOX_BYTES,
  GRID_REACH_M,
  PT_OPEN,
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  SIGHT,
  VIEW_LEFT_M,
  VIEW_RIGHT_M,
} from './layout';
import { blockRecord, cellEnd, cellStart, gridBox } from './blocks';
import { walkCells, walkedCell } from './grid-walk';
import { pointAt } from './lanes';
import { greatest } from './math';
import { getF, getI } from './memory';
import { allNear, NEAR_RADIUS, NEAR_X, NEAR_Y, nearCount, nearF, nearRecord } from './near-objects';
import { OB_CLASS, OB_RADIUS } from './objects';
import { BOX_HALF_LENGTH, BOX_HALF_WIDTH, BOX_HX, BOX_HY, BOX_X, BOX_Y } from './overlap';
import { crossesBox, crossesPolygon } from './segments';
import { CAMERA_BEHIND_M, CORNER_ASIDE_M } from './sensor-mounts';

/** Greatest distance of a sensor from the middle of the front bumper, m. */
const MOUNT_M = CAMERA_BEHIND_M;

/** Up to this offset from its lane, all sensors of a car are inside the strip of PT_OPEN, m. */
const VIEW_OFFSET_M = 0.5;
/** Margin for rounding, m. */
const VIEW_SPARE_M = 0.05;

const BLOCK_COUNT: usize = SIGHT + 704; // i32
const VEHICLE_COUNT: usize = SIGHT + 708; // i32
// Axis of the wedge, f64.
const FROM_X: usize = SIGHT + 712; // m
const FROM_Y: usize = SIGHT + 720;
const ALONG_X: usize = SIGHT + 728; // unit vector
const ALONG_Y: usize = SIGHT + 736;
const LENGTH: usize = SIGHT + 744; // m
const REACH: usize = SIGHT + 752; // m to either side, greatest half width of the wedge
const RADIUS: usize = SIGHT + 760; // m, radius of the object: rays end no further from its middle
const HALF: usize = SIGHT + 768; // m to either side, half width of the wedge at its beginning
const WIDENS: usize = SIGHT + 776; // growth of that half width per metre
const TAKEN_COUNT: usize = SIGHT + 784; // i32
const VEHICLES: usize = SIGHT + 792; // u32 addresses
const BLOCKS: usize = SIGHT + 936; // u32 addresses
// Position of a block's corner relative to the edges of the wedge.
const OUTSIDE_LEFT = 1;
const INSIDE_LEFT = 2;
const OUTSIDE_RIGHT = 4;
const INSIDE_RIGHT = 8;
/** More blocks than are near any line of 130 m through a city. */
const BLOCKS_MAX = 200;
const TAKEN: usize = BLOCKS + BLOCKS_MAX * 4; // u32 addresses of the blocks that were tested

/**
 * Address of the lane point from which the open view ahead of a car is known, see PT_OPEN; 0 if the
 * car is off its lane.
 */
export function viewOf(slab: usize, city: usize, car: i32): usize {
  const offset = getF(slab, C_OFFSET, car);
  if (offset > VIEW_OFFSET_M || offset < -VIEW_OFFSET_M) return 0;
  const point = pointAt(city, getI(slab, C_LANE, car), getF(slab, C_STATION, car));
  const along =
    getF(slab, C_HX, car) * <f64>load<f32>(point + PT_TX) +
    getF(slab, C_HY, car) * <f64>load<f32>(point + PT_TY);
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
  if (left + radius > <f64>VIEW_LEFT_M || left - radius < -(<f64>VIEW_RIGHT_M)) return false;
  return ahead > 0.0 && ahead + radius < <f64>load<f32>(view + PT_OPEN);
}

/** Degree of occlusion: none, possible for some sensors, or complete for all. */
export const OPEN = 0;
export const PARTLY_OPEN = 1;
export const HIDDEN = 2;

/**
 * Finds what occludes a near object from the front of a car; `index`: its index among the near
 * objects, which are tested.
 */
export function findOccluders(
  city: usize,
  own: usize,
  px: f64,
  py: f64,
  index: i32,
  view: usize,
): i32 {
  const object = nearRecord(index);
  const dx = nearF(NEAR_X, index);
  const dy = nearF(NEAR_Y, index);
  const length = sqrt(dx * dx + dy * dy);
  const per = 1.0 / greatest(length, 0.001);
  store<f64>(FROM_X, px);
  store<f64>(FROM_Y, py);
  store<f64>(ALONG_X, dx * per);
  store<f64>(ALONG_Y, dy * per);
  store<f64>(LENGTH, length);
  widen(own, object, dx * per, dy * per, length);
  store<i32>(VEHICLE_COUNT, 0);
  store<i32>(BLOCK_COUNT, 0);
  for (let left = nearAxis() & ~((<u64>1) << index); left != 0; left &= left - 1) {
    if (takeVehicle(<i32>ctz(left))) return HIDDEN;
  }
  if (!isInOpen(view, object) && walkGrid(city, px, py, dx, dy)) return HIDDEN;
  return (load<i32>(BLOCK_COUNT) | load<i32>(VEHICLE_COUNT)) != 0 ? PARTLY_OPEN : OPEN;
}

/**
 * Sets the wedge that holds all rays: its edges lead from the outermost sensors to the sides of the
 * object. If the object is too near for that, it is a strip.
 */
@inline function widen(own: usize, object: usize, ux: f64, uy: f64, length: f64): void {
  const begin = mountAcross(own, ux, uy) + VIEW_SPARE_M;
  const end = halfAcross(object, ux, uy) + VIEW_SPARE_M;
  const radius = greatest(load<f64>(object + OB_RADIUS), MOUNT_M);
  const far = length - radius;
  const reach = greatest(begin, end);
  store<f64>(REACH, reach);
  store<f64>(RADIUS, radius);
  if (far <= MOUNT_M) {
    store<f64>(HALF, reach);
    store<f64>(WIDENS, 0.0);
    return;
  }
  // Widening from the rearmost sensor to the nearest point of the object, or narrowing from the
  // foremost to the farthest.
  const opens = end > begin;
  const widens = (end - begin) / (opens ? far + MOUNT_M : length + radius - MOUNT_M);
  store<f64>(HALF, opens ? begin + widens * MOUNT_M : begin - widens * MOUNT_M);
  store<f64>(WIDENS, widens);
}

/** Half extent of a box across a line through its middle, m. */
@inline function halfAcross(box: usize, ux: f64, uy: f64): f64 {
  const hx = load<f64>(box + BOX_HX);
  const hy = load<f64>(box + BOX_HY);
  return (
    load<f64>(box + BOX_HALF_LENGTH) * abs(hy * ux - hx * uy) +
    load<f64>(box + BOX_HALF_WIDTH) * abs(hx * ux + hy * uy)
  );
}

/** Half extent of a car's sensors across a line from the middle of its bumper, m. */
@inline function mountAcross(own: usize, ux: f64, uy: f64): f64 {
  const hx = load<f64>(own + BOX_HX);
  const hy = load<f64>(own + BOX_HY);
  return greatest(
    CAMERA_BEHIND_M * abs(hy * ux - hx * uy),
    CORNER_ASIDE_M * abs(hx * ux + hy * uy),
  );
}

/** Mask of the near objects, by index, that may reach into the wedge. */
@inline function nearAxis(): u64 {
  return (ASC_FEATURE_SIMD ? nearAxisInPairs() : nearAxisOneByOne()) & allNear();
}

@inline function nearAxisOneByOne(): u64 {
  const ux = load<f64>(ALONG_X);
  const uy = load<f64>(ALONG_Y);
  let found: u64 = 0;
  for (let index = 0; index < nearCount(); index++) {
    const dx = nearF(NEAR_X, index);
    const dy = nearF(NEAR_Y, index);
    const radius = nearF(NEAR_RADIUS, index);
    if (abs(dy * ux - dx * uy) > radius + load<f64>(REACH)) continue;
    const ahead = dx * ux + dy * uy;
    const within = radius + load<f64>(RADIUS);
    if (ahead >= -within && ahead <= load<f64>(LENGTH) + within) found |= (<u64>1) << index;
  }
  return found;
}

/** Without branches: most objects do not, but which is unpredictable. */
@inline function nearAxisInPairs(): u64 {
  const ux = v128.load_splat<u64>(ALONG_X);
  const uy = v128.load_splat<u64>(ALONG_Y);
  const reach = v128.load_splat<u64>(REACH);
  const own = v128.load_splat<u64>(RADIUS);
  const length = v128.load_splat<u64>(LENGTH);
  const end = (<usize>nearCount()) << 3;
  let found: u64 = 0;
  for (let place: usize = 0; place < end; place += 16) {
    const dx = v128.load(NEAR_X + place);
    const dy = v128.load(NEAR_Y + place);
    const radius = v128.load(NEAR_RADIUS + place);
    const left = f64x2.sub(f64x2.mul(dy, ux), f64x2.mul(dx, uy));
    const ahead = f64x2.add(f64x2.mul(dx, ux), f64x2.mul(dy, uy));
    const within = f64x2.add(radius, own);
    const isIn = v128.and(
      f64x2.le(f64x2.abs(left), f64x2.add(radius, reach)),
      v128.and(f64x2.ge(ahead, f64x2.neg(within)), f64x2.le(ahead, f64x2.add(length, within))),
    );
    found |= (<u64>i64x2.bitmask(isIn)) << (place >> 3);
  }
  return found;
}

/** Lists a vehicle that reaches into the wedge; true if it hides the object from all sensors. */
@inline function takeVehicle(index: i32): bool {
  const other = nearRecord(index);
  if (load<i32>(other + OB_CLASS) != CONTACT_VEHICLE) return false;
  const dx = nearF(NEAR_X, index);
  const dy = nearF(NEAR_Y, index);
  const ux = load<f64>(ALONG_X);
  const uy = load<f64>(ALONG_Y);
  return straddles(other, dx * ux + dy * uy, dy * ux - dx * uy);
}

/** The same for a vehicle near the axis, its middle `ahead` m along and `left` m beside it. */
function straddles(other: usize, ahead: f64, left: f64): bool {
  const ux = load<f64>(ALONG_X);
  const uy = load<f64>(ALONG_Y);
  const widens = load<f64>(WIDENS);
  const hx = load<f64>(other + BOX_HX) * ux + load<f64>(other + BOX_HY) * uy;
  const hy = load<f64>(other + BOX_HY) * ux - load<f64>(other + BOX_HX) * uy;
  const halfLength = load<f64>(other + BOX_HALF_LENGTH);
  const halfWidth = load<f64>(other + BOX_HALF_WIDTH);
  const edge = load<f64>(HALF) + widens * ahead;
  const reachLeft = halfLength * abs(hy - widens * hx) + halfWidth * abs(hx + widens * hy);
  const reachRight = halfLength * abs(hy + widens * hx) + halfWidth * abs(hx - widens * hy);
  const overLeft = left - edge;
  const overRight = -left - edge;
  if (overLeft > reachLeft || overRight > reachRight) return false;
  if (overLeft > -reachLeft && overRight > -reachRight && hides(other, true)) return true;
  const count = load<i32>(VEHICLE_COUNT);
  store<u32>(VEHICLES + ((<usize>count) << 2), <u32>other);
  store<i32>(VEHICLE_COUNT, count + 1);
  return false;
}
/**
 * Whether a convex shape crosses both edges of the wedge between all sensors and all ends of rays.
 * It then crosses every ray.
 */
function hides(thing: usize, isBox: bool): bool {
  const ux = load<f64>(ALONG_X);
  const uy = load<f64>(ALONG_Y);
  const far = load<f64>(LENGTH) - load<f64>(RADIUS);
  if (far <= MOUNT_M) return false;
  const nearHalf = load<f64>(HALF) + load<f64>(WIDENS) * MOUNT_M;
  const farHalf = load<f64>(HALF) + load<f64>(WIDENS) * far;
  const nearX = load<f64>(FROM_X) + MOUNT_M * ux;
  const nearY = load<f64>(FROM_Y) + MOUNT_M * uy;
  const farX = load<f64>(FROM_X) + far * ux;
  const farY = load<f64>(FROM_Y) + far * uy;
  if (
    !crosses(
      thing,
      isBox,
      nearX - nearHalf * uy,
      nearY + nearHalf * ux,
      farX - farHalf * uy,
      farY + farHalf * ux,
    )
  )
    return false;
  return crosses(
    thing,
    isBox,
    nearX + nearHalf * uy,
    nearY - nearHalf * ux,
    farX + farHalf * uy,
    farY - farHalf * ux,
  );
}

@inline function crosses(thing: usize, isBox: bool, px: f64, py: f64, qx: f64, qy: f64): bool {
  return isBox ? crossesBox(thing, px, py, qx, qy) : crossesPolygon(thing, px, py, qx, qy);
}

/**
 * Walks the grid cells on the axis and lists the blocks near it; true as soon as one hides the
 * object. Cells list blocks within GRID_REACH_M; for larger objects parallel lines are walked too,
 * and further.
 */
function walkGrid(city: usize, px: f64, py: f64, wayX: f64, wayY: f64): bool {
  const reach = load<f64>(REACH);
  store<i32>(TAKEN_COUNT, 0);
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
  const count = walkCells(city, px, py, dx, dy);
  for (let i = 0; i < count; i++) {
    if (takeCell(city, walkedCell(i))) return true;
  }
  return false;
}

/** Lists the blocks of a cell that reach into the wedge; true as soon as one hides the object. */
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
    const halfX = <f64>load<f32>(box + GB_HALF_X);
    const halfY = <f64>load<f32>(box + GB_HALF_Y);
    const dx = <f64>load<f32>(box + GB_X) - fromX;
    const dy = <f64>load<f32>(box + GB_Y) - fromY;
    if (abs(dy * ux - dx * uy) > halfX * abs(uy) + halfY * abs(ux) + reach) continue;
    const ahead = dx * ux + dy * uy;
    const half = halfX * abs(ux) + halfY * abs(uy) + radius;
    if (ahead < -half || ahead > length + half) continue;
    if (takeBlock(blockRecord(city, <i32>load<u16>(entry)))) return true;
  }
  return false;
}

/**
 * Lists a block that reaches into the wedge, unless it was tested before; true if it hides the
 * object.
 */
function takeBlock(block: usize): bool {
  const taken = load<i32>(TAKEN_COUNT);
  const end = TAKEN + ((<usize>taken) << 2);
  for (let address = TAKEN; address < end; address += 4) {
    if (<usize>load<u32>(address) == block) return false;
  }
  if (taken == BLOCKS_MAX) return false;
  store<u32>(end, <u32>block);
  store<i32>(TAKEN_COUNT, taken + 1);
  const ux = load<f64>(ALONG_X);
  const uy = load<f64>(ALONG_Y);
  const fromX = load<f64>(FROM_X);
  const fromY = load<f64>(FROM_Y);
  const edge = load<f64>(HALF);
  const widens = load<f64>(WIDENS);
  // Sides of the edges on which the block has corners.
  let within = 0;
  const last = block + B_CORNER + ((<usize>load<i32>(block + B_CORNERS)) << 4);
  for (let corner = block + B_CORNER; corner < last; corner += 16) {
    const dx = load<f64>(corner) - fromX;
    const dy = load<f64>(corner + 8) - fromY;
    const left = dy * ux - dx * uy;
    const half = edge + widens * (dx * ux + dy * uy);
    within |=
      (left > half ? OUTSIDE_LEFT : INSIDE_LEFT) | (left < -half ? OUTSIDE_RIGHT : INSIDE_RIGHT);
  }
  if ((within & INSIDE_LEFT) == 0 || (within & INSIDE_RIGHT) == 0) return false;
  if ((within & OUTSIDE_LEFT) != 0 && (within & OUTSIDE_RIGHT) != 0 && hides(block, false))
    return true;
  const count = load<i32>(BLOCK_COUNT);
  store<u32>(BLOCKS + ((<usize>count) << 2), <u32>block);
  store<i32>(BLOCK_COUNT, count + 1);
  return false;
}

/** Whether a listed block is in the way from one point to another. */
export function isBlockInWay(px: f64, py: f64, qx: f64, qy: f64): bool {
  const end = BLOCKS + ((<usize>load<i32>(BLOCK_COUNT)) << 2);
  for (let address = BLOCKS; address < end; address += 4) {
    if (crossesPolygon(<usize>load<u32>(address), px, py, qx, qy)) return true;
  }
  return false;
}

/** The same for the listed vehicles. */
export function isVehicleInWay(px: f64, py: f64, qx: f64, qy: f64): bool {
  const end = VEHICLES + ((<usize>load<i32>(VEHICLE_COUNT)) << 2);
  for (let address = VEHICLES; address < end; address += 4) {
    if (crossesBox(<usize>load<u32>(address), px, py, qx, qy)) return true;
  }
  return false;
}
