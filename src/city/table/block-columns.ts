import * as layout from '../../../assembly/layout.ts';
import { at, boundsOf } from '../geometry.ts';
import type { Box, Point } from '../types.ts';
import { gridBoxOf } from './grid-box.ts';
import { type Column, Records, type Sections } from './records.ts';

const X = 0;
const Y = 8;
const CORNER_BYTES = 16;
const SIDES = ['minX', 'minY', 'maxX', 'maxY'] as const;

/** Where records have their polygon and the box around it. */
export interface PolygonFields {
  /** Of corners. */
  count: number;
  corner: number;
  minX: number;
}

/** The polygons of blocks, or of zones, and the boxes around them. */
export function* polygonColumns(records: Records, fields: PolygonFields): Generator<Column> {
  const get = (field: number, i: number) => records.f64(field, i);
  const countOf = (i: number) => records.i32(fields.count, i);
  yield records.column('i32', fields.count);
  for (let corner = 0; corner < layout.BLOCK_CORNERS_MAX; corner++) {
    for (const axis of [X, Y]) {
      const field = fields.corner + corner * CORNER_BYTES + axis;
      const before = (back: number, i: number) => get(field - back * CORNER_BYTES, i);
      yield records.column('f64', field, (i) => {
        if (corner >= countOf(i)) return 0;
        if (corner === 0) return get(field, i - 1);
        const isParallelogram = corner === 3 && countOf(i) === 4;
        return isParallelogram ? before(1, i) - before(2, i) + before(3, i) : before(1, i);
      });
    }
  }
  const boxes = polygonsOf(records, fields).map(boundsOf);
  for (const [place, side] of SIDES.entries()) {
    yield records.column('f64', fields.minX + place * 8, (i) => boxes[i]?.[side] ?? 0);
  }
}

export function polygonsOf(records: Records, { count, corner }: PolygonFields): Point[][] {
  return Array.from({ length: records.count }, (_, i) =>
    Array.from({ length: records.i32(count, i) }, (_, c): Point => {
      const field = corner + c * CORNER_BYTES;
      return [records.f64(field + X, i), records.f64(field + Y, i)];
    }),
  );
}

/** Which blocks are near each cell, and the boxes around these. */
export function* gridColumns(table: Sections, blockBoxes: readonly Box[]): Generator<Column> {
  const { view } = table;
  const { start, end } = table.section(layout.T_GRID);
  const firstsStart = start + layout.GR_FIRST;
  const head = new Records(view, { start, end: firstsStart }, layout.GR_FIRST);
  yield* head.words();
  const cellCount = head.i32(layout.GR_COLUMNS, 0) * head.i32(layout.GR_ROWS, 0);
  const listStart = firstsStart + (cellCount + 1) * 4;
  const firsts = new Records(view, { start: firstsStart, end: listStart }, 4);
  yield firsts.column('i32', 0);
  const list = new Records(view, { start: listStart, end }, 2);
  yield list.column('u16', 0);

  const boxes = Array.from({ length: firsts.i32(0, cellCount) }, (_, entry) =>
    gridBoxOf(at(blockBoxes, list.u16(0, entry))),
  );
  const records = table.records(layout.T_GRID_BOXES, layout.GRID_BOX_BYTES);
  yield records.column('f32', layout.GB_X, (i) => boxes[i]?.x ?? 0);
  yield records.column('f32', layout.GB_Y, (i) => boxes[i]?.y ?? 0);
  yield records.column('f32', layout.GB_HALF_X, (i) => boxes[i]?.halfX ?? 0);
  yield records.column('f32', layout.GB_HALF_Y, (i) => boxes[i]?.halfY ?? 0);
}
