import { BufferAttribute, BufferGeometry, Mesh } from 'three';
import { FIELD_RAD, type Pose } from './camera.ts';
import { EVERYWHERE, fixed } from './geometry.ts';
import { type Shared, shaderMaterial } from './materials.ts';

const VERTEX = /* glsl */ `
varying float rising;
void main() {
  // One triangle covers the canvas; the direction of the ray through each point of it.
  vec2 aside = position.xy / vec2(projectionMatrix[0][0], projectionMatrix[1][1]);
  rising = dot(vec3(viewMatrix[2][0], viewMatrix[2][1], viewMatrix[2][2]), vec3(aside, -1.0));
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`;

const FRAGMENT = /* glsl */ `
varying float rising;
void main() {
  vec3 zenith = mix(vec3(0.47, 0.67, 0.88), vec3(0.03, 0.05, 0.11), night);
  vec3 glow = mix(vec3(1.0, 0.93, 0.8), vec3(0.22, 0.17, 0.2), night);
  float up = clamp(rising * 2.2, 0.0, 1.0);
  float low = exp(-abs(rising) * 9.0);
  gl_FragColor = vec4(mix(mix(sky, zenith, up), glow, 0.3 * low), 1.0);
}`;

/** The sky above the horizon, brighter and warmer near it. */
export class Sky {
  readonly object: Mesh;

  constructor(shared: Shared, order: number) {
    const geometry = new BufferGeometry();
    const corners = new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]);
    geometry.setAttribute('position', new BufferAttribute(corners, 3));
    geometry.boundingSphere = EVERYWHERE;
    const material = shaderMaterial(shared, VERTEX, FRAGMENT, {
      depthTest: false,
      depthWrite: false,
    });
    this.object = fixed(new Mesh(geometry, material), order);
  }

  /** From above there is no horizon, and the ground covers everything. */
  show({ tilt }: Pose): void {
    this.object.visible = tilt + FIELD_RAD / 2 > Math.PI / 2;
  }
}
