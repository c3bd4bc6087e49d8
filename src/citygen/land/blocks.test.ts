import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { at, boundsOf, distanceToPath } from '../../city/geometry.ts';
import type { City, Point } from '../../city/types.ts';
import { cityOf, grid } from '../../testing/rigs/cities.ts';
import { areNear } from '../../testing/rigs/paths.ts';
import { areaOf, covers, grown, intersectConvex, outlineOf } from '../geometry.ts';

const SIDEWALK_M = 3;
/** A wall along a bend stands closer. */
const VERGE_M = 1.9;

describe.each([at(CITIES, 0).seed, 1, 2])('The blocks of the grid of seed %i', (seed) => {
  const city = cityOf('grid', seed);
  const { blocks } = city;

  test('leave a sidewalk of 3 m beside every lane and connector, and walls 1.9 m.', () => {
    for (const lane of city.lanes) {
      for (const block of blocks) {
        if (!areNear(block.polygon, lane.polyline, 10)) continue;
        const distanceM = distanceBetween(lane.polyline, outlineOf(block.polygon));
        const besideM = block.kind === 'wall' ? VERGE_M : SIDEWALK_M;
        expect(distanceM).toBeGreaterThanOrEqual(lane.widthM / 2 + besideM - 1e-9);
      }
    }
  });

  test('do not overlap.', () => {
    for (const [i, a] of blocks.entries()) {
      for (const b of blocks.slice(i + 1)) {
        if (!areNear(a.polygon, b.polygon, 10)) continue;
        expect(areaOf(intersectConvex(a.polygon, b.polygon))).toBeLessThan(1e-6);
      }
    }
  });

  test('are buildings and walls that stop a car, and parks and squares that do not.', () => {
    for (const { kind, solid, heightM } of blocks) {
      expect(solid).toBe(kind === 'building' || kind === 'wall');
      if (kind === 'building') expect(heightM).toBeGreaterThanOrEqual(6);
      if (kind === 'building') expect(heightM).toBeLessThanOrEqual(40);
    }
  });

  test('are several in a cell and no more than 290 in all.', () => {
    expect(blocks.length).toBeGreaterThan(120);
    expect(blocks.length).toBeLessThanOrEqual(290);
  });
});

const LATER_GRIDS = [1, 2].map((seed) => ({ name: 'grid', seed }));

test.each([...CITIES, ...LATER_GRIDS])(
  '[W25] In $name of seed $seed no path leads out of its bounds.',
  ({ name, seed }) => {
    expect(escapes(cityOf(name, seed))).toBe(false);
  },
);

test('The default grid has at most 250 blocks.', () => {
  expect(grid.blocks.length).toBeLessThanOrEqual(250);
});

/** The smallest distance between two paths that do not cross, or cross near one of their points. */
const distanceBetween = (a: readonly Point[], b: readonly Point[]): number =>
  Math.min(
    ...a.map((point) => distanceToPath(point, b)),
    ...b.map((point) => distanceToPath(point, a)),
  );

/** Whether a flood fill from the first lane, over 1 m cells without solid blocks, leaves the bounds. */
function escapes({ bounds, blocks, lanes }: City): boolean {
  const columns = Math.ceil(bounds.maxX - bounds.minX) + 3;
  const rows = Math.ceil(bounds.maxY - bounds.minY) + 3;
  const centre = (cell: number): Point => [
    bounds.minX + (cell % columns) - 1,
    bounds.minY + Math.floor(cell / columns) - 1,
  ];
  const cellOf = (x: number, y: number): number =>
    (Math.round(y - bounds.minY) + 1) * columns + Math.round(x - bounds.minX) + 1;
  const seen = new Uint8Array(columns * rows);
  for (const { polygon, solid } of blocks) {
    if (!solid) continue;
    const { minX, minY, maxX, maxY } = grown(boundsOf(polygon), 1);
    for (let y = minY; y <= maxY; y++) {
      for (let x = minX; x <= maxX; x++) {
        const cell = cellOf(x, y);
        if (covers(polygon, centre(cell))) seen[cell] = 1;
      }
    }
  }
  const [startX, startY] = at(at(lanes, 0).polyline, 0);
  const queue = [cellOf(startX, startY)];
  for (let cell = queue.pop(); cell !== undefined; cell = queue.pop()) {
    if (cell === 0) return true;
    for (const next of [cell - 1, cell + 1, cell - columns, cell + columns]) {
      if (next < 0 || next >= seen.length || seen[next]) continue;
      seen[next] = 1;
      queue.push(next);
    }
  }
  return false;
}
