import {
  BLOCK_BYTES,
  GRID_CELL_M,
  GR_COLUMNS,
  GR_FIRST,
  GR_MIN_X,
  GR_MIN_Y,
  GR_ROWS,
  T_BLOCKS,
  T_GRID,
  T_GRID_BOXES,
} from './layout';

/** Address of a block's record. */
@inline export function blockRecord(city: usize, block: i32): usize {
  return city + load<i32>(city + T_BLOCKS) + <usize>block * BLOCK_BYTES;
}

/** Index of the grid cell at a place; −1 outside, where no block is near. */
export function cellAt(city: usize, x: f64, y: f64): i32 {
  const grid = gridOf(city);
  const east = (x - load<f64>(grid + GR_MIN_X)) * (1.0 / <f64>GRID_CELL_M);
  const north = (y - load<f64>(grid + GR_MIN_Y)) * (1.0 / <f64>GRID_CELL_M);
  const columns = load<i32>(grid + GR_COLUMNS);
  if (
    !(east >= 0.0 && north >= 0.0 && east < <f64>columns && north < <f64>load<i32>(grid + GR_ROWS))
  )
    return -1;
  return <i32>north * columns + <i32>east;
}

/** Address of the box, GB_, of the block whose index stands at `entry` in a cell's list. */
@inline export function gridBox(city: usize, entry: usize): usize {
  return city + load<i32>(city + T_GRID_BOXES) + ((entry - listOf(city)) << 3);
}

/** Address of the first block index of a cell, u16 each. */
@inline export function cellStart(city: usize, cell: i32): usize {
  return cell < 0
    ? 0
    : listOf(city) + ((<usize>load<u32>(gridOf(city) + GR_FIRST + ((<usize>cell) << 2))) << 1);
}

/** Address behind the last block index of a cell. */
@inline export function cellEnd(city: usize, cell: i32): usize {
  return cell < 0
    ? 0
    : listOf(city) +
        ((<usize>load<u32>(gridOf(city) + GR_FIRST + ((<usize>(cell + 1)) << 2))) << 1);
}

@inline function gridOf(city: usize): usize {
  return city + load<i32>(city + T_GRID);
}

@inline function listOf(city: usize): usize {
  const grid = gridOf(city);
  return (
    grid + GR_FIRST + ((<usize>(load<i32>(grid + GR_COLUMNS) * load<i32>(grid + GR_ROWS) + 1)) << 2)
  );
}
