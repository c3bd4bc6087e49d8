import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { MeshBuilder } from './mesh-builder.ts';
import { tilesOf } from './tiles.ts';

describe('tiles', () => {
  const mesh = new MeshBuilder();
  for (let x = 10; x < 1000; x += 90) mesh.box([x, 20, 0], [8, 8, 30], 'wall0');
  const tiles = tilesOf(mesh);

  it('have each triangle once, in its order', () => {
    expect(tiles.length).toBeGreaterThan(4);
    const all = tiles.flatMap(({ indices }) => indices);
    expect(all.toSorted((a, b) => a - b)).toEqual(mesh.indices.toSorted((a, b) => a - b));
    for (const { indices } of tiles) {
      const firsts = indices.filter((_, i) => i % 3 === 0).map((corner) => Math.floor(corner / 4));
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }
  });

  it('know where all of theirs is', () => {
    for (const { indices, sphere } of tiles) {
      for (const corner of indices) {
        const spot = new Vector3().fromArray(mesh.positions, 3 * corner);
        expect(sphere.distanceToPoint(spot)).toBeLessThan(1e-9);
      }
      expect(sphere.radius).toBeLessThan(160);
    }
  });
});
