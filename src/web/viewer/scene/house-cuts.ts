import { DataTexture, FloatType, RedFormat } from 'three';
import type { MapPoint } from '../api/types.ts';
import { at, distance, isInside, type Line, middleOf } from './lines.ts';
import type { Spot } from './mesh-builder.ts';

/** What is left of a house that is cut down, m. */
const STUMP_M = 0.5;
/** How long that takes. */
const CUT_S = 0.4;
/** Roofs have parts that stand out of them, m. */
const ABOVE_ROOF_M = 2;
/** Where people look: as high as a car, and the street around it. */
const PLACE_M = 0.8;
const AROUND_M = 4.5;
const AROUND: readonly MapPoint[] = [
  [0, 0],
  [AROUND_M, 0],
  [-AROUND_M, 0],
  [0, AROUND_M],
  [0, -AROUND_M],
];

export interface Standing {
  /** Convex. */
  polygon: Line;
  heightM: number;
}

interface House extends Standing {
  radiusM: number;
  middle: MapPoint;
  /** 0: it stands; 1: it is cut down. */
  part: number;
}

/**
 * Cuts down each house that stands between the camera and what it looks at, as a whole, and lets it rise
 * again: the shader reads from a texture how high each one is.
 */
export class HouseCuts {
  readonly texture: DataTexture;
  readonly #houses: readonly House[];
  readonly #heights: Float32Array<ArrayBuffer>;

  constructor(houses: readonly Standing[]) {
    this.#houses = houses.map((house) => ({ ...house, ...circleOf(house.polygon), part: 0 }));
    this.#heights = Float32Array.from(houses, ({ heightM }) => heightM + ABOVE_ROOF_M);
    // A texture has at least one pixel.
    const pixels = houses.length > 0 ? this.#heights : new Float32Array(1);
    this.texture = new DataTexture(pixels, pixels.length, 1, RedFormat, FloatType);
    this.texture.needsUpdate = true;
  }

  /**
   * Returns whether a house falls or rises.
   * @param dtS infinite: without transition
   */
  update(eye: Spot, places: readonly MapPoint[], dtS: number): boolean {
    let isChanged = false;
    for (const [i, house] of this.#houses.entries()) {
      const goal = hides(house, eye, places) ? 1 : 0;
      if (house.part === goal) continue;
      isChanged = true;
      const step = dtS / CUT_S;
      house.part = goal === 1 ? Math.min(1, house.part + step) : Math.max(0, house.part - step);
      const fullM = house.heightM + ABOVE_ROOF_M;
      this.#heights[i] = fullM + (STUMP_M - fullM) * eased(house.part);
    }
    if (isChanged) this.texture.needsUpdate = true;
    return isChanged;
  }
}

const eased = (part: number): number => part * part * (3 - 2 * part);

function circleOf(polygon: Line) {
  const middle = middleOf(polygon);
  return { middle, radiusM: Math.max(...polygon.map((corner) => distance(corner, middle))) };
}

function hides(house: House, eye: Spot, places: readonly MapPoint[]): boolean {
  const { middle, radiusM } = house;
  return places.some(([px, py]) => {
    const [ex, ey] = eye;
    // Most houses are nowhere near the line.
    const [dx, dy] = [px - ex, py - ey];
    const along = ((middle[0] - ex) * dx + (middle[1] - ey) * dy) / (dx * dx + dy * dy || 1);
    const part = Math.min(1, Math.max(0, along));
    const farM = Math.hypot(ex + part * dx - middle[0], ey + part * dy - middle[1]);
    if (farM > radiusM + AROUND_M) return false;
    return AROUND.some(([ax, ay]) => standsBetween(house, eye, [px + ax, py + ay]));
  });
}

/** Whether a house hides a place from an eye; not if the place is inside it. */
export function standsBetween(
  { polygon, heightM }: Standing,
  eye: Spot,
  [px, py]: MapPoint,
): boolean {
  if (isInside(polygon, px, py)) return false;
  const [ex, ey, ez] = eye;
  const [dx, dy] = [px - ex, py - ey];
  // The part of the line that is over the footprint, by clipping it at each side.
  let [from, to] = [0, 1];
  for (const [i, [ax, ay]] of polygon.entries()) {
    const [bx, by] = at(polygon, (i + 1) % polygon.length);
    // Left of each side is inside.
    const outside = (bx - ax) * (ey - ay) - (by - ay) * (ex - ax);
    const change = (bx - ax) * dy - (by - ay) * dx;
    if (change === 0 && outside < 0) return false;
    if (change > 0) from = Math.max(from, -outside / change);
    if (change < 0) to = Math.min(to, -outside / change);
  }
  if (from >= to) return false;
  return ez + (PLACE_M - ez) * to < heightM;
}
