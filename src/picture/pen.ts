import { at } from '../city/geometry.ts';
import type { Point } from '../city/types.ts';
import type { Context } from './canvas.ts';
import { stripOf } from './shapes.ts';
import type { Pixel, Spot, View } from './view.ts';

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

export const cssOf = ([red, green, blue]: Colour, alpha = 1): string =>
  `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)} / ${alpha})`;

const lit = (colour: Colour, light: number): Colour => [
  Math.min(255, colour[0] * light),
  Math.min(255, colour[1] * light),
  Math.min(255, colour[2] * light),
];

export const raised = (ring: readonly Point[], z: number): Spot[] =>
  ring.map(([x, y]) => [x, y, z]);

/** Draws what stands in a city. */
export class Pen {
  readonly context: Context;
  readonly view: View;
  /** Of everything that is drawn from now on. */
  alpha = 1;

  constructor(context: Context, view: View) {
    this.context = context;
    this.view = view;
  }

  pixels(spots: readonly Spot[]): Pixel[] {
    return spots.map((spot) => this.view.pixel(spot));
  }

  trace(pixels: readonly Pixel[], isClosed = true): void {
    const { context } = this;
    context.beginPath();
    pixels.forEach(([x, y], i) => {
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    });
    if (isClosed) context.closePath();
  }

  fill(spots: readonly Spot[], colour: Colour, alpha = this.alpha): void {
    this.trace(this.pixels(spots));
    this.context.fillStyle = cssOf(colour, alpha);
    this.context.fill();
  }

  /** An area of the ground. */
  area(ring: readonly Point[], colour: Colour, alpha = this.alpha): void {
    this.fill(raised(ring, 0), colour, alpha);
  }

  /** A strip of the ground along a line. */
  band(line: readonly Point[], widthM: number, colour: Colour, alpha = this.alpha): void {
    this.area(stripOf(line, widthM), colour, alpha);
  }

  /** A flat face with its corners in a ring, counter-clockwise as seen from outside; unseen ones are left out. */
  face(corners: readonly Spot[], colour: Colour): boolean {
    const normal = normalOf(corners);
    if (!this.view.faces(normal)) return false;
    const shade = cssOf(lit(colour, this.view.light(normal)), this.alpha);
    this.trace(this.pixels(corners));
    this.context.fillStyle = shade;
    this.context.fill();
    if (this.alpha < 1) return true;
    // Closes the hairline that smooth edges leave between two faces.
    this.context.strokeStyle = shade;
    this.context.lineWidth = 0.8;
    this.context.stroke();
    return true;
  }

  /** Faces between two rings with the same number of corners, and the upper one as a lid. */
  loft(low: readonly Spot[], high: readonly Spot[], walls: Colour, lid = walls): void {
    const faces = low.map((corner, i): [depthM: number, face: Spot[]] => {
      const next = (i + 1) % low.length;
      const other = at(low, next);
      const middle: Point = [(corner[0] + other[0]) / 2, (corner[1] + other[1]) / 2];
      return [this.view.depth(middle), [corner, other, at(high, next), at(high, i)]];
    });
    faces.sort(([a], [b]) => b - a);
    for (const [, face] of faces) this.face(face, walls);
    this.face(high, lid);
  }
}

/** Unit normal of a ring of corners, by Newell's method. */
function normalOf(corners: readonly Spot[]): Spot {
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
