import type { Pose } from '../api/types.ts';
import { ON_GROUND, type Shared, shaderMaterial } from './materials.ts';
import type { Tint } from './palette.ts';
import { QuadBatch } from './quad-batch.ts';

/** Shapes on the ground, as the shader numbers them. */
export const SHAPE = {
  /** A soft shadow. */
  shadow: 0,
  glow: 1,
  ring: 2,
  /** Light of headlamps, from its rear edge ahead. */
  beam: 3,
  bar: 4,
  dashedRing: 5,
  disc: 6,
  /** The edge of a rectangle. */
  outline: 7,
} as const;

type Shape = (typeof SHAPE)[keyof typeof SHAPE];

const VERTEX = /* glsl */ `
attribute vec4 place;
attribute vec3 extent;
attribute vec4 tint;
varying vec2 local;
varying vec2 size;
varying float shape;
varying vec4 tone;
void main() {
  local = position.xy;
  size = extent.xy;
  shape = extent.z;
  tone = tint;
  vec2 metres = local * extent.xy;
  vec2 world = place.xy + metres.x * place.zw + metres.y * vec2(-place.w, place.z);
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 0.0, 1.0);
}`;

const FRAGMENT = /* glsl */ `
varying vec2 local;
varying vec2 size;
varying float shape;
varying vec4 tone;
void main() {
  float far = length(local);
  float fine = fwidth(far) * 1.2;
  float alpha = 1.0;
  if (shape < 0.5) {
    vec2 edge = 1.0 - smoothstep(vec2(0.55), vec2(1.0), abs(local));
    alpha = edge.x * edge.y;
  } else if (shape < 1.5) {
    alpha = max(0.0, 1.0 - far);
    alpha *= alpha;
  } else if (shape < 2.5) {
    float hollow = 1.0 - clamp(max(0.28, 3.0 * perPixel) / size.x, 0.04, 0.4);
    alpha = smoothstep(hollow - fine, hollow, far) * (1.0 - smoothstep(1.0 - fine, 1.0, far));
    alpha += 0.16 * (1.0 - step(hollow, far));
  } else if (shape < 3.5) {
    float ahead = 0.5 * (local.x + 1.0);
    float aside = abs(local.y) / (0.3 + 0.7 * ahead);
    alpha = smoothstep(0.0, 0.06, ahead) * (1.0 - ahead) * (1.0 - smoothstep(0.5, 1.0, aside));
  } else if (shape > 4.5 && shape < 5.5) {
    float turn = fract(atan(local.y, local.x) * 3.8197);
    alpha = step(turn, 0.6) * smoothstep(0.95 - fine, 0.95, far) * (1.0 - smoothstep(1.0 - fine, 1.0, far));
    alpha += 0.1 * (1.0 - step(0.95, far));
  } else if (shape > 6.5) {
    vec2 inside = (1.0 - abs(local)) * size;
    float edge = min(inside.x, inside.y);
    float width = max(0.22, 2.5 * perPixel);
    alpha = 1.0 - smoothstep(width, width + perPixel, edge) + 0.25 * step(width, edge);
  } else if (shape > 5.5) {
    alpha = 1.0 - smoothstep(1.0 - 2.0 * fine, 1.0, far);
  }
  gl_FragColor = vec4(tone.rgb, tone.a * alpha);
}`;

/** Shapes on the ground, in the order in which they were added. */
export class Decals extends QuadBatch {
  readonly #places = this.attribute('place', 4);
  readonly #extents = this.attribute('extent', 3);
  readonly #tints = this.attribute('tint', 4);

  constructor(shared: Shared, capacity: number, order: number) {
    super(shaderMaterial(shared, VERTEX, FRAGMENT, ON_GROUND), capacity, order);
  }

  /** Half length along the heading and half width across it, m. */
  add(shape: Shape, place: Pose, halfLength: number, halfWidth: number, tint: Tint, alpha: number) {
    const i = this.next();
    if (i < 0) return;
    const { x, y, heading } = place;
    this.#places.setXYZW(i, x, y, Math.cos(heading), Math.sin(heading));
    this.#extents.setXYZ(i, halfLength, halfWidth, shape);
    this.#tints.setXYZW(i, ...tint, alpha);
  }
}
