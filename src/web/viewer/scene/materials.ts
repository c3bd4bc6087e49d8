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
  type Texture,
  Vector2,
  Vector3,
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
  /** Depths between which trees come into being, m: nearer ones would hide everything. */
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
uniform vec2 clear;
`;

/**
 * Layers of the ground are drawn in order, without writing depth: after the houses, so that what these
 * hide costs nothing, and before everything else. They blend, but are not `transparent`: three.js would
 * draw them last.
 */
export const ON_GROUND = {
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

const STANDING_VERTEX = /* glsl */ `
attribute vec3 color;
varying vec3 tone;
varying float depth;
void main() {
  tone = color;
  vec4 seen = viewMatrix * vec4(position, 1.0);
  depth = -seen.z;
  gl_Position = projectionMatrix * seen;
}`;

const HAZY_FRAGMENT = /* glsl */ `
varying vec3 tone;
varying float depth;
void main() {
  gl_FragColor = vec4(mix(tone, sky, smoothstep(haze.x, haze.y, depth)), 1.0);
}`;

/** Its triangles cover each other in their order. */
export const groundMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(shared, STANDING_VERTEX, HAZY_FRAGMENT, { depthWrite: false, side: DoubleSide });

/** Trees and posts: their light is part of their colours. */
export const standingMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(shared, STANDING_VERTEX, HAZY_FRAGMENT);

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
attribute vec4 facade;
uniform sampler2D cuts;
varying vec3 tone;
varying vec2 place;
varying vec4 pane;
varying float shop;
varying float depth;
void main() {
  // A house that stands in the way is cut down to this height.
  float cut = texelFetch(cuts, ivec2(int(facade.w + 0.5), 0), 0).r;
  float high = min(position.z, cut);
  tone = mix(color, vec3(mix(0.87, 0.26, night)), 0.6 * step(high + 0.01, position.z));
  place = vec2(facade.x, high);
  // Half the size of a window, the height of its middle above the floor, and that of a floor; in metres.
  float kind = floor(facade.z);
  pane = vec4(0.0, 0.0, 1.7, facade.y);
  if (kind == 1.0) pane.xy = vec2(0.62, 0.78);
  if (kind == 2.0) pane.xyz = vec3(0.48, 1.05, 1.55);
  if (kind == 3.0) pane.xy = vec2(1.42, 0.82);
  if (kind == 4.0) pane.xy = vec2(0.98, 0.8);
  shop = 2.0 * fract(facade.z);
  vec4 seen = viewMatrix * vec4(position.xy, high * rise, 1.0);
  depth = -seen.z;
  gl_Position = projectionMatrix * seen;
}`;

const HOUSE_FRAGMENT = /* glsl */ `
varying vec3 tone;
varying vec2 place;
varying vec4 pane;
varying float shop;
varying float depth;
const float BAY_M = 3.0;
void main() {
  // Less light reaches the foot of a wall.
  vec3 shown = tone * (0.74 + 0.26 * min(1.0, place.y / 6.0));
  if (pane.x > 0.0) {
    float level = place.y / pane.w;
    float atGround = level < 1.0 ? shop : 0.0;
    vec2 half_ = mix(pane.xy, vec2(1.22, 1.12), atGround);
    float middle = mix(pane.z, 1.3, atGround);
    vec2 which = vec2(floor(place.x), floor(level));
    vec2 off = vec2((place.x - which.x - 0.5) * BAY_M, (level - which.y) * pane.w - middle);
    vec2 beyond = abs(off) - half_;
    float edge = max(beyond.x, beyond.y);
    // Metres of a pixel: what is finer is shown as its mean.
    float pixel = max(fwidth(place.x) * BAY_M, fwidth(place.y)) + 1e-4;
    float fine = clamp(2.0 - pixel / 0.9, 0.0, 1.0);
    float mean = 4.0 * half_.x * half_.y / (BAY_M * pane.w);
    float glass = mix(mean, clamp(0.5 - edge / pixel, 0.0, 1.0), fine);
    float frame = fine * clamp(0.5 - (edge - 0.13) / pixel, 0.0, 1.0);
    float chance = fract(fract(which.x * 0.1031 + which.y * 0.1137) * (which.x * 17.3 + which.y * 31.7 + 3.3));
    // A line at each floor, and the frame of each window.
    float line = fine * clamp(0.5 - ((level - which.y) * pane.w - 0.14) / pixel, 0.0, 1.0);
    shown *= 1.0 - 0.08 * line - 0.1 * atGround;
    shown = mix(shown, mix(vec3(0.97), shown * 1.25, night), 0.8 * frame);
    vec3 inside;
    if (night > 0.5) {
      vec3 lamp = mix(vec3(0.95, 0.72, 0.38), vec3(0.98, 0.86, 0.6), chance);
      inside = max(atGround, chance) > 0.64 ? lamp : vec3(0.09, 0.12, 0.17);
      inside = mix(vec3(0.36, 0.31, 0.24), inside, fine);
    } else {
      // The sky in the upper part, and here and there a curtain.
      float upper = clamp(0.5 + 0.5 * off.y / half_.y, 0.0, 1.0);
      inside = mix(vec3(0.3, 0.4, 0.5), vec3(0.58, 0.7, 0.8), 0.25 + 0.5 * upper + 0.25 * chance);
      if (chance > 0.72 && upper < 0.55) inside = mix(inside, vec3(0.86, 0.84, 0.78), 0.55 * fine);
      inside *= 0.6 + 0.4 * tone;
    }
    shown = mix(shown, inside, 0.92 * glass);
  }
  gl_FragColor = vec4(mix(shown, sky, smoothstep(haze.x, haze.y, depth)), 1.0);
}`;

/** Houses with windows. @param cuts how high each of them is */
export const houseMaterial = (shared: Shared, cuts: Texture): ShaderMaterial =>
  shaderMaterial(shared, HOUSE_VERTEX, HOUSE_FRAGMENT, { uniforms: { cuts: { value: cuts } } });

const SOLID_VERTEX = /* glsl */ `
attribute vec3 color;
attribute float part;
attribute vec3 tint;
attribute vec3 lamps;
varying vec3 tone;
void main() {
  vec3 own = color;
  own = part > 0.5 && part < 1.5 ? own * (tint * 0.92 + 0.05) : own;
  own = part > 1.5 && part < 2.5 ? mix(own, vec3(1.0, 0.98, 0.88), lamps.x) : own;
  own = part > 2.5 && part < 3.5 ? mix(own, vec3(1.0, 0.13, 0.1), lamps.y) : own;
  own = part > 3.5 ? mix(own, vec3(1.0, 0.62, 0.08), lamps.z) : own;
  tone = own;
  gl_Position = projectionMatrix * viewMatrix * instanceMatrix * vec4(position, 1.0);
}`;

const SOLID_FRAGMENT = 'varying vec3 tone; void main() { gl_FragColor = vec4(tone, 1.0); }';

/** Moving bodies: each instance has its own colour and lamps (head, brake, hazard). */
export const solidMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(shared, SOLID_VERTEX, SOLID_FRAGMENT);

const TREE_VERTEX = /* glsl */ `
attribute vec3 color;
attribute float part;
attribute vec3 tint;
varying vec3 tone;
void main() {
  tone = part > 0.5 ? color * (tint * 0.92 + 0.05) : color;
  float depth = -(viewMatrix * vec4(instanceMatrix[3].xyz, 1.0)).z;
  float grown = smoothstep(clear.x, clear.y, depth);
  gl_Position = projectionMatrix * viewMatrix * instanceMatrix * vec4(position * grown, 1.0);
}`;

/** Trees; those right before the camera are small. */
export const treeMaterial = (shared: Shared): ShaderMaterial =>
  shaderMaterial(shared, TREE_VERTEX, SOLID_FRAGMENT);

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
