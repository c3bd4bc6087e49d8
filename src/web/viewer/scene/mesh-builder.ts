import { at, beside, type Line, leftward, type Point } from './lines.ts';
import type { Slot } from './palette.ts';

/** Direction of the sun. */
const SUN = { x: -0.42, y: -0.55, z: 0.72 } as const;
/** Brightness of a face that is turned away from the sun, and what full sun adds. */
const SHADE_MIN = 0.62;
const SHADE_RANGE = 0.44;

/** A corner, m. */
export type Spot = readonly [x: number, y: number, z: number];

export type Size = readonly [length: number, width: number, height: number];

export const raised = (line: Line, z: number): Spot[] => line.map(([x, y]) => [x, y, z]);

export const between = (a: Spot, b: Spot, part: number): Spot => [
  a[0] + (b[0] - a[0]) * part,
  a[1] + (b[1] - a[1]) * part,
  a[2] + (b[2] - a[2]) * part,
];

/**
 * Triangles that are drawn in one call. Each corner has a slot of the palette and a brightness, so
 * that a change of the theme changes colours and not the geometry.
 */
export class MeshBuilder {
  readonly positions: number[] = [];
  readonly slots: Slot[] = [];
  readonly shades: number[] = [];
  readonly indices: number[] = [];

  get count(): number {
    return this.slots.length;
  }

  corner(x: number, y: number, z: number, slot: Slot, shade = 1): number {
    this.positions.push(x, y, z);
    this.slots.push(slot);
    this.shades.push(shade);
    return this.slots.length - 1;
  }

  /** Brightness of a face by its unit normal. */
  protected shadeOf(nx: number, ny: number, nz: number): number {
    return SHADE_MIN + SHADE_RANGE * Math.max(0, nx * SUN.x + ny * SUN.y + nz * SUN.z);
  }

  /** A flat face with corners in a ring, lit by its own normal. */
  face(corners: readonly Spot[], slot: Slot): void {
    const shade = this.shadeOf(...normalOf(corners));
    const first = this.count;
    for (const [x, y, z] of corners) this.corner(x, y, z, slot, shade);
    this.fan(first, corners.length);
  }

  /** Triangles between the corners of a convex ring. */
  fan(first: number, corners: number): void {
    for (let i = 2; i < corners; i++) this.indices.push(first, first + i - 1, first + i);
  }

  /** A convex area of the ground. */
  area(polygon: Line, slot: Slot, z = 0): void {
    const first = this.count;
    for (const [x, y] of polygon) this.corner(x, y, z, slot);
    this.fan(first, polygon.length);
  }

  /** A strip along a line, between two distances to its left. */
  band(line: Line, fromLeftM: number, toLeftM: number, slot: Slot, z = 0): void {
    const vectors = leftward(line);
    const first = this.count;
    line.forEach(([x, y], i) => {
      const [dx, dy] = at(vectors, i);
      this.corner(x + fromLeftM * dx, y + fromLeftM * dy, z, slot);
      this.corner(x + toLeftM * dx, y + toLeftM * dy, z, slot);
    });
    for (let i = 0; i + 1 < line.length; i++) {
      const a = first + 2 * i;
      this.indices.push(a, a + 2, a + 1, a + 1, a + 2, a + 3);
    }
  }

  /** An upright box on the middle of its foot; the unit vector is the direction of its length. */
  box([x, y, z]: Spot, [length, width, height]: Size, slot: Slot, [hx, hy]: Point = [1, 0]): void {
    const foot = { x, y, hx, hy };
    const [l, w] = [length / 2, width / 2];
    const ring = [
      beside(foot, -l, -w),
      beside(foot, l, -w),
      beside(foot, l, w),
      beside(foot, -l, w),
    ];
    this.prism(ring, z, z + height, slot, slot);
  }

  /** Walls over a counter-clockwise convex ring, and a lid. */
  prism(ring: Line, fromZ: number, toZ: number, wall: Slot, lid: Slot): void {
    this.loft(raised(ring, fromZ), raised(ring, toZ), wall);
    this.face(raised(ring, toZ), lid);
  }

  /** Faces between two rings with the same number of corners. */
  loft(from: readonly Spot[], to: readonly Spot[], slot: Slot): void {
    for (let i = 0; i < from.length; i++) {
      const next = (i + 1) % from.length;
      this.face([at(from, i), at(from, next), at(to, next), at(to, i)], slot);
    }
  }
}

/** Unit normal of a ring of corners, by Newell's method. */
export function normalOf(corners: readonly Spot[]): Spot {
  let [nx, ny, nz] = [0, 0, 0];
  corners.forEach((a, i) => {
    const b = at(corners, (i + 1) % corners.length);
    nx += (a[1] - b[1]) * (a[2] + b[2]);
    ny += (a[2] - b[2]) * (a[0] + b[0]);
    nz += (a[0] - b[0]) * (a[1] + b[1]);
  });
  const size = Math.hypot(nx, ny, nz) || 1;
  return [nx / size, ny / size, nz / size];
}
