import { Float32BufferAttribute } from 'three';
import type { CityMap } from '../map-types.ts';
import { housesOf, shadowOf } from './buildings.ts';
import { metresPerPixel, project } from './camera.ts';
import { Decals } from './decals.ts';
import { FleetView } from './fleet-view.ts';
import { listenToGestures } from './gestures.ts';
import {
  ghostMaterial,
  groundMaterial,
  houseMaterial,
  shadowMaterial,
  solidMaterial,
} from './materials.ts';
import { Mesh } from './mesh.ts';
import { carUnder } from './picking.ts';
import { Rig } from './rig.ts';
import { Stage } from './stage.ts';
import { drawnLanes, groundOf } from './streets.ts';
import type {
  CameraMode,
  CityScene,
  Picked,
  Placement,
  ShownCar,
  ShownWorld,
  Theme,
} from './types.ts';

const DECALS_MAX = 400;
/** Layers of the ground, in the order in which they are painted. */
const ORDER = { ground: -100, shadows: -80, decals: -50 } as const;

/** Throws where WebGL 2 is not to be had. */
export function createScene(canvas: HTMLCanvasElement, map: CityMap): CityScene {
  return new ThreeScene(canvas, map);
}

class ThreeScene implements CityScene {
  readonly canvas: HTMLCanvasElement;
  onCameraMoved: (() => void) | null = null;
  readonly #stage: Stage;
  readonly #rig: Rig;
  readonly #fleet: FleetView;
  readonly #decals: Decals;
  readonly #ends: (() => void)[] = [];
  #cars: readonly ShownCar[] = [];
  readonly #spot = { xPx: 0, yPx: 0, depth: 0 };

  constructor(canvas: HTMLCanvasElement, map: CityMap) {
    this.canvas = canvas;
    this.#stage = new Stage(canvas);
    this.#rig = new Rig(map.bounds);
    const { shared } = this.#stage;
    const dusk = map.zones.filter(({ kind }) => kind === 'dusk').map(({ polygon }) => polygon);
    this.#fleet = new FleetView(solidMaterial(shared), ghostMaterial(shared), dusk);
    this.#decals = new Decals(shared, DECALS_MAX, ORDER.decals);
    this.#addCity(map);
    this.#stage.add(this.#fleet.object);
    this.#stage.add(this.#decals.object);
    this.#ends.push(
      listenToGestures(canvas, this.#rig, () => this.onCameraMoved?.()),
      this.#watchSize(),
      this.#watchMotion(),
    );
    this.setTheme('light');
  }

  draw(world: ShownWorld, picked: Picked | null, dtS: number): void {
    const { pose, view } = this.#rig;
    this.#cars = world.cars;
    const car = picked ? (world.cars[picked.car] ?? null) : null;
    this.#rig.advance(dtS, car);
    this.#decals.clear();
    const perPixelM = metresPerPixel(pose, view);
    const index = picked?.car ?? -1;
    this.#fleet.show(world.cars, world.ghosts, index, world.tick, perPixelM, this.#decals);
    this.#decals.flush();
    this.#stage.render(pose, view);
  }

  setMode(mode: CameraMode): void {
    this.#rig.setMode(mode);
  }

  setTheme(theme: Theme): void {
    this.#stage.setTheme(theme);
    this.#fleet.setTheme(theme);
  }

  zoomBy(factor: number): void {
    this.#rig.zoomBy(factor);
  }

  panBy(dxPx: number, dyPx: number): void {
    this.#rig.panBy(dxPx, dyPx);
  }

  tiltBy(rad: number): void {
    this.#rig.tiltBy(rad);
  }

  rotateBy(rad: number): void {
    this.#rig.rotateBy(rad);
  }

  showAll(): void {
    this.#rig.showAll();
  }

  lookAt(x: number, y: number, spanM: number): void {
    this.#rig.lookAt(x, y, spanM);
  }

  pick(xPx: number, yPx: number): number | null {
    return carUnder(this.#cars, this.#rig.pose, this.#rig.view, xPx, yPx);
  }

  placeOf(car: number): Placement | null {
    const shown = this.#cars[car];
    if (!shown) return null;
    const { xPx, yPx, depth } = project(
      this.#rig.pose,
      this.#rig.view,
      shown.x,
      shown.y,
      0,
      this.#spot,
    );
    return depth > 0 ? { xPx, yPx, x: shown.x, y: shown.y } : null;
  }

  dispose(): void {
    for (const end of this.#ends) end();
    this.#stage.dispose();
  }

  #addCity(map: CityMap): void {
    const { shared } = this.#stage;
    const lanes = drawnLanes(map);
    this.#stage.addStill(groundOf(map, lanes), groundMaterial(shared), ORDER.ground);
    const shadows = new Mesh();
    const standing = map.blocks.filter(({ kind }) => kind === 'building' || kind === 'wall');
    for (const block of standing) shadows.area(shadowOf(block), 'ground');
    this.#stage.addStill(shadows, shadowMaterial(shared), ORDER.shadows);
    const houses = housesOf(map.blocks);
    const geometry = this.#stage.addStill(houses, houseMaterial(shared), 0);
    const facade = new Float32BufferAttribute(houses.facade, 3);
    geometry.setAttribute('facade', facade);
  }

  #watchSize(): () => void {
    const resize = () => {
      this.#rig.resize(this.canvas.clientWidth, this.canvas.clientHeight);
      this.#stage.resize(this.#rig.view);
    };
    const observer = new ResizeObserver(resize);
    observer.observe(this.canvas);
    resize();
    return () => observer.disconnect();
  }

  #watchMotion(): () => void {
    const query = window.matchMedia('(prefers-reduced-motion: reduce)');
    const follow = () => {
      this.#rig.isCalm = query.matches;
    };
    query.addEventListener('change', follow);
    follow();
    return () => query.removeEventListener('change', follow);
  }
}
