import { Sphere, Vector3 } from 'three';
import { at } from './lines.ts';
import type { MeshBuilder } from './mesh-builder.ts';

/** Side of a tile: small enough that a street shows few, large enough that a city has few. */
const TILE_M = 160;

/** Triangles that are in sight together. */
export interface Tile {
  indices: number[];
  sphere: Sphere;
}

/** The triangles of a mesh by where their middle is; those of a tile keep their order. */
export function tilesOf({
  positions,
  indices,
}: Pick<MeshBuilder, 'positions' | 'indices'>): Tile[] {
  const byPlace = new Map<string, number[]>();
  for (let i = 0; i < indices.length; i += 3) {
    const corners = indices.slice(i, i + 3);
    const middle = (axis: number) =>
      corners.reduce((sum, corner) => sum + at(positions, 3 * corner + axis), 0) / 3;
    const place = `${Math.floor(middle(0) / TILE_M)} ${Math.floor(middle(1) / TILE_M)}`;
    const tile = byPlace.get(place) ?? [];
    tile.push(...corners);
    byPlace.set(place, tile);
  }
  return [...byPlace.values()].map((own) => ({ indices: own, sphere: around(positions, own) }));
}

/** A sphere around all corners. */
function around(positions: readonly number[], indices: readonly number[]): Sphere {
  const spots = [...new Set(indices)].map((i) => new Vector3().fromArray(positions, 3 * i));
  return new Sphere().setFromPoints(spots);
}
