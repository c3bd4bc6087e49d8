import {
  type BufferGeometry,
  ColorManagement,
  Mesh as Drawn,
  LinearSRGBColorSpace,
  type Material,
  type Object3D,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { eased, FIELD_RAD, metresPerPixel, type Pose, type Viewport } from './camera.ts';
import { coat, geometryOf } from './geometry.ts';
import { createShared, type Shared } from './materials.ts';
import type { Mesh } from './mesh.ts';
import { colourOf } from './palette.ts';
import type { Theme } from './types.ts';

const PIXEL_RATIO_MAX = 2;
const FAR_M = 9000;
/** The nearest that is drawn, as a part of the distance to the target. */
const NEAR_PART = 0.06;
const NEAR_MIN_M = 0.4;
/** Houses from straight above, and the tilt at which they have all their height. */
const RISE_MIN = 0.3;
const RISE_TILT = 1.1;

/** The renderer, the camera and what stands still. */
export class Stage {
  readonly shared: Shared = createShared();
  readonly renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera();
  readonly #coats: ((theme: Theme) => void)[] = [];
  readonly #ahead = new Vector3();
  readonly #up = new Vector3();

  constructor(canvas: HTMLCanvasElement) {
    // Colours are mixed as they are on the screen: cheaper, and the palette says what is shown.
    ColorManagement.enabled = false;
    this.renderer = openRenderer(canvas);
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    // Asking whether a shader compiled waits until it has; all are known to.
    this.renderer.debug.checkShaderErrors = false;
    this.#scene.matrixWorldAutoUpdate = false;
    this.#camera.matrixAutoUpdate = false;
    this.#camera.matrixWorldAutoUpdate = false;
    this.#camera.fov = (FIELD_RAD * 180) / Math.PI;
  }

  add(object: Object3D): void {
    this.#scene.add(object);
  }

  /** Adds what never moves; layers of the ground have orders below zero. */
  addStill(mesh: Mesh, material: Material, order: number): BufferGeometry {
    const geometry = geometryOf(mesh);
    const { slots, shades } = mesh;
    this.#coats.push((theme) => coat(geometry, { slots, shades }, theme));
    const drawn = new Drawn(geometry, material);
    drawn.renderOrder = order;
    drawn.matrixAutoUpdate = false;
    this.#scene.add(drawn);
    return geometry;
  }

  setTheme(theme: Theme): void {
    for (const each of this.#coats) each(theme);
    this.shared.sky.value.setHex(colourOf('sky', theme));
    this.shared.night.value = theme === 'dark' ? 1 : 0;
    this.renderer.setClearColor(this.shared.sky.value);
  }

  resize({ widthPx, heightPx }: Viewport): void {
    const ratio = Math.min(PIXEL_RATIO_MAX, window.devicePixelRatio || 1);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(widthPx, heightPx, false);
    this.renderer.getDrawingBufferSize(this.shared.buffer.value);
    this.shared.ratio.value = ratio;
    this.#camera.aspect = widthPx / heightPx;
  }

  render(pose: Pose, view: Viewport): void {
    this.#aim(pose, view);
    this.renderer.render(this.#scene, this.#camera);
  }

  dispose(): void {
    this.#scene.traverse((object) => {
      if (!(object instanceof Drawn)) return;
      object.geometry.dispose();
      (object.material as Material).dispose();
    });
    this.renderer.dispose();
  }

  #aim(pose: Pose, view: Viewport): void {
    const { shared } = this;
    const camera = this.#camera;
    const st = Math.sin(pose.tilt);
    const ct = Math.cos(pose.tilt);
    const sb = Math.sin(pose.bearing);
    const cb = Math.cos(pose.bearing);
    const right = shared.right.value.set(sb, -cb, 0);
    const up = this.#up.set(ct * cb, ct * sb, st);
    const back = this.#ahead.set(-st * cb, -st * sb, ct);
    camera.matrixWorld.makeBasis(right, up, back);
    camera.matrixWorld.setPosition(
      pose.x + back.x * pose.distance,
      pose.y + back.y * pose.distance,
      pose.z + back.z * pose.distance,
    );
    camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
    camera.near = Math.max(NEAR_MIN_M, pose.distance * NEAR_PART);
    camera.far = FAR_M;
    camera.updateProjectionMatrix();
    shared.perPixel.value = metresPerPixel(pose, view);
    shared.rise.value = RISE_MIN + (1 - RISE_MIN) * eased(Math.min(1, pose.tilt / RISE_TILT));
    shared.haze.value.set(260 + 1.6 * pose.distance, 1300 + 3 * pose.distance);
  }
}

/** @throws Error where the browser has no WebGL 2 */
function openRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  try {
    return new WebGLRenderer({ canvas, antialias: true, stencil: true, alpha: false });
  } catch (error) {
    throw new Error('the city needs WebGL 2, which this browser does not offer', { cause: error });
  }
}
