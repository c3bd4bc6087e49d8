import type { ShaderMaterialParameters } from 'three';
import type { Pose } from '../api/types.ts';
import type { Atlas } from './atlas.ts';
import { type Glyph, type Glyphs, glyphOf, PICTURE, widthOf } from './glyphs.ts';
import { type Shared, shaderMaterial } from './materials.ts';
import type { Spot } from './mesh-builder.ts';
import type { Tint } from './palette.ts';
import { QuadBatch } from './quad-batch.ts';

/** How a sign is sized, as the shader numbers it. */
const MODE = {
  /** CSS pixels, facing the viewer. */
  screen: 0,
  /** Metres on the ground along a heading; far away larger, so that it stays legible. */
  ground: 1,
  /** Metres, facing the viewer, with a minimum in CSS pixels. */
  world: 2,
} as const;

type Mode = (typeof MODE)[keyof typeof MODE];

const VERTEX = /* glsl */ `
attribute vec4 anchor;
attribute vec4 box;
attribute vec4 uvs;
attribute vec3 look;
attribute vec4 fill;
attribute vec4 halo;
varying vec2 texel;
varying vec4 inner;
varying vec4 outer;
const float LINE_PX = 12.0;
const float LINE_MIN_PX = 6.0;
void main() {
  vec2 corner = position.xy * 0.5 + 0.5;
  texel = mix(uvs.xy, uvs.zw, vec2(corner.x, 1.0 - corner.y));
  inner = fill;
  outer = halo;
  vec2 offset = box.xy + corner * box.zw;
  if (look.x < 0.5) {
    gl_Position = projectionMatrix * viewMatrix * vec4(anchor.xyz, 1.0);
    gl_Position.xy += offset * 2.0 * ratio / buffer * gl_Position.w;
  } else if (look.x < 1.5) {
    vec2 along = vec2(cos(look.y), sin(look.y));
    float across = dot(along, right.xy);
    // Text that runs up or down the screen is always read upwards.
    float turned = (abs(across) < 0.05 ? dot(along, vec2(-right.y, right.x)) : across) < 0.0 ? -1.0 : 1.0;
    float line = clamp(LINE_PX * perPixel, look.z, look.z * 9.0);
    vec2 world = anchor.xy + turned * line * (offset.x * along + offset.y * vec2(-along.y, along.x));
    float shown = smoothstep(LINE_MIN_PX, LINE_MIN_PX + 3.0, line / perPixel);
    // A name that is longer than its street would lie over the houses.
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
varying vec2 texel;
varying vec4 inner;
varying vec4 outer;
void main() {
  vec2 ink = texture2D(atlas, texel).rg;
  float own = ink.r * inner.a;
  float around = ink.g * outer.a;
  float alpha = max(own, around);
  if (alpha < 0.02) discard;
  gl_FragColor = vec4(mix(outer.rgb, inner.rgb, own / max(alpha, 0.001) * ink.r), alpha);
}`;

/** Height of the middle of capital letters above the foot of their cell, in heights of a line. */
const MIDDLE = 0.74;
const LINE_PX = 13;
const PADDING_PX = { across: 18, above: 10 } as const;

/** Colours of a sign and of the halo around it. */
export interface SignStyle {
  fill: Tint;
  halo: Tint;
  fillAlpha: number;
  haloAlpha: number;
}

export const signStyle = (fill: Tint, halo: Tint, haloAlpha = 1, fillAlpha = 1): SignStyle => ({
  fill,
  halo,
  fillAlpha,
  haloAlpha,
});

/** Styles of a text and of the bar behind it. */
export interface PillStyle {
  text: SignStyle;
  bar: SignStyle;
}

/** The heading is for signs on the ground; `least` is a height in metres there, else CSS pixels. */
type Sizing = readonly [mode: Mode, heading: number, least: number];

const ON_SCREEN: Sizing = [MODE.screen, 0, 0];

/** Letters and pictures. Their anchors are in metres. */
export class Billboards extends QuadBatch {
  readonly #glyphs: Glyphs;
  readonly #anchors = this.attribute('anchor', 4);
  readonly #boxes = this.attribute('box', 4);
  readonly #uvs = this.attribute('uvs', 4);
  readonly #looks = this.attribute('look', 3);
  readonly #fills = this.attribute('fill', 4);
  readonly #halos = this.attribute('halo', 4);
  readonly #pill: readonly [left: Glyph, middle: Glyph, right: Glyph];

  constructor(
    shared: Shared,
    { texture, glyphs }: Atlas,
    capacity: number,
    order: number,
    parameters: ShaderMaterialParameters,
  ) {
    const uniforms = { atlas: { value: texture } };
    const material = shaderMaterial(shared, VERTEX, FRAGMENT, { ...parameters, uniforms });
    super(material, capacity, order);
    this.#glyphs = glyphs;
    const pill = glyphOf(glyphs, PICTURE.pill);
    const middle = (pill.u0 + pill.u1) / 2;
    this.#pill = [
      { ...pill, u1: middle },
      { ...pill, u0: middle, u1: middle },
      { ...pill, u0: middle },
    ];
  }

  /** A text on a bar with round ends, both with their middle `risePx` above the anchor. */
  addPillText(text: string, spot: Spot, risePx: number, style: PillStyle, linePx = LINE_PX): void {
    const scale = linePx / LINE_PX;
    const widthPx = widthOf(text, this.#glyphs) * linePx + PADDING_PX.across * scale;
    this.#addPill(spot, risePx, widthPx, linePx + PADDING_PX.above * scale, style.bar);
    this.#addText(text, spot, risePx - MIDDLE * linePx, linePx, ON_SCREEN, style.text);
  }

  /** A text along a heading on the ground, shown while it is shorter than `roomM`. */
  addGroundText(text: string, place: Pose, lineM: number, roomM: number, style: SignStyle): void {
    const lineMaxM = roomM / Math.max(0.1, widthOf(text, this.#glyphs));
    const sizing: Sizing = [MODE.ground, place.heading, lineM];
    this.#addText(text, [place.x, place.y, lineMaxM], -MIDDLE, 1, sizing, style);
  }

  /** A picture, its middle `risePx` above the anchor. */
  addIcon(picture: string, spot: Spot, risePx: number, sizePx: number, style: SignStyle): void {
    const half = sizePx / 2;
    const glyph = glyphOf(this.#glyphs, picture);
    this.#add(glyph, spot, -half, risePx - half, sizePx, sizePx, ON_SCREEN, style);
  }

  /** A picture around the anchor, at least `minPx` large. */
  addSprite(picture: string, spot: Spot, sizeM: number, minPx: number, style: SignStyle): void {
    const glyph = glyphOf(this.#glyphs, picture);
    this.#add(glyph, spot, 0, 0, sizeM, sizeM, [MODE.world, 0, minPx], style);
  }

  #addPill(spot: Spot, risePx: number, widthPx: number, heightPx: number, style: SignStyle): void {
    const low = risePx - heightPx / 2;
    const end = heightPx / 2;
    const bar = Math.max(0, widthPx - heightPx);
    const [left, middle, right] = this.#pill;
    const inner = -bar / 2;
    this.#add(left, spot, inner - end, low, end, heightPx, ON_SCREEN, style);
    this.#add(middle, spot, inner, low, bar, heightPx, ON_SCREEN, style);
    this.#add(right, spot, bar / 2, low, end, heightPx, ON_SCREEN, style);
  }

  /** Adds letters around the anchor; `low` and `line`, the height of a line, have the same unit. */
  #addText(
    text: string,
    spot: Spot,
    low: number,
    line: number,
    sizing: Sizing,
    style: SignStyle,
  ): void {
    let left = -0.5 * line * widthOf(text, this.#glyphs);
    for (let i = 0; i < text.length; i++) {
      const glyph = this.#glyphs.get(text.charAt(i));
      if (!glyph) continue;
      this.#add(glyph, spot, left, low, glyph.width * line, glyph.height * line, sizing, style);
      left += glyph.advance * line;
    }
  }

  #add(
    { u0, v0, u1, v1 }: Glyph,
    [x, y, z]: Spot,
    left: number,
    low: number,
    width: number,
    height: number,
    sizing: Sizing,
    { fill, halo, fillAlpha, haloAlpha }: SignStyle,
  ): void {
    const i = this.next();
    if (i < 0) return;
    this.#anchors.setXYZW(i, x, y, z, 0);
    this.#boxes.setXYZW(i, left, low, width, height);
    this.#uvs.setXYZW(i, u0, v0, u1, v1);
    this.#looks.setXYZ(i, ...sizing);
    this.#fills.setXYZW(i, ...fill, fillAlpha);
    this.#halos.setXYZW(i, ...halo, haloAlpha);
  }
}
