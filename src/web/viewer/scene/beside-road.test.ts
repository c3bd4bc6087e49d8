import { describe, expect, it } from 'vitest';
import { CITIES } from '../../../city/catalogue.ts';
import { mapOf } from '../../../city/map.ts';
import { generateCity } from '../../../citygen/generate.ts';
import type { MapBody } from '../api/types.ts';
import { besideRoadOf, isMadeOut, outlineOf } from './beside-road.ts';
import type { Point } from './lines.ts';
import type { MeshBuilder } from './mesh-builder.ts';

const POST: MapBody = {
  ...{ id: 'h1-0', hazard: 'h1', kind: 'bollard', x: 40, y: -20, heading: 0.3 },
  ...{ length: 0.1, width: 0.1, height: 1 },
};
/** Mirrors of cars and bushes of hedges stand out. */
const BEYOND_M = 0.5;

/** What a mesh reaches, seen from a body: along it, across it and upwards. */
function extentOf({ positions }: MeshBuilder, { x, y, heading }: MapBody) {
  const [hx, hy] = [Math.cos(heading), Math.sin(heading)];
  const reach = { ahead: 0, left: 0, high: 0 };
  for (let i = 0; i < positions.length; i += 3) {
    const [px = 0, py = 0, z = 0] = positions.slice(i, i + 3);
    const [dx, dy] = [px - x, py - y];
    reach.ahead = Math.max(reach.ahead, Math.abs(dx * hx + dy * hy));
    reach.left = Math.max(reach.left, Math.abs(dy * hx - dx * hy));
    reach.high = Math.max(reach.high, z);
  }
  return { length: 2 * reach.ahead, width: 2 * reach.left, height: reach.high };
}

describe.each(CITIES)('beside the roads of $name', ({ name, seed }) => {
  const { bodies } = mapOf(generateCity(name, seed));

  it('[P43] each body is drawn where it is and as large', () => {
    expect(bodies.length).toBeGreaterThan(20);
    for (const body of bodies) {
      const { length, width, height } = extentOf(besideRoadOf([body]), body);
      const thick = Math.max(body.width, body.kind === 'bollard' ? 0.22 : 0);
      expect(length).toBeGreaterThan(body.length - 0.01);
      expect(length).toBeLessThan(Math.max(body.length, thick) + BEYOND_M);
      expect(width).toBeGreaterThan(thick - 0.01);
      expect(width).toBeLessThan(thick + BEYOND_M);
      expect(height).toBeGreaterThan(0.95 * body.height);
      expect(height).toBeLessThan(1.15 * body.height);
    }
  });

  it('all of it has few triangles', () => {
    expect(besideRoadOf(bodies).indices.length / 3).toBeLessThan(6000);
  });
});

describe('a body beside the road', () => {
  it('[P43] is seen if it is a post of ten centimetres', () => {
    const { length, width, height } = extentOf(besideRoadOf([POST]), POST);
    expect(length).toBeGreaterThanOrEqual(0.22);
    expect(width).toBeGreaterThanOrEqual(0.22);
    expect(height).toBeCloseTo(1, 9);
  });

  it('[P43] is left out only where a car would be a few pixels long', () => {
    expect([0.05, 0.5, 1].map(isMadeOut)).toEqual([true, true, false]);
  });

  it('has an outline, counter-clockwise', () => {
    const body = { ...POST, heading: Math.PI / 2, length: 4, width: 2 };
    const round = ([x, y]: Point) => [Math.round(x), Math.round(y)];
    expect(outlineOf(body).map(round)).toEqual([
      [41, -22],
      [41, -18],
      [39, -18],
      [39, -22],
    ]);
  });

  it('of a kind that the page does not know is a block', () => {
    const body = { ...POST, kind: 'statue', length: 2, width: 1, height: 3 };
    const { length, width, height } = extentOf(besideRoadOf([body]), body);
    expect([length, width, height]).toEqual([
      expect.closeTo(2, 9),
      expect.closeTo(1, 9),
      expect.closeTo(3, 9),
    ]);
  });
});
