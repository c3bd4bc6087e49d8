import {
  DynamicDrawUsage,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
} from 'three';
import { ON_GROUND, type Shared, shaderMaterial } from './materials.ts';

/** Shapes that lie on the ground. */
export const SHAPE = {
  /** A soft shadow. */
  shadow: 0,
  glow: 1,
  ring: 2,
  /** Light of headlamps: from its rear edge ahead. */
  beam: 3,
  bar: 4,
  dashedRing: 5,
  disc: 6,
} as const;

export type Shape = (typeof SHAPE)[keyof typeof SHAPE];

const VERTEX = /* glsl */ `
attribute vec4 place;
attribute vec3 extent;
attribute vec4 tint;
varying vec2 at;
varying vec2 size;
varying float shape;
varying vec4 tone;
void main() {
  at = position.xy;
  size = extent.xy;
  shape = extent.z;
  tone = tint;
  vec2 local = at * extent.xy;
  vec2 world = place.xy + local.x * place.zw + local.y * vec2(-place.w, place.z);
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 0.0, 1.0);
}`;

const FRAGMENT = /* glsl */ `
varying vec2 at;
varying vec2 size;
varying float shape;
varying vec4 tone;
void main() {
  float far = length(at);
  float fine = fwidth(far) * 1.2;
  float alpha = 1.0;
  if (shape < 0.5) {
    vec2 edge = 1.0 - smoothstep(vec2(0.55), vec2(1.0), abs(at));
    alpha = edge.x * edge.y;
  } else if (shape < 1.5) {
    alpha = max(0.0, 1.0 - far);
    alpha *= alpha;
  } else if (shape < 2.5) {
    float hollow = 1.0 - clamp(max(0.28, 3.0 * perPixel) / size.x, 0.04, 0.4);
    alpha = smoothstep(hollow - fine, hollow, far) * (1.0 - smoothstep(1.0 - fine, 1.0, far));
    alpha += 0.16 * (1.0 - step(hollow, far));
  } else if (shape < 3.5) {
    float ahead = 0.5 * (at.x + 1.0);
    float aside = abs(at.y) / (0.3 + 0.7 * ahead);
    alpha = smoothstep(0.0, 0.06, ahead) * (1.0 - ahead) * (1.0 - smoothstep(0.5, 1.0, aside));
  } else if (shape > 4.5 && shape < 5.5) {
    float turn = fract(atan(at.y, at.x) * 3.8197);
    alpha = step(turn, 0.6) * smoothstep(0.95 - fine, 0.95, far) * (1.0 - smoothstep(1.0 - fine, 1.0, far));
    alpha += 0.1 * (1.0 - step(0.95, far));
  } else if (shape > 5.5) {
    alpha = 1.0 - smoothstep(1.0 - 2.0 * fine, 1.0, far);
  }
  gl_FragColor = vec4(tone.rgb, tone.a * alpha);
}`;

export type Tint = readonly [red: number, green: number, blue: number];

/** Shapes on the ground, all in one go, in the order in which they were added. */
export class Decals {
  readonly object: Mesh;
  readonly #geometry = new InstancedBufferGeometry();
  readonly #places: InstancedBufferAttribute;
  readonly #extents: InstancedBufferAttribute;
  readonly #tints: InstancedBufferAttribute;
  readonly #capacity: number;
  #count = 0;

  constructor(shared: Shared, capacity: number, order: number) {
    this.#capacity = capacity;
    const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
    this.#geometry.setAttribute('position', new Float32BufferAttribute(corners, 3));
    this.#geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const attribute = (size: number) => {
      const made = new InstancedBufferAttribute(new Float32Array(size * capacity), size);
      return made.setUsage(DynamicDrawUsage) as InstancedBufferAttribute;
    };
    this.#places = attribute(4);
    this.#extents = attribute(3);
    this.#tints = attribute(4);
    this.#geometry.setAttribute('place', this.#places);
    this.#geometry.setAttribute('extent', this.#extents);
    this.#geometry.setAttribute('tint', this.#tints);
    this.object = new Mesh(this.#geometry, shaderMaterial(shared, VERTEX, FRAGMENT, ON_GROUND));
    this.object.renderOrder = order;
    this.object.frustumCulled = false;
    this.object.matrixAutoUpdate = false;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Half length along the heading and half width across it, m; beyond the capacity nothing is added. */
  add(
    shape: Shape,
    x: number,
    y: number,
    heading: number,
    halfLength: number,
    halfWidth: number,
    tint: Tint,
    alpha: number,
  ): void {
    if (this.#count >= this.#capacity) return;
    const i = this.#count++;
    const places = this.#places.array;
    places[4 * i] = x;
    places[4 * i + 1] = y;
    places[4 * i + 2] = Math.cos(heading);
    places[4 * i + 3] = Math.sin(heading);
    const extents = this.#extents.array;
    extents[3 * i] = halfLength;
    extents[3 * i + 1] = halfWidth;
    extents[3 * i + 2] = shape;
    const tints = this.#tints.array;
    tints[4 * i] = tint[0];
    tints[4 * i + 1] = tint[1];
    tints[4 * i + 2] = tint[2];
    tints[4 * i + 3] = alpha;
  }

  flush(): void {
    this.#geometry.instanceCount = this.#count;
    this.object.visible = this.#count > 0;
    if (this.#count === 0) return;
    this.#places.needsUpdate = true;
    this.#extents.needsUpdate = true;
    this.#tints.needsUpdate = true;
  }

  dispose(): void {
    this.#geometry.dispose();
  }
}
