import { Float32BufferAttribute } from 'three';
import type { CityMap } from '../api/types.ts';
import { drawAtlas } from './atlas.ts';
import { Billboards } from './billboards.ts';
import { housesOf, shadowOf } from './buildings.ts';
import { metresPerPixel, project } from './camera.ts';
import { markContact } from './contact.ts';
import { Decals } from './decals.ts';
import { FleetView } from './fleet-view.ts';
import { listenToGestures } from './gestures.ts';
import { Grove } from './grove.ts';
import { HazardView } from './hazard-view.ts';
import {
  BEFORE_HOUSES,
  ghostMaterial,
  groundMaterial,
  houseMaterial,
  ON_GROUND,
  ON_TOP,
  shadowMaterial,
  solidMaterial,
  standingMaterial,
} from './materials.ts';
import { Mesh } from './mesh.ts';
import { showZoneSigns, writeNames, zoneSigns } from './names.ts';
import { PickedView } from './picked-view.ts';
import { carUnder } from './picking.ts';
import { Rig } from './rig.ts';
import { LightView, type Signal, signalMesh, signalsOf } from './signals.ts';
import { Stage } from './stage.ts';
import { drawnLanes, groundOf } from './streets.ts';
import { type Tree, treeShadowOf, treesOf } from './trees.ts';
import type {
  CameraMode,
  CityScene,
  Picked,
  Placement,
  ShownCar,
  ShownWorld,
  Theme,
} from './types.ts';
import { zonesObject } from './zones.ts';

const DECALS_MAX = 400;
const TICK_S = 0.02;
/** Around what is looked at, houses before it are left out; from straight above none is before it. */
const HOLE_M = 20;
const HOLE_PART_MAX = 0.4;
const HOLE_BEFORE_M = 2;
const HOLE_TILT_MIN = 0.1;
/** Layers of the ground, in the order in which they are painted. */
const ORDER = {
  ground: -100,
  zones: -90,
  shadows: -80,
  route: -70,
  fields: -60,
  decals: -50,
  names: -40,
  bars: -55,
  lamps: 2,
  smoke: 2,
  signs: 3,
} as const;
const NAMES_MAX = 3000;
const SMOKE_MAX = 100;
const LIGHTS_MAX = 200;
const SIGNS_MAX = 600;

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
  readonly #names: Billboards;
  /** What is hidden behind houses, and what is not. */
  readonly #smoke: Billboards;
  readonly #signs: Billboards;
  readonly #lights: LightView;
  readonly #zoneSigns: ReturnType<typeof zoneSigns>;
  readonly #hazards: HazardView;
  readonly #picked: PickedView;
  readonly #grove: Grove;
  readonly #map: CityMap;
  readonly #ends: (() => void)[] = [];
  #cars: readonly ShownCar[] = [];
  #pickedCar = -1;
  readonly #spot = { xPx: 0, yPx: 0, depth: 0 };

  constructor(canvas: HTMLCanvasElement, map: CityMap) {
    this.canvas = canvas;
    this.#stage = new Stage(canvas);
    this.#rig = new Rig(map.bounds);
    const { shared } = this.#stage;
    const dusk = map.zones.filter(({ kind }) => kind === 'dusk').map(({ polygon }) => polygon);
    const solid = solidMaterial(shared);
    this.#map = map;
    this.#fleet = new FleetView(solid, ghostMaterial(shared), dusk);
    this.#hazards = new HazardView(map.hazards, solid);
    this.#picked = new PickedView(shared, map.zones, ORDER);
    const signals = signalsOf(map);
    this.#zoneSigns = zoneSigns(map.zones);
    this.#decals = new Decals(shared, DECALS_MAX, ORDER.decals);
    const atlas = drawAtlas();
    this.#names = new Billboards(shared, atlas, NAMES_MAX, ORDER.names, ON_GROUND);
    this.#smoke = new Billboards(shared, atlas, SMOKE_MAX, ORDER.smoke, BEFORE_HOUSES);
    this.#lights = new LightView(
      signals,
      new Decals(shared, LIGHTS_MAX, ORDER.bars),
      new Billboards(shared, atlas, LIGHTS_MAX, ORDER.lamps, BEFORE_HOUSES),
    );
    this.#signs = new Billboards(shared, atlas, SIGNS_MAX, ORDER.signs, ON_TOP);
    const trees = treesOf(map.blocks);
    this.#grove = new Grove(trees, solid);
    this.#addCity(map, signals, trees);
    const parts = [this.#grove, this.#fleet, this.#hazards, this.#picked];
    const { bars, lamps } = this.#lights;
    const layers = [this.#decals, this.#names, this.#smoke, this.#signs, bars, lamps];
    for (const { object } of [...parts, ...layers]) this.#stage.add(object);
    this.#ends.push(
      listenToGestures(canvas, this.#rig, () => this.onCameraMoved?.()),
      this.#watchSize(),
      this.#watchMotion(),
    );
    this.setTheme('light');
  }

  draw(world: ShownWorld, picked: Picked | null, dtS: number): void {
    const { pose, view, isCalm } = this.#rig;
    this.#cars = world.cars;
    const car = picked ? (world.cars[picked.car] ?? null) : null;
    const index = car && picked ? picked.car : -1;
    if (index !== this.#pickedCar && this.#rig.isTied) this.#rig.retie();
    this.#pickedCar = index;
    this.#rig.advance(dtS, car);
    if (!isCalm) this.#stage.shared.timeS.value = world.tick * TICK_S;
    const perPixelM = metresPerPixel(pose, view);
    const decals = this.#decals;
    const smoke = this.#smoke;
    const signs = this.#signs;
    decals.clear();
    smoke.clear();
    signs.clear();
    showZoneSigns(this.#zoneSigns, perPixelM, signs);
    this.#lights.show(world.lights, perPixelM);
    this.#hazards.show(world.hazards, world.tick, perPixelM, isCalm, decals, signs);
    this.#fleet.show(world, index, perPixelM, decals, smoke, signs);
    this.#picked.show(picked, car, perPixelM, decals, signs);
    markContact(world.contact, perPixelM, decals);
    decals.flush();
    smoke.flush();
    signs.flush();
    this.#openHouses(car);
    this.#stage.render(pose, view);
  }

  /** Houses between the viewer and what is looked at give way. */
  #openHouses(car: ShownCar | null): void {
    const { pose, view, isTied, isPlace } = this.#rig;
    const hole = this.#stage.shared.hole.value;
    const focus = isTied ? car : isPlace ? pose : null;
    if (!focus || pose.tilt < HOLE_TILT_MIN) {
      hole.set(0, 0, 0, 0);
      return;
    }
    const { ratio, buffer } = this.#stage.shared;
    const { xPx, yPx } = project(pose, view, focus.x, focus.y, 1, this.#spot);
    const ahead = focus.x * Math.cos(pose.bearing) + focus.y * Math.sin(pose.bearing);
    const widestPx = HOLE_PART_MAX * Math.min(view.widthPx, view.heightPx);
    const radius = Math.min(widestPx, HOLE_M / metresPerPixel(pose, view)) * ratio.value;
    hole.set(xPx * ratio.value, buffer.value.y - yPx * ratio.value, radius, ahead - HOLE_BEFORE_M);
  }

  setMode(mode: CameraMode): void {
    this.#rig.setMode(mode);
  }

  setTheme(theme: Theme): void {
    this.#stage.setTheme(theme);
    this.#fleet.setTheme(theme);
    this.#hazards.setTheme(theme);
    this.#grove.setTheme(theme);
    writeNames(this.#map, this.#names, theme);
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

  #addCity(map: CityMap, signals: readonly Signal[], trees: readonly Tree[]): void {
    const { shared } = this.#stage;
    const lanes = drawnLanes(map);
    this.#stage.addStill(groundOf(map, lanes), groundMaterial(shared), ORDER.ground);
    this.#stage.add(zonesObject(shared, map.zones, ORDER.zones));
    const shadows = new Mesh();
    const standing = map.blocks.filter(({ kind }) => kind === 'building' || kind === 'wall');
    for (const block of standing) shadows.area(shadowOf(block), 'ground');
    for (const tree of trees) shadows.area(treeShadowOf(tree), 'ground');
    this.#stage.addStill(shadows, shadowMaterial(shared), ORDER.shadows);
    this.#stage.addStill(signalMesh(signals), standingMaterial(shared), 0);
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
