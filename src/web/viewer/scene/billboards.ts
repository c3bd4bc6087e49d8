import {
  DynamicDrawUsage,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  type ShaderMaterialParameters,
} from 'three';
import type { Atlas } from './atlas.ts';
import type { Tint } from './decals.ts';
import { type Glyph, type Glyphs, PICTURE, widthOf } from './glyphs.ts';
import { type Shared, shaderMaterial } from './materials.ts';

/** What the size of a sign means. */
export const MODE = {
  /** CSS pixels, facing the viewer. */
  screen: 0,
  /** Metres on the ground along a direction; from far away larger, so that it can be read. */
  ground: 1,
  /** Metres, facing the viewer, but never smaller than some pixels. */
  world: 2,
} as const;

export type Mode = (typeof MODE)[keyof typeof MODE];

const VERTEX = /* glsl */ `
attribute vec4 anchor;
attribute vec4 box;
attribute vec4 uvs;
attribute vec3 look;
attribute vec4 fill;
attribute vec4 halo;
varying vec2 at;
varying vec4 inner;
varying vec4 outer;
const float LINE_PX = 12.0;
const float LINE_MIN_PX = 6.0;
void main() {
  vec2 corner = position.xy * 0.5 + 0.5;
  at = mix(uvs.xy, uvs.zw, vec2(corner.x, 1.0 - corner.y));
  inner = fill;
  outer = halo;
  vec2 offset = box.xy + corner * box.zw;
  if (look.x < 0.5) {
    gl_Position = projectionMatrix * viewMatrix * vec4(anchor.xyz, 1.0);
    gl_Position.xy += offset * 2.0 * ratio / buffer * gl_Position.w;
  } else if (look.x < 1.5) {
    vec2 along = vec2(cos(look.y), sin(look.y));
    float across = dot(along, right.xy);
    // What runs up or down the screen is read upwards, whichever way its street was drawn.
    float turned = (abs(across) < 0.05 ? dot(along, vec2(-right.y, right.x)) : across) < 0.0 ? -1.0 : 1.0;
    float line = clamp(LINE_PX * perPixel, look.z, look.z * 9.0);
    vec2 world = anchor.xy + turned * line * (offset.x * along + offset.y * vec2(-along.y, along.x));
    float shown = smoothstep(LINE_MIN_PX, LINE_MIN_PX + 3.0, line / perPixel);
    // A name longer than its street would lie over the houses.
    float room = 1.0 - smoothstep(0.9, 1.1, line / anchor.z);
    inner.a *= shown * room;
    outer.a *= shown * room;
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 0.0, 1.0);
  } else {
    vec4 seen = viewMatrix * vec4(anchor.xyz, 1.0);
    float least = look.z * ratio * -seen.z * 2.0 / (projectionMatrix[1][1] * buffer.y);
    seen.xy += (corner - 0.5) * max(box.zw, vec2(least));
    gl_Position = projectionMatrix * seen;
  }
}`;

const FRAGMENT = /* glsl */ `
uniform sampler2D atlas;
varying vec2 at;
varying vec4 inner;
varying vec4 outer;
void main() {
  vec2 ink = texture2D(atlas, at).rg;
  float own = ink.r * inner.a;
  float around = ink.g * outer.a;
  float alpha = max(own, around);
  if (alpha < 0.02) discard;
  gl_FragColor = vec4(mix(outer.rgb, inner.rgb, own / max(alpha, 0.001) * ink.r), alpha);
}`;

/** Of capital letters, above the foot of their cell, in heights of a line. */
const MIDDLE = 0.74;

export interface Ink {
  fill: Tint;
  halo: Tint;
  fillAlpha: number;
  haloAlpha: number;
}

/** Letters and pictures, all in one go. */
export class Billboards {
  readonly object: Mesh;
  readonly #atlas: Atlas;
  readonly #geometry = new InstancedBufferGeometry();
  readonly #anchors: InstancedBufferAttribute;
  readonly #boxes: InstancedBufferAttribute;
  readonly #uvs: InstancedBufferAttribute;
  readonly #looks: InstancedBufferAttribute;
  readonly #fills: InstancedBufferAttribute;
  readonly #halos: InstancedBufferAttribute;
  readonly #capacity: number;
  #count = 0;

  constructor(
    shared: Shared,
    atlas: Atlas,
    capacity: number,
    order: number,
    how: ShaderMaterialParameters,
  ) {
    this.#atlas = atlas;
    this.#capacity = capacity;
    const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
    this.#geometry.setAttribute('position', new Float32BufferAttribute(corners, 3));
    this.#geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.#anchors = this.#attribute('anchor', 4);
    this.#boxes = this.#attribute('box', 4);
    this.#uvs = this.#attribute('uvs', 4);
    this.#looks = this.#attribute('look', 3);
    this.#fills = this.#attribute('fill', 4);
    this.#halos = this.#attribute('halo', 4);
    const material = shaderMaterial(shared, VERTEX, FRAGMENT, {
      ...how,
      uniforms: { atlas: { value: atlas.texture } },
    });
    this.object = new Mesh(this.#geometry, material);
    this.object.renderOrder = order;
    this.object.frustumCulled = false;
    this.object.matrixAutoUpdate = false;
    this.object.visible = false;
  }

  #attribute(name: string, size: number): InstancedBufferAttribute {
    const made = new InstancedBufferAttribute(new Float32Array(size * this.#capacity), size);
    made.setUsage(DynamicDrawUsage);
    this.#geometry.setAttribute(name, made);
    return made;
  }

  get glyphs(): Glyphs {
    return this.#atlas.glyphs;
  }

  clear(): void {
    this.#count = 0;
  }

  /** A text in the middle above its anchor, so many CSS pixels high. */
  write(text: string, x: number, y: number, z: number, risePx: number, linePx: number, ink: Ink) {
    let left = -0.5 * widthOf(text, this.#atlas.glyphs) * linePx;
    for (let i = 0; i < text.length; i++) {
      const glyph = this.#atlas.glyphs.get(text.charAt(i));
      if (!glyph) continue;
      const low = risePx - MIDDLE * linePx;
      this.#put(glyph, x, y, z, left, low, linePx, MODE.screen, 0, 0, ink);
      left += glyph.advance * linePx;
    }
  }

  /** A text along a direction on the ground; it is shown where it is shorter than the room for it. */
  lay(text: string, x: number, y: number, heading: number, lineM: number, roomM: number, ink: Ink) {
    const width = widthOf(text, this.#atlas.glyphs);
    let left = -0.5 * width;
    for (let i = 0; i < text.length; i++) {
      const glyph = this.#atlas.glyphs.get(text.charAt(i));
      if (!glyph) continue;
      const longest = roomM / Math.max(0.1, width);
      this.#put(glyph, x, y, longest, left, -MIDDLE, 1, MODE.ground, heading, lineM, ink);
      left += glyph.advance;
    }
  }

  /** A picture of some CSS pixels above its anchor. */
  stick(
    picture: string,
    x: number,
    y: number,
    z: number,
    risePx: number,
    sizePx: number,
    ink: Ink,
  ) {
    const glyph = this.#atlas.glyphs.get(picture);
    if (!glyph) return;
    const half = -0.5 * sizePx;
    this.#put(glyph, x, y, z, half, risePx + half, sizePx, MODE.screen, 0, 0, ink);
  }

  /** A bar with round ends, behind a text: half its length is that of the straight part. */
  pill(
    x: number,
    y: number,
    z: number,
    risePx: number,
    widthPx: number,
    heightPx: number,
    ink: Ink,
  ) {
    const glyph = this.#atlas.glyphs.get(PICTURE.pill);
    if (!glyph) return;
    const middle = (glyph.u0 + glyph.u1) / 2;
    const low = risePx - heightPx / 2;
    const half = heightPx / 2;
    const straight = Math.max(0, widthPx - heightPx) / 2;
    const { u0, v0, u1, v1 } = glyph;
    const inner = -straight;
    const outer = inner - half;
    this.#raw(u0, v0, middle, v1, x, y, z, outer, low, half, heightPx, MODE.screen, 0, 0, ink);
    const bar = 2 * straight;
    this.#raw(middle, v0, middle, v1, x, y, z, inner, low, bar, heightPx, MODE.screen, 0, 0, ink);
    this.#raw(middle, v0, u1, v1, x, y, z, straight, low, half, heightPx, MODE.screen, 0, 0, ink);
  }

  /** A picture of some metres around its anchor, at least so many pixels large. */
  float(
    picture: string,
    x: number,
    y: number,
    z: number,
    sizeM: number,
    leastPx: number,
    ink: Ink,
  ) {
    const glyph = this.#atlas.glyphs.get(picture);
    if (!glyph) return;
    this.#put(glyph, x, y, z, 0, 0, sizeM, MODE.world, 0, leastPx, ink);
  }

  #put(
    glyph: Glyph,
    x: number,
    y: number,
    z: number,
    left: number,
    low: number,
    line: number,
    mode: Mode,
    angle: number,
    least: number,
    ink: Ink,
  ): void {
    const { u0, v0, u1, v1, width, height } = glyph;
    this.#raw(
      u0,
      v0,
      u1,
      v1,
      x,
      y,
      z,
      left,
      low,
      width * line,
      height * line,
      mode,
      angle,
      least,
      ink,
    );
  }

  #raw(
    u0: number,
    v0: number,
    u1: number,
    v1: number,
    x: number,
    y: number,
    z: number,
    left: number,
    low: number,
    width: number,
    height: number,
    mode: Mode,
    angle: number,
    least: number,
    ink: Ink,
  ): void {
    if (this.#count >= this.#capacity) return;
    const i = this.#count++;
    set4(this.#anchors.array, i, x, y, z, 0);
    set4(this.#boxes.array, i, left, low, width, height);
    set4(this.#uvs.array, i, u0, v0, u1, v1);
    const looks = this.#looks.array;
    looks[3 * i] = mode;
    looks[3 * i + 1] = angle;
    looks[3 * i + 2] = least;
    set4(this.#fills.array, i, ink.fill[0], ink.fill[1], ink.fill[2], ink.fillAlpha);
    set4(this.#halos.array, i, ink.halo[0], ink.halo[1], ink.halo[2], ink.haloAlpha);
  }

  flush(): void {
    this.#geometry.instanceCount = this.#count;
    this.object.visible = this.#count > 0;
    if (this.#count === 0) return;
    this.#anchors.needsUpdate = true;
    this.#boxes.needsUpdate = true;
    this.#uvs.needsUpdate = true;
    this.#looks.needsUpdate = true;
    this.#fills.needsUpdate = true;
    this.#halos.needsUpdate = true;
  }
}

type Numbers = InstancedBufferAttribute['array'];

function set4(array: Numbers, i: number, a: number, b: number, c: number, d: number): void {
  array[4 * i] = a;
  array[4 * i + 1] = b;
  array[4 * i + 2] = c;
  array[4 * i + 3] = d;
}
