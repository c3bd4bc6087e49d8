/** The cells of the grid of blocks on a straight line (Amanatides, Woo 1987). */
import {
  GRID_CELL_M,
  GR_COLUMNS,
  GR_MIN_X,
  GR_MIN_Y,
  GR_ROWS,
  T_GRID,
  WALKED_CELLS,
} from './layout';
import { least } from './math';

/** More cells than are on any way of 1 km. */
const CELLS_MAX = 120;
/** The whole way in fixed point: integers are compared without branches. */
const WHOLE: i64 = 1 << 30;
/** A cell counts as at most so many ways. */
const WAYS_MAX = 1e6;

/** Index of a cell that the last walk found. */
@inline export function walkedCell(place: i32): i32 {
  return load<i32>(<usize>WALKED_CELLS + ((<usize>place) << 2));
}

/** Finds the cells on the way (dx, dy), m, from a place; returns their number. */
export function walkCells(city: usize, px: f64, py: f64, dx: f64, dy: f64): i32 {
  const grid = city + load<i32>(city + T_GRID);
  const columns = load<i32>(grid + GR_COLUMNS);
  const rows = load<i32>(grid + GR_ROWS);
  const east = (px - load<f64>(grid + GR_MIN_X)) * (1.0 / <f64>GRID_CELL_M);
  const north = (py - load<f64>(grid + GR_MIN_Y)) * (1.0 / <f64>GRID_CELL_M);
  const wayX = least(<f64>GRID_CELL_M / abs(dx), WAYS_MAX);
  const wayY = least(<f64>GRID_CELL_M / abs(dy), WAYS_MAX);
  let column = <i32>floor(east);
  let row = <i32>floor(north);
  const restX = east - <f64>column;
  const restY = north - <f64>row;
  // Share of the way at which it leaves the column and the row, and that across a whole one.
  let nextX = <i64>((dx > 0.0 ? 1.0 - restX : restX) * wayX * <f64>WHOLE);
  let nextY = <i64>((dy > 0.0 ? 1.0 - restY : restY) * wayY * <f64>WHOLE);
  const perX = <i64>(wayX * <f64>WHOLE);
  const perY = <i64>(wayY * <f64>WHOLE);
  const stepX = dx > 0.0 ? 1 : -1;
  const stepY = dy > 0.0 ? 1 : -1;
  let count = 0;
  let reached: i64 = 0;
  while (reached <= WHOLE && count < CELLS_MAX) {
    store<i32>(<usize>WALKED_CELLS + ((<usize>count) << 2), row * columns + column);
    count += i32(<u32>column < <u32>columns) & i32(<u32>row < <u32>rows);
    // All bits set if the column ends first, which is unpredictable.
    const isX = (nextX - nextY) >> 63;
    reached = nextY + ((nextX - nextY) & isX);
    nextX += perX & isX;
    nextY += perY & ~isX;
    column += stepX & <i32>isX;
    row += stepY & ~(<i32>isX);
  }
  return count;
}
