import { describe, expect, test } from 'vitest';
import { GRID_CELL_M, GRID_REACH_M } from '../../../assembly/layout.ts';
import { CITIES } from '../../city/catalogue.ts';
import { boundsOf } from '../../city/geometry.ts';
import type { Block, Point } from '../../city/types.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { rectangle } from '../geometry.ts';
import { type BlockGrid, blockGridOf } from './block-grid.ts';

const STEP_M = 7;

const block = (polygon: Point[], solid = true): Block => ({
  id: 'b',
  kind: 'building',
  polygon,
  heightM: 10,
  solid,
});

function cellAt(grid: BlockGrid, x: number, y: number): readonly number[] {
  const column = Math.floor((x - grid.minX) / GRID_CELL_M);
  const row = Math.floor((y - grid.minY) / GRID_CELL_M);
  const isInside = column >= 0 && row >= 0 && column < grid.columns && row < grid.rows;
  return isInside ? (grid.cells[row * grid.columns + column] ?? []) : [];
}

describe('The grid of blocks', () => {
  test('covers the reach of solid blocks, and lists them in the cells near them', () => {
    // With 6.5 m around it the house covers −6.5 to 16.5 m: cells from −6.5, 13.5 on.
    const grid = blockGridOf([
      block(rectangle(0, 0, 10, 10)),
      block(rectangle(500, 500, 600, 600), false),
    ]);
    expect(grid).toEqual({
      minX: -6.5,
      minY: -6.5,
      columns: 2,
      rows: 2,
      cells: [[0], [0], [0], [0]],
    });
  });

  test('is empty where nothing is solid', () => {
    expect(blockGridOf([block(rectangle(0, 0, 10, 10), false)]).cells).toEqual([]);
  });

  test.each(CITIES)('of $name has every solid block within reach of a place', ({ name, seed }) => {
    const { blocks, bounds } = cityOf(name, seed);
    const grid = blockGridOf(blocks);
    const boxes = blocks.map(({ polygon }) => boundsOf(polygon));
    let checked = 0;
    for (let x = bounds.minX - 50; x < bounds.maxX + 50; x += STEP_M) {
      for (let y = bounds.minY - 50; y < bounds.maxY + 50; y += STEP_M) {
        const listed = cellAt(grid, x, y);
        const near = boxes.flatMap(({ minX, minY, maxX, maxY }, i) =>
          blocks[i]?.solid &&
          minX <= x + GRID_REACH_M &&
          maxX >= x - GRID_REACH_M &&
          minY <= y + GRID_REACH_M &&
          maxY >= y - GRID_REACH_M
            ? [i]
            : [],
        );
        if (!near.every((block) => listed.includes(block))) expect([x, y, listed]).toEqual(near);
        checked += near.length;
      }
    }
    expect(checked).toBeGreaterThan(1000);
  });
});
