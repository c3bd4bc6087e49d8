import { describe, expect, it } from 'vitest';
import { Dice } from '../src/testing/rigs/dice.ts';
import { loadProbe } from '../src/testing/rigs/probe.ts';
import {
  CITY_BASE,
  GR_COLUMNS,
  GR_MIN_X,
  GR_MIN_Y,
  GR_ROWS,
  GRID_CELL_M,
  T_GRID,
} from './layout.ts';

const MIN_X_M = -37.5;
const MIN_Y_M = 12.25;
const COLUMNS = 9;
const ROWS = 7;
/** Offset of the grid in the table of the city. */
const GRID = 256;
const LINES = 2000;
const STEP_M = 0.01;
/** Places nearer than this to the edge of a cell are in either. */
const EDGE_M = 1e-4;

const probe = loadProbe();
const view = new DataView(probe.memory.buffer, CITY_BASE);
view.setInt32(T_GRID, GRID, true);
view.setFloat64(GRID + GR_MIN_X, MIN_X_M, true);
view.setFloat64(GRID + GR_MIN_Y, MIN_Y_M, true);
view.setInt32(GRID + GR_COLUMNS, COLUMNS, true);
view.setInt32(GRID + GR_ROWS, ROWS, true);

function walk(x: number, y: number, dx: number, dy: number): number[] {
  const count = probe.walkCells(CITY_BASE, x, y, dx, dy);
  return Array.from({ length: count }, (_, place) => probe.walkedCell(place));
}

/** Cells of the grid in which a place of the line certainly is, in the order of the way. */
function sampled(x: number, y: number, dx: number, dy: number): number[] {
  const cells = new Set<number>();
  const steps = Math.ceil(Math.hypot(dx, dy) / STEP_M);
  for (let step = 0; step <= steps; step++) {
    const east = (x + (dx * step) / Math.max(steps, 1) - MIN_X_M) / GRID_CELL_M;
    const north = (y + (dy * step) / Math.max(steps, 1) - MIN_Y_M) / GRID_CELL_M;
    const isAtEdge = [east, north].some(
      (each) => Math.abs(each - Math.round(each)) * GRID_CELL_M < EDGE_M,
    );
    const column = Math.floor(east);
    const row = Math.floor(north);
    if (isAtEdge || column < 0 || row < 0 || column >= COLUMNS || row >= ROWS) continue;
    cells.add(row * COLUMNS + column);
  }
  return [...cells];
}

describe('a walk over the grid of blocks', () => {
  it('finds the cells of lines in any direction, also from and to places outside', () => {
    const dice = new Dice(1);
    const within = (low: number, high: number) => low + ((high - low) * dice.below(1e6)) / 1e6;
    let met = 0;
    for (let i = 0; i < LINES; i++) {
      const [x, y] = [within(-80, 190), within(-30, 190)];
      const [dx, dy] = [within(-130, 130), within(-130, 130)];
      const expected = sampled(x, y, dx, dy);
      met += expected.length;
      const found = walk(x, y, dx, dy);
      expect(found.filter((cell) => expected.includes(cell))).toEqual(expected);
      // No more than it may cut at the corners of cells.
      expect(found.length).toBeLessThanOrEqual(expected.length + 3);
    }
    expect(met).toBeGreaterThan(LINES);
  });

  it('finds those of lines along an axis, and of a place alone', () => {
    expect(walk(0, 20, 50, 0)).toEqual([1, 2, 3, 4]);
    expect(walk(0, 20, 0, 45)).toEqual([1, 10, 19]);
    expect(walk(50, 20, -50, 0)).toEqual([4, 3, 2, 1]);
    expect(walk(0, 20, 0, 0)).toEqual([1]);
    expect(walk(-500, 20, 10, 0)).toEqual([]);
  });
});
