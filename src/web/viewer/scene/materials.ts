import {
  Color,
  CustomBlending,
  DoubleSide,
  type IUniform,
  KeepStencilOp,
  NotEqualStencilFunc,
  OneFactor,
  OneMinusSrcAlphaFactor,
  ReplaceStencilOp,
  ShaderMaterial,
  type ShaderMaterialParameters,
  SrcAlphaFactor,
  Vector2,
  Vector3,
  Vector4,
} from 'three';

/** Uniforms of all shaders; one object, so that one assignment reaches every material. */
export const createShared = () => ({
  sky: { value: new Color() },
  /** Depths between which the ground fades into the sky, m. */
  haze: { value: new Vector2(1e6, 2e6) },
  /** Size of the drawing buffer, px. */
  buffer: { value: new Vector2(1, 1) },
  /** Metres per CSS pixel at the target. */
  perPixel: { value: 1 },
  /** CSS pixels to pixels of the drawing buffer. */
  ratio: { value: 1 },
  /** World direction to the right of the screen. */
  right: { value: new Vector3(1, 0, 0) },
  timeS: { value: 0 },
  /** 0 in the light theme, 1 in the dark. */
  night: { value: 0 },
  /** Part of their height that houses have: from straight above, high ones would hide the streets. */
  rise: { value: 1 },
  /**
   * Where houses are cut away: middle and radius, px of the buffer; and how far ahead of the origin,
   * along the line of sight, a house must stand to be behind it, m.
   */
  cutaway: { value: new Vector4(0, 0, 0, 0) },
  /** Depths between which houses and trees come into being, m: nearer ones would hide everything. */
  clear: { value: new Vector2(-2, -1) },
});

export type Shared = ReturnType<typeof createShared>;

const SHARED_GLSL = /* glsl */ `
uniform vec3 sky;
uniform vec2 haze;
uniform vec2 buffer;
uniform float perPixel;
uniform float ratio;
uniform vec3 right;
uniform float timeS;
uniform float night;
uniform float rise;
uniform vec4 cutaway;
uniform vec2 clear;
`;

/** Ordered dithering over 4 x 4 pixels: what is cut away fades evenly, without blending. */
const DITHER_GLSL = /* glsl */ `
float half2(vec2 a) { a = floor(a); return fract(0.5 * a.x + 0.75 * a.y * a.y); }
float threshold(vec2 a) { return 0.25 * half2(0.5 * a) + half2(a); }
`;

/**
 * Layers of the ground are drawn in order, without depth, before everything that stands on it. They
 * blend, but are not `transparent`: three.js would draw them after the houses.
 */
export const ON_GROUND = {
  depthTest: false,
  depthWrite: false,
  side: DoubleSide,
  blending: CustomBlending,
  blendSrc: SrcAlphaFactor,
  blendDst: OneMinusSrcAlphaFactor,
  // Keeps the canvas opaque.
  blendSrcAlpha: OneFactor,
  blendDstAlpha: OneMinusSrcAlphaFactor,
} as const satisfies ShaderMaterialParameters;

/** Signs that houses hide, and signs that nothing hides. */
export const BEFORE_HOUSES = { transparent: true, depthWrite: false } as const;
export const ON_TOP = { transparent: true, depthWrite: false, depthTest: false } as const;

export function shaderMaterial(
  shared: Shared,
  vertex: string,
  fragment: string,
  more: ShaderMaterialParameters = {},
): ShaderMaterial {
  const { uniforms, ...rest } = more;
  return new ShaderMaterial({
    vertexShader: SHARED_GLSL + vertex,
    fragmentShader: SHARED_GLSL + fragment,
    uniforms: { ...shared, ...uniforms } as Record<string, IUniform>,
    ...rest,
  });
}

const GROUND_VERTEX = /* glsl */ `
attribute vec3 color;
varying vec3 tone;
varying float depth;
void main() {
  tone = color;
  vec4 seen = viewMatrix * vec4(position, 1.0);
  depth = -seen.z;
  gl_Position = projectionMatrix * seen;
}`;

const GROUND_FRAGMENT = /* glsl */ `
varying vec3 tone;
varying float depth;
void main() {
  gl_FragColor = vec4(mix(tone, sky, smoothstep(haze.x, haze.y, depth)), 1.0);
}`;

export const groundMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(shared, GROUND_VERTEX, GROUND_FRAGMENT, {
    depthTest: false,
    depthWrite: false,
    side: DoubleSide,
  });

/** Trees and posts: their light is part of their colours. */
export const standingMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(shared, GROUND_VERTEX, GROUND_FRAGMENT);

const SHADOW_FRAGMENT = /* glsl */ `
void main() {
  gl_FragColor = vec4(0.05, 0.07, 0.12, mix(0.2, 0.3, night));
}`;

/** The stencil keeps overlapping shadows from darkening the ground twice. */
export const shadowMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(
    shared,
    'void main() { gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0); }',
    SHADOW_FRAGMENT,
    {
      ...ON_GROUND,
      stencilWrite: true,
      stencilRef: 1,
      stencilFunc: NotEqualStencilFunc,
      stencilFail: KeepStencilOp,
      stencilZFail: KeepStencilOp,
      stencilZPass: ReplaceStencilOp,
    },
  );

const HOUSE_VERTEX = /* glsl */ `
attribute vec3 color;
attribute vec3 facade;
varying vec3 tone;
varying vec3 bay;
varying float depth;
varying float ahead;
varying float high;
void main() {
  tone = color;
  bay = facade;
  high = position.z;
  ahead = dot(position.xy, vec2(-right.y, right.x));
  vec4 seen = viewMatrix * vec4(position.xy, position.z * rise, 1.0);
  depth = -seen.z;
  gl_Position = projectionMatrix * seen;
}`;

const HOUSE_FRAGMENT = /* glsl */ `
${DITHER_GLSL}
varying vec3 tone;
varying vec3 bay;
varying float depth;
varying float ahead;
varying float high;
void main() {
  float far = length(gl_FragCoord.xy - cutaway.xy) / max(1.0, cutaway.z);
  float rank = threshold(gl_FragCoord.xy);
  if (ahead < cutaway.w && rank >= smoothstep(0.45, 1.0, far)) discard;
  if (rank >= smoothstep(clear.x, clear.y, depth)) discard;
  // Less light reaches the foot of a wall.
  vec3 shown = tone * mix(0.74, 1.0, smoothstep(0.0, 7.0, high));
  vec2 cell = fract(bay.xy);
  vec2 blur = max(fwidth(bay.xy), 0.001);
  vec2 inside = smoothstep(vec2(0.24, 0.28) - blur, vec2(0.24, 0.28) + blur, cell)
    * (1.0 - smoothstep(vec2(0.76, 0.8) - blur, vec2(0.76, 0.8) + blur, cell));
  float fine = 1.0 - smoothstep(0.25, 0.7, max(blur.x, blur.y));
  float window = bay.z * mix(0.27, inside.x * inside.y, fine);
  vec2 which = floor(bay.xy);
  float chance = fract(sin(dot(which, vec2(12.9898, 78.233))) * 43758.5453);
  vec3 day = mix(vec3(0.42, 0.52, 0.6), vec3(0.56, 0.66, 0.73), chance);
  vec3 dark = chance > 0.66 ? mix(vec3(0.95, 0.74, 0.4), vec3(0.98, 0.84, 0.58), fract(chance * 7.0)) : vec3(0.09, 0.12, 0.17);
  dark = mix(vec3(0.36, 0.31, 0.24), dark, fine);
  shown = mix(shown, mix(day * (0.55 + 0.45 * tone), dark, night), window * mix(0.8, 0.9, night));
  gl_FragColor = vec4(mix(shown, sky, smoothstep(haze.x, haze.y, depth)), 1.0);
}`;

/** Houses with windows; they are cut away in front of what the camera looks at. */
export const houseMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(shared, HOUSE_VERTEX, HOUSE_FRAGMENT);

const SOLID_VERTEX = /* glsl */ `
attribute vec3 color;
attribute float part;
attribute vec3 tint;
attribute vec3 lamps;
varying vec3 tone;
varying float depth;
void main() {
  vec3 own = color;
  own = part > 0.5 && part < 1.5 ? own * (tint * 0.92 + 0.05) : own;
  own = part > 1.5 && part < 2.5 ? mix(own, vec3(1.0, 0.98, 0.88), lamps.x) : own;
  own = part > 2.5 && part < 3.5 ? mix(own, vec3(1.0, 0.13, 0.1), lamps.y) : own;
  own = part > 3.5 ? mix(own, vec3(1.0, 0.62, 0.08), lamps.z) : own;
  tone = own;
  gl_Position = projectionMatrix * viewMatrix * instanceMatrix * vec4(position, 1.0);
  depth = gl_Position.w;
}`;

/** Moving bodies: each instance has its own colour and lamps (head, brake, hazard). */
export const solidMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(
    shared,
    SOLID_VERTEX,
    'varying vec3 tone; void main() { gl_FragColor = vec4(tone, 1.0); }',
  );

const TREE_FRAGMENT = /* glsl */ `
${DITHER_GLSL}
varying vec3 tone;
varying float depth;
void main() {
  if (threshold(gl_FragCoord.xy) >= smoothstep(clear.x, clear.y, depth)) discard;
  gl_FragColor = vec4(tone, 1.0);
}`;

/** Trees are cut away right before the camera, as houses are. */
export const treeMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(shared, SOLID_VERTEX, TREE_FRAGMENT);

/** The translucent cars of a counterfactual replay. */
export const ghostMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(
    shared,
    SOLID_VERTEX,
    /* glsl */ `
varying vec3 tone;
void main() {
  gl_FragColor = vec4(mix(tone, vec3(0.35, 0.85, 1.0), 0.55), 0.5);
}`,
    { transparent: true, depthWrite: true },
  );
