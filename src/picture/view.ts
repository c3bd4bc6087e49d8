import type { Point } from '../city/types.ts';

/** A place: metres east, north and above the ground. */
export type Spot = readonly [x: number, y: number, z: number];

/** A place on the picture, px. */
export type Pixel = readonly [x: number, y: number];

interface Pose {
  /** What is shown at `at`. */
  middle: Point;
  at: Pixel;
  /** The direction that is up on the picture, rad. */
  bearing: number;
  /** Pixels of a metre across the picture. */
  scale: number;
}

/** From straight above, rad. */
const TILT = 0.72;
const CT = Math.cos(TILT);
const ST = Math.sin(TILT);
/** Metres of shadow per metre of height. */
const SHADOW_RIGHT = 0.42;
const SHADOW_AHEAD = 0.2;

/** The city as it is seen from a great distance: parallel lines stay parallel. */
export class View {
  readonly scale: number;
  readonly #pose: Pose;
  readonly #sin: number;
  readonly #cos: number;

  constructor(pose: Pose) {
    this.scale = pose.scale;
    this.#pose = pose;
    this.#sin = Math.sin(pose.bearing);
    this.#cos = Math.cos(pose.bearing);
  }

  pixel([x, y, z]: Spot): Pixel {
    const { middle, at, scale } = this.#pose;
    const [dx, dy] = [x - middle[0], y - middle[1]];
    const right = dx * this.#sin - dy * this.#cos;
    const ahead = dx * this.#cos + dy * this.#sin;
    return [at[0] + right * scale, at[1] - (ahead * CT + z * ST) * scale];
  }

  /** How far behind the middle a place is, m. */
  depth([x, y]: Point): number {
    const { middle } = this.#pose;
    return (x - middle[0]) * this.#cos + (y - middle[1]) * this.#sin;
  }

  /** Brightness of a face by its unit normal, 0 to 1; the sun is behind the beholder, on the left. */
  light([nx, ny, nz]: Spot): number {
    const right = nx * this.#sin - ny * this.#cos;
    const ahead = nx * this.#cos + ny * this.#sin;
    return 0.66 + 0.36 * Math.max(0, -0.62 * right - 0.38 * ahead + 0.68 * nz);
  }

  /** Where the shadow of a place falls. */
  shadow([x, y, z]: Spot): Point {
    const [right, ahead] = [SHADOW_RIGHT * z, SHADOW_AHEAD * z];
    return [x + right * this.#sin + ahead * this.#cos, y - right * this.#cos + ahead * this.#sin];
  }

  /** Where the line from a place on the ground to the beholder has this height. */
  before([x, y]: Point, z: number): Point {
    const nearer = (z * ST) / CT;
    return [x - nearer * this.#cos, y - nearer * this.#sin];
  }

  /** Whether a face with this normal is seen. */
  faces([nx, ny, nz]: Spot): boolean {
    return nz * CT - (nx * this.#cos + ny * this.#sin) * ST > 0;
  }
}
