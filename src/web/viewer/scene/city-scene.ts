import { Float32BufferAttribute, type Material, type Object3D } from 'three';
import { prefersReducedMotion } from '../../common/media.ts';
import type { Theme } from '../../common/theme.ts';
import { type CityMap, type HazardSpot, type MapPoint, TICKS_PER_S } from '../api/types.ts';
import { drawAtlas } from './atlas.ts';
import { besideRoadOf, isMadeOut, outlineOf } from './beside-road.ts';
import { Billboards } from './billboards.ts';
import { type Houses, housesOf, shadowOf } from './buildings.ts';
import { eyeOf, metresPerPixel, project } from './camera.ts';
import { CameraRig } from './camera-rig.ts';
import { addContactMark, addCrashPulses, addTrails } from './collision-marks.ts';
import { Decals } from './decals.ts';
import { FleetView } from './fleet-view.ts';
import { listenToGestures } from './gestures.ts';
import { HazardView } from './hazard-view.ts';
import { HouseCuts } from './house-cuts.ts';
import { addStreetNames, addZoneSigns, zoneSigns } from './labels.ts';
import { drawnLanes } from './lanes.ts';
import { LastFrame } from './last-frame.ts';
import { type Layers, USUAL_LAYERS } from './layers.ts';
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
  treeMaterial,
} from './materials.ts';
import { MeshBuilder } from './mesh-builder.ts';
import type { Overlay } from './overlay.ts';
import { PickedView } from './picked-view.ts';
import { carUnder, spotUnder } from './picking.ts';
import { Renderer } from './renderer.ts';
import { LightView, type Signal, signalMesh, signalsOf } from './signals.ts';
import { Sky } from './sky.ts';
import { groundOf } from './streets.ts';
import { TreeView } from './tree-view.ts';
import { type Tree, treeShadowOf, treesOf } from './trees.ts';
import type { Picked, Placement, ShownCar, ShownWorld } from './types.ts';
import { zonesObject } from './zones.ts';

const DECALS_MAX = 400;
const NOWHERE: readonly MapPoint[] = [];
/** Trees so near to a camera that follows cars are left out: parts of the distance to its target. */
const CLEAR_FROM = 0.5;
const CLEAR_TO = 0.85;
/** From less tilt than this hardly a house hides anything. */
const CUT_TILT_MIN = 0.1;
/** How far ahead of a chased car the street is to be seen, m. */
const AHEAD_M = 14;
/** The order in which layers are drawn; those of the ground are negative. */
const ORDER = {
  sky: -120,
  houses: -110,
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

/** Draws a city on a canvas. */
export class CityScene {
  readonly camera: CameraRig;
  readonly #renderer: Renderer;
  readonly #map: CityMap;
  readonly #overlay: Overlay;
  readonly #sky: Sky;
  readonly #names: Billboards;
  readonly #zones: Object3D;
  readonly #zoneSigns: ReturnType<typeof zoneSigns>;
  readonly #besideRoad: Material;
  readonly #lights: LightView;
  readonly #trees: TreeView;
  readonly #fleet: FleetView;
  readonly #hazards: HazardView;
  readonly #picked: PickedView;
  readonly #cuts: HouseCuts;
  readonly #last = new LastFrame();
  #cars: readonly ShownCar[] = [];
  #pickedCar = -1;

  /**
   * Throws where the browser has no WebGL 2.
   * @param onMoved called when a drag moves the view
   */
  constructor(canvas: HTMLCanvasElement, map: CityMap, onMoved: () => void) {
    this.#map = map;
    this.#renderer = new Renderer(canvas);
    this.camera = new CameraRig(map.bounds);
    const { shared } = this.#renderer;
    const dusk = map.zones.filter(({ kind }) => kind === 'dusk').map(({ polygon }) => polygon);
    const solid = solidMaterial(shared);
    this.#fleet = new FleetView(solid, ghostMaterial(shared), dusk);
    this.#hazards = new HazardView(map.hazards, solid);
    this.#picked = new PickedView(shared, map.zones, ORDER);
    this.#zones = zonesObject(shared, map.zones, ORDER.zones);
    this.#zoneSigns = zoneSigns(map.zones);
    this.#sky = new Sky(shared, ORDER.sky);
    const atlas = drawAtlas();
    this.#names = new Billboards(shared, atlas, NAMES_MAX, ORDER.names, ON_GROUND);
    const signals = signalsOf(map);
    this.#lights = new LightView(
      signals,
      new Decals(shared, LIGHTS_MAX, ORDER.bars),
      new Billboards(shared, atlas, LIGHTS_MAX, ORDER.lamps, BEFORE_HOUSES),
    );
    this.#overlay = {
      decals: new Decals(shared, DECALS_MAX, ORDER.decals),
      smoke: new Billboards(shared, atlas, SMOKE_MAX, ORDER.smoke, BEFORE_HOUSES),
      signs: new Billboards(shared, atlas, SIGNS_MAX, ORDER.signs, ON_TOP),
      perPixelM: 1,
      tick: 0,
      reducedMotion: false,
      layers: USUAL_LAYERS,
      isClose: false,
      uncovered: [],
    };
    const trees = treesOf(map.blocks);
    this.#trees = new TreeView(trees, treeMaterial(shared));
    const houses = housesOf(map.blocks);
    this.#cuts = new HouseCuts(houses.standing);
    this.#besideRoad = standingMaterial(shared);
    this.#addStatic(signals, trees, houses);
    const { decals, smoke, signs } = this.#overlay;
    const views = [this.#sky, this.#trees, this.#fleet, this.#hazards, this.#picked];
    const layers = [decals, this.#names, smoke, signs, this.#lights.bars, this.#lights.lamps];
    for (const { object } of [...views, ...layers]) this.#renderer.add(object);
    listenToGestures(canvas, this.camera, onMoved);
    this.#watchSize(canvas);
    this.setTheme('light');
  }

  /**
   * Draws one frame, unless it looks like the last one. Returns whether it was drawn.
   * @param dtS time since the call before
   */
  draw(world: ShownWorld, picked: Picked | null, dtS: number): boolean {
    const { camera } = this;
    const { pose, view } = camera;
    const reducedMotion = prefersReducedMotion.peek();
    camera.reducedMotion = reducedMotion;
    camera.isTimeStill = world.tick === this.#overlay.tick;
    this.#cars = world.cars;
    const car = picked ? (world.cars[picked.car] ?? null) : null;
    const index = car && picked ? picked.car : -1;
    if (index !== this.#pickedCar && camera.target === 'car') camera.changeCar();
    this.#pickedCar = index;
    camera.advance(dtS, car, world.focus);
    const isCutting = this.#clearView(car, world, reducedMotion ? Number.POSITIVE_INFINITY : dtS);
    if (this.#last.isLike(world, picked, pose, reducedMotion) && !isCutting) return false;
    if (!reducedMotion) this.#renderer.shared.timeS.value = world.tick / TICKS_PER_S;
    const overlay = this.#overlay;
    const { decals, smoke, signs } = overlay;
    overlay.perPixelM = metresPerPixel(pose, view);
    this.#besideRoad.visible = isMadeOut(overlay.perPixelM);
    overlay.tick = world.tick;
    overlay.reducedMotion = reducedMotion;
    overlay.isClose = camera.isChasing;
    overlay.uncovered = world.focus?.places ?? NOWHERE;
    decals.clear();
    smoke.clear();
    signs.clear();
    addZoneSigns(this.#zoneSigns, overlay);
    this.#lights.show(world.lights, overlay.perPixelM);
    this.#hazards.show(world.hazards, overlay);
    this.#fleet.show(world, index, overlay);
    this.#picked.show(picked, car, world, overlay);
    addContactMark(world.contact, overlay);
    addCrashPulses(world.crashes, overlay);
    addTrails(world.focus, overlay);
    decals.flush();
    smoke.flush();
    signs.flush();
    this.#sky.show(pose);
    this.#renderer.render(pose, view, dtS);
    return true;
  }

  /** Cuts down what stands between the camera and what it looks at. Returns whether something rises or falls. */
  #clearView(car: ShownCar | null, world: ShownWorld, dtS: number): boolean {
    const { pose, isGuided } = this.camera;
    const { clear } = this.#renderer.shared;
    if (isGuided) clear.value.set(CLEAR_FROM * pose.distance, CLEAR_TO * pose.distance);
    else clear.value.set(-2, -1);
    const places = pose.tilt < CUT_TILT_MIN ? NOWHERE : this.#watched(car, world);
    return this.#cuts.update(eyeOf(pose), places, dtS);
  }

  /** Places that no house may hide. */
  #watched(car: ShownCar | null, { focus }: ShownWorld): readonly MapPoint[] {
    const { target, mode } = this.camera;
    if (target === 'parties') return focus?.places ?? NOWHERE;
    if (target !== 'car' || car === null) return NOWHERE;
    const { x, y, heading } = car;
    if (mode !== 'chase') return [[x, y]];
    return [
      [x, y],
      [x + AHEAD_M * Math.cos(heading), y + AHEAD_M * Math.sin(heading)],
    ];
  }

  /** Chooses what is drawn over the city. */
  setLayers(layers: Layers): void {
    this.#last.forget();
    this.#overlay.layers = layers;
    this.#zones.visible = layers.zones;
    this.#names.object.visible = layers.labels;
  }

  setTheme(theme: Theme): void {
    this.#last.forget();
    this.#renderer.setTheme(theme);
    this.#fleet.setTheme(theme);
    this.#hazards.setTheme(theme);
    this.#trees.setTheme(theme);
    addStreetNames(this.#map, this.#names, theme);
  }

  /** The car under a point of the canvas, CSS pixels. */
  pick(xPx: number, yPx: number): number | null {
    return carUnder(this.#cars, this.camera.pose, this.camera.view, xPx, yPx);
  }

  /** The hazard spot under a point of the canvas, CSS pixels. */
  spotAt(xPx: number, yPx: number): HazardSpot | null {
    const { pose, view } = this.camera;
    return spotUnder(this.#map.hazards, this.#overlay, pose, view, xPx, yPx);
  }

  /** Where the middle of a car was drawn in the last frame. */
  placeOf(car: number): Placement | null {
    const shown = this.#cars[car];
    if (!shown) return null;
    const { x, y } = shown;
    const { pose, view } = this.camera;
    const { xPx, yPx, depth } = project(pose, view, x, y, 0);
    return depth > 0 ? { xPx, yPx, x, y } : null;
  }

  /** Adds ground, zones, shadows, signals, what stands beside the road, and houses. */
  #addStatic(signals: readonly Signal[], trees: readonly Tree[], houses: Houses): void {
    const map = this.#map;
    const renderer = this.#renderer;
    const { shared } = renderer;
    renderer.addStatic(groundOf(map, drawnLanes(map)), groundMaterial(shared), ORDER.ground);
    renderer.add(this.#zones);
    const shadows = new MeshBuilder();
    const solid = map.blocks.filter(({ kind }) => kind === 'building' || kind === 'wall');
    for (const block of solid) shadows.area(shadowOf(block), 'ground');
    for (const tree of trees) shadows.area(treeShadowOf(tree), 'ground');
    for (const body of map.bodies) {
      shadows.area(shadowOf({ polygon: outlineOf(body), height: body.height }), 'ground');
    }
    renderer.addTiled(shadows, shadowMaterial(shared), ORDER.shadows);
    renderer.addStatic(signalMesh(signals), standingMaterial(shared), 0);
    renderer.addTiled(besideRoadOf(map.bodies), this.#besideRoad, 0);
    const material = houseMaterial(shared, this.#cuts.texture);
    const geometry = renderer.addTiled(houses, material, ORDER.houses);
    geometry.setAttribute('facade', new Float32BufferAttribute(houses.facade, 4));
  }

  #watchSize(canvas: HTMLCanvasElement): void {
    const resize = () => {
      this.camera.resize(canvas.clientWidth, canvas.clientHeight);
      this.#renderer.resize(this.camera.view);
      this.#last.forget();
    };
    // What was on the canvas may be gone by then.
    canvas.addEventListener('webglcontextrestored', () => this.#last.forget());
    document.addEventListener('visibilitychange', () => this.#last.forget());
    new ResizeObserver(resize).observe(canvas);
    resize();
  }
}
