/** What cars see of a place: nothing appears or disappears in sight. */
import {
  B_HAZARD,
  C_HX,
  C_HY,
  C_STATUS,
  C_VX,
  C_X,
  C_Y,
  FRAME_TICKS,
  STATUS_CRASHED,
  TICK_S,
  TOW_PULLS_OUT,
} from './layout';
import { blockRecord, cellEnd, cellStart } from './blocks';
import { carsNear } from './broad-phase';
import { walkCells, walkedCell } from './grid-walk';
import { getF, getI } from './memory';
import { crossesPolygon } from './segments';
import { towOf } from './tow';

/** Nothing appears or disappears this near to a car that drives, unless a building is between, m. */
export const UNSEEN_M = 62.0;
const FRAME_S = <f64>FRAME_TICKS * TICK_S;

/**
 * Whether a car of the traffic, except one, is near a place and has a free view of it, now or in the
 * next frame: of its middle or of one of its ends, `half` m ahead and behind.
 */
export function isSeen(
  slab: usize,
  city: usize,
  x: f64,
  y: f64,
  hx: f64,
  hy: f64,
  half: f64,
  except: i32,
): bool {
  for (let near = carsNear(slab, 0, x, y, UNSEEN_M * UNSEEN_M); near != 0; near &= near - 1) {
    const car = <i32>ctz(near);
    if (car == except || isOut(slab, car)) continue;
    const cx = getF(slab, C_X, car);
    const cy = getF(slab, C_Y, car);
    const way = getF(slab, C_VX, car) * FRAME_S;
    const nextX = cx + way * getF(slab, C_HX, car);
    const nextY = cy + way * getF(slab, C_HY, car);
    for (let end = -1; end <= 1; end++) {
      const toX = x + <f64>end * half * hx;
      const toY = y + <f64>end * half * hy;
      if (!isHidden(city, cx, cy, toX, toY) || !isHidden(city, nextX, nextY, toX, toY)) return true;
    }
  }
  return false;
}

/** Whether a car is out of the traffic, and will be in the next frame. */
@inline function isOut(slab: usize, car: i32): bool {
  return getI(slab, C_STATUS, car) == STATUS_CRASHED && towOf(slab, car) != TOW_PULLS_OUT;
}

/** Whether a building or wall is between two points; what stands at a hazard spot hides nothing. */
function isHidden(city: usize, px: f64, py: f64, qx: f64, qy: f64): bool {
  const cells = walkCells(city, px, py, qx - px, qy - py);
  for (let place = 0; place < cells; place++) {
    const cell = walkedCell(place);
    const end = cellEnd(city, cell);
    for (let entry = cellStart(city, cell); entry < end; entry += 2) {
      const block = blockRecord(city, <i32>load<u16>(entry));
      if (load<i32>(block + B_HAZARD) < 0 && crossesPolygon(block, px, py, qx, qy)) return true;
    }
  }
  return false;
}
