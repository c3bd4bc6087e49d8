import * as layout from '../../../assembly/layout.ts';
import { boundsOf } from '../../city/geometry.ts';
import { gridBoxOf } from '../../city/table/grid-box.ts';
import type { Block } from '../../city/types.ts';
import { grown } from '../geometry.ts';

/** The solid blocks near each cell of a city: see GR_ in the memory map. */
export interface BlockGrid {
  minX: number;
  minY: number;
  columns: number;
  rows: number;
  /** Ascending block indices of each cell, row by row. */
  cells: readonly (readonly number[])[];
}

/** The smallest grid that covers everything within `GRID_REACH_M` of a solid block. */
export function blockGridOf(blocks: readonly Block[]): BlockGrid {
  const near = blocks.map(({ polygon, solid }) =>
    solid ? grown(boundsOf(polygon), layout.GRID_REACH_M) : undefined,
  );
  const boxes = near.filter((box) => box !== undefined);
  if (boxes.length === 0) return { minX: 0, minY: 0, columns: 0, rows: 0, cells: [] };
  const minX = Math.min(...boxes.map((box) => box.minX));
  const minY = Math.min(...boxes.map((box) => box.minY));
  const cellsTo = (from: number, to: number) => Math.floor((to - from) / layout.GRID_CELL_M) + 1;
  const columns = cellsTo(minX, Math.max(...boxes.map((box) => box.maxX)));
  const rows = cellsTo(minY, Math.max(...boxes.map((box) => box.maxY)));
  const cells = Array.from({ length: columns * rows }, (_, cell) => {
    const west = minX + (cell % columns) * layout.GRID_CELL_M;
    const south = minY + Math.floor(cell / columns) * layout.GRID_CELL_M;
    return near.flatMap((box, block) =>
      box &&
      box.minX <= west + layout.GRID_CELL_M &&
      box.maxX >= west &&
      box.minY <= south + layout.GRID_CELL_M &&
      box.maxY >= south
        ? [block]
        : [],
    );
  });
  return { minX, minY, columns, rows, cells };
}

/** Bytes that `writeBlockGrid` writes. */
export const blockGridBytes = ({ cells }: BlockGrid): number =>
  layout.GR_FIRST + (cells.length + 1) * 4 + cells.flat().length * 2;

export function writeBlockGrid(view: DataView, start: number, grid: BlockGrid): void {
  view.setFloat64(start + layout.GR_MIN_X, grid.minX, true);
  view.setFloat64(start + layout.GR_MIN_Y, grid.minY, true);
  view.setInt32(start + layout.GR_COLUMNS, grid.columns, true);
  view.setInt32(start + layout.GR_ROWS, grid.rows, true);
  const list = start + layout.GR_FIRST + (grid.cells.length + 1) * 4;
  let entry = 0;
  for (const [cell, blocks] of grid.cells.entries()) {
    view.setUint32(start + layout.GR_FIRST + cell * 4, entry, true);
    for (const block of blocks) view.setUint16(list + 2 * entry++, block, true);
  }
  view.setUint32(start + layout.GR_FIRST + grid.cells.length * 4, entry, true);
}

/** Bytes that `writeGridBoxes` writes. */
export const gridBoxesBytes = ({ cells }: BlockGrid): number =>
  cells.flat().length * layout.GRID_BOX_BYTES;

export function writeGridBoxes(
  view: DataView,
  start: number,
  { cells }: BlockGrid,
  blocks: readonly Block[],
): void {
  const boxes = blocks.map(({ polygon }) => boundsOf(polygon));
  for (const [entry, block] of cells.flat().entries()) {
    const box = boxes[block];
    if (!box) throw new RangeError(`the grid has a block ${block} that the city does not have`);
    const offset = start + entry * layout.GRID_BOX_BYTES;
    const { x, y, halfX, halfY } = gridBoxOf(box);
    view.setFloat32(offset + layout.GB_X, x, true);
    view.setFloat32(offset + layout.GB_Y, y, true);
    view.setFloat32(offset + layout.GB_HALF_X, halfX, true);
    view.setFloat32(offset + layout.GB_HALF_Y, halfY, true);
  }
}
