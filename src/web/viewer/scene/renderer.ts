import {
  BufferGeometry,
  ColorManagement,
  LinearSRGBColorSpace,
  type Material,
  MathUtils,
  Mesh,
  type Object3D,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import type { Theme } from '../../common/theme.ts';
import { FIELD_RAD, metresPerPixel, type Pose, turnsOf, type Viewport } from './camera.ts';
import { applyTheme, fixed, geometryOf } from './geometry.ts';
import { createShared, type Shared } from './materials.ts';
import type { MeshBuilder } from './mesh-builder.ts';
import { colourOf } from './palette.ts';
import { PixelRatio } from './pixel-ratio.ts';
import { drawsInSoftware } from './software.ts';
import { tilesOf } from './tiles.ts';

const FAR_M = 9000;
/** The near plane, as a part of the distance to the target. */
const NEAR_PART = 0.06;
const NEAR_MIN_M = 0.4;
/** Height of houses seen from straight above, and the tilt at which they have their full height. */
const RISE_MIN = 0.3;
const RISE_TILT = 1.1;

/** The WebGL renderer with its camera, and all objects of the scene. */
export class Renderer {
  readonly shared: Shared = createShared();
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera();
  readonly #themed: ((theme: Theme) => void)[] = [];
  readonly #ahead = new Vector3();
  readonly #up = new Vector3();
  readonly #ratio = new PixelRatio();

  constructor(canvas: HTMLCanvasElement) {
    // Colours are mixed in screen space: cheaper, and the palette holds exactly what is shown.
    ColorManagement.enabled = false;
    this.#renderer = openRenderer(canvas);
    this.#renderer.outputColorSpace = LinearSRGBColorSpace;
    // The check blocks until each shader is compiled.
    this.#renderer.debug.checkShaderErrors = import.meta.env.DEV;
    this.#scene.matrixWorldAutoUpdate = false;
    this.#camera.matrixAutoUpdate = false;
    this.#camera.matrixWorldAutoUpdate = false;
    this.#camera.fov = (FIELD_RAD * 180) / Math.PI;
  }

  add(object: Object3D): void {
    this.#scene.add(object);
  }

  /** Adds what never moves; layers of the ground have negative orders. */
  addStatic(mesh: MeshBuilder, material: Material, order: number): void {
    this.#scene.add(fixed(new Mesh(this.#themedGeometry(mesh), material), order));
  }

  #themedGeometry(mesh: MeshBuilder): BufferGeometry {
    const geometry = geometryOf(mesh);
    const { slots, shades } = mesh;
    this.#themed.push((theme) => applyTheme(geometry, { slots, shades }, theme));
    return geometry;
  }

  /**
   * The same in tiles of which those in sight are drawn, for what may be drawn in any order. Returns a
   * geometry of which all tiles have the attributes.
   */
  addTiled(mesh: MeshBuilder, material: Material, order: number): BufferGeometry {
    const geometry = this.#themedGeometry(mesh);
    for (const { indices, sphere } of tilesOf(mesh)) {
      const tile = new BufferGeometry();
      tile.attributes = geometry.attributes;
      tile.setIndex(indices);
      tile.boundingSphere = sphere;
      const object = fixed(new Mesh(tile, material), order);
      object.frustumCulled = true;
      this.#scene.add(object);
    }
    return geometry;
  }

  setTheme(theme: Theme): void {
    for (const each of this.#themed) each(theme);
    this.shared.sky.value.setHex(colourOf('sky', theme));
    this.shared.night.value = theme === 'dark' ? 1 : 0;
    this.#renderer.setClearColor(this.shared.sky.value);
  }

  resize({ widthPx, heightPx }: Viewport): void {
    const ratio = this.#ratio.of(window.devicePixelRatio);
    this.#renderer.setPixelRatio(ratio);
    this.#renderer.setSize(widthPx, heightPx, false);
    this.#renderer.getDrawingBufferSize(this.shared.buffer.value);
    this.shared.ratio.value = ratio;
    this.#camera.aspect = widthPx / heightPx;
  }

  /** `dtS`: since the display before, whether that was drawn or not. */
  render(pose: Pose, view: Viewport, dtS: number): void {
    if (this.#ratio.count(dtS)) this.resize(view);
    this.#aim(pose, view);
    this.#renderer.render(this.#scene, this.#camera);
  }

  #aim(pose: Pose, view: Viewport): void {
    const { shared } = this;
    const camera = this.#camera;
    const { st, ct, sb, cb } = turnsOf(pose);
    const right = shared.right.value.set(sb, -cb, 0);
    const up = this.#up.set(ct * cb, ct * sb, st);
    const back = this.#ahead.set(-st * cb, -st * sb, ct);
    camera.matrixWorld.makeBasis(right, up, back);
    camera.matrixWorld.setPosition(back.multiplyScalar(pose.distance).add(pose));
    camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
    camera.near = Math.max(NEAR_MIN_M, pose.distance * NEAR_PART);
    camera.far = FAR_M;
    camera.updateProjectionMatrix();
    shared.perPixel.value = metresPerPixel(pose, view);
    shared.rise.value = MathUtils.lerp(RISE_MIN, 1, MathUtils.smoothstep(pose.tilt, 0, RISE_TILT));
    shared.haze.value.set(260 + 1.6 * pose.distance, 1300 + 3 * pose.distance);
  }
}

/**
 * Edges are smooth where a graphics processor draws: in software that takes half of the frames.
 * @throws Error where the browser has no WebGL 2
 */
function openRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  try {
    const antialias = !drawsInSoftware();
    return new WebGLRenderer({ canvas, antialias, stencil: true, alpha: false });
  } catch (error) {
    throw new Error('the city needs WebGL 2, which this browser does not offer', { cause: error });
  }
}
