import { type BufferGeometry, DoubleSide, Float32BufferAttribute, Group, Mesh } from 'three';
import type { MapZone } from '../api/types.ts';
import { fixed, geometryOf } from './geometry.ts';
import { at } from './lines.ts';
import { ON_GROUND, type Shared, shaderMaterial } from './materials.ts';
import { MeshBuilder } from './mesh-builder.ts';

/** As the shader numbers them. */
const KINDS: Readonly<Record<string, number>> = { ice: 0, wet: 1, fog: 2, dusk: 3 };
const BORDER_M = 0.4;
/** Sheets of fog above the ground, m. */
const SHEETS_M = [0.8, 1.7, 2.7, 3.8, 5] as const;

const VERTEX = /* glsl */ `
attribute vec2 zone;
varying vec2 spot;
varying vec2 kind;
varying float depth;
void main() {
  spot = position.xy;
  kind = zone;
  vec4 seen = viewMatrix * vec4(position, 1.0);
  depth = -seen.z;
  gl_Position = projectionMatrix * seen;
}`;

const PATTERN = /* glsl */ `
varying vec2 spot;
varying vec2 kind;
varying float depth;
float band(float across, float wide) {
  float blur = fwidth(across);
  float near = abs(fract(across) - 0.5);
  return mix(1.0 - smoothstep(wide - blur, wide + blur, near), 2.0 * wide, smoothstep(0.3, 0.8, blur));
}
float noise(vec2 p) {
  return 0.5 + 0.25 * (sin(p.x * 0.31 + timeS * 0.21) + sin(p.y * 0.27 - p.x * 0.11 - timeS * 0.17));
}
void main() {
  vec4 shown;
  if (kind.x < 0.5) {
    float a = band(dot(spot, vec2(0.34, 0.1)), 0.035);
    float b = band(dot(spot, vec2(-0.12, 0.37)), 0.035);
    float c = band(dot(spot, vec2(0.24, -0.29)), 0.035);
    float crack = max(a, max(b, c));
    shown = mix(vec4(0.62, 0.87, 1.0, 0.72), vec4(1.0, 1.0, 1.0, 0.95), crack);
  } else if (kind.x < 1.5) {
    float wave = band(spot.y * 0.5 + 0.12 * sin(spot.x * 1.1), 0.07);
    float gaps = step(0.35, fract(spot.x * 0.13 + floor(spot.y * 0.5 + 0.12 * sin(spot.x * 1.1)) * 0.37));
    shown = mix(vec4(0.1, 0.28, 0.56, 0.46), vec4(0.66, 0.84, 1.0, 0.62), wave * gaps);
  } else if (kind.x < 2.5) {
    float stripe = band(dot(spot, vec2(0.11, 0.11)), 0.25);
    shown = mix(vec4(0.93, 0.95, 0.97, 0.34), vec4(1.0, 1.0, 1.0, 0.62), stripe);
    shown.rgb *= mix(1.0, 0.66, night);
  } else {
    vec2 cell = fract(spot * 0.36) - 0.5;
    float star = 1.0 - smoothstep(0.07, 0.1 + fwidth(spot.x) * 0.3, length(cell));
    shown = mix(vec4(0.13, 0.09, 0.32, mix(0.46, 0.62, night)), vec4(0.8, 0.74, 1.0, 0.5), star * 0.8);
  }
  vec3 rim = kind.x < 0.5 ? vec3(0.15, 0.6, 0.92) : kind.x < 1.5 ? vec3(0.1, 0.35, 0.8)
    : kind.x < 2.5 ? vec3(0.62, 0.66, 0.72) : vec3(0.36, 0.24, 0.72);
  shown = kind.y > 0.5 ? vec4(rim, 0.9 * band((spot.x + spot.y) * 0.35, 0.3)) : shown;
  gl_FragColor = shown;
}`;

const FOG = /* glsl */ `
varying vec2 spot;
varying vec2 kind;
varying float depth;
void main() {
  float drift = 0.5 + 0.25 * (sin(spot.x * 0.21 + timeS * 0.3 + kind.x) + sin(spot.y * 0.19 - timeS * 0.23 + 2.0 * kind.x));
  vec3 tone = mix(vec3(0.95, 0.97, 0.98), vec3(0.55, 0.6, 0.66), night);
  gl_FragColor = vec4(tone, 0.1 + 0.2 * drift);
}`;

/** Ice, wet road, fog and dusk: patterns on the ground, and sheets of fog above it. */
export function zonesObject(shared: Shared, zones: readonly MapZone[], order: number): Group {
  const group = new Group();
  const pattern = shaderMaterial(shared, VERTEX, PATTERN, ON_GROUND);
  group.add(fixed(new Mesh(floorOf(zones), pattern), order));
  const banks = zones.filter(({ kind }) => kind === 'fog');
  if (banks.length === 0) return group;
  const parameters = { transparent: true, depthWrite: false, side: DoubleSide };
  const fog = shaderMaterial(shared, VERTEX, FOG, parameters);
  group.add(fixed(new Mesh(sheetsOf(banks), fog), 1));
  return group;
}

/** A page may be older than its node: zones of a kind that it does not know are not drawn. */
export function floorOf(zones: readonly MapZone[]): BufferGeometry {
  const mesh = new MeshBuilder();
  const marks: number[] = [];
  const mark = (kind: number, isRim: 0 | 1) => {
    while (marks.length < 2 * mesh.count) marks.push(kind, isRim);
  };
  for (const { kind, polygon } of zones) {
    const number = KINDS[kind];
    if (number === undefined) continue;
    mesh.area(polygon, 'ground');
    mark(number, 0);
    mesh.band([...polygon, at(polygon, 0)], 0, BORDER_M, 'ground');
    mark(number, 1);
  }
  return marked(mesh, marks);
}

/** Sheets from the lowest to the highest: seen from above, they blend in this order. */
function sheetsOf(banks: readonly MapZone[]): BufferGeometry {
  const mesh = new MeshBuilder();
  const marks: number[] = [];
  for (const [i, z] of SHEETS_M.entries()) {
    for (const { polygon } of banks) mesh.area(polygon, 'ground', z);
    while (marks.length < 2 * mesh.count) marks.push(i, 0);
  }
  return marked(mesh, marks);
}

function marked(mesh: MeshBuilder, marks: readonly number[]): BufferGeometry {
  const geometry = geometryOf(mesh);
  geometry.setAttribute('zone', new Float32BufferAttribute(marks, 2));
  return geometry;
}
