/** What is drawn over the streets, and what must not be: signs, ghosts, boxes. */
import { type InstancedMesh, MeshBasicMaterial } from 'three';
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyWorld } from '../live/interpolation.ts';
import { carOf } from '../live/playback.ts';
import { SHAPE } from './decals.ts';
import { FleetView, TONES } from './fleet-view.ts';
import { USUAL_LAYERS } from './layers.ts';
import { covers, type Overlay } from './overlay.ts';
import { addSight, SENSOR_TONES } from './sight-view.ts';
import type { ShownCar, ShownWorld, Sight } from './types.ts';

type Decal = Parameters<Overlay['decals']['add']>;

let decals: Decal[];
let signs: string[];
let spots: (readonly number[])[];
let overlay: Overlay;
beforeEach(() => {
  [decals, signs, spots] = [[], [], []];
  overlay = {
    decals: { add: (...decal: Decal) => decals.push(decal) },
    smoke: { addSprite: () => {} },
    signs: {
      addPillText: (text: string, spot: readonly number[]) => {
        signs.push(text);
        spots.push(spot);
      },
    },
    perPixelM: 0.1,
    tick: 0,
    reducedMotion: true,
    layers: USUAL_LAYERS,
    isClose: false,
    uncovered: [],
  } as unknown as Overlay;
});

const carAt = (vin: string, x: number, fields: Partial<ShownCar> = {}): ShownCar => ({
  ...carOf({ vin, model: 'Lumen City', colour: 'teal', plate: vin }),
  ...{ x, y: 0, ...fields },
});
const outlines = () => decals.filter(([shape]) => shape === SHAPE.outline);

describe('[P24] the parties of a replay', () => {
  it('are covered by no sign that is near one of them', () => {
    const signing = { ...overlay, uncovered: [[0, 0] as const, [100, 0] as const] };
    expect(covers(signing, 5, 5)).toBe(true);
    expect(covers(signing, 108, -8)).toBe(true);
    expect(covers(signing, 50, 0)).toBe(false);
    expect(covers({ ...overlay, uncovered: [] }, 5, 5)).toBe(false);
  });

  it('have no sign of their own over them, which others have', () => {
    const material = new MeshBasicMaterial();
    const view = new FleetView(material, material, []);
    const crashed = { status: 'crashed' } as const;
    const world: ShownWorld = {
      ...emptyWorld(),
      cars: [carAt('A', 0, crashed), carAt('B', 300, crashed)],
    };
    view.show(world, -1, { ...overlay, uncovered: [[0, 0]] });
    expect(signs).toEqual(['CRASHED']);
    view.show(world, -1, overlay);
    expect(signs).toHaveLength(3);
  });
});

describe('[P9] a ghost', () => {
  const ghostly = new MeshBasicMaterial();
  const view = new FleetView(new MeshBasicMaterial(), ghostly, []);
  /** How many ghosts are drawn where a car and its ghost are so far apart, m. */
  function drawnAt(apartM: number): number {
    const ghosts = [carAt('A', apartM)];
    view.show({ ...emptyWorld(), cars: [carAt('A', 0), carAt('B', 0.1)], ghosts }, -1, overlay);
    const meshes = view.object.children.filter((mesh): mesh is InstancedMesh => 'count' in mesh);
    const theirs = meshes.filter(({ material }) => material === ghostly);
    return theirs.reduce((sum, { count }) => sum + count, 0);
  }

  it('is drawn with an outline around it', () => {
    expect(drawnAt(3)).toBe(1);
    const [outline] = outlines();
    if (outline === undefined) throw new Error('it has none');
    const [, place, halfLengthM, halfWidthM, tint] = outline;
    expect(place.x).toBe(3);
    expect(tint).toEqual(TONES.ghost);
    // A car is some 4 m long and 1.8 m wide.
    expect(halfLengthM).toBeGreaterThan(2);
    expect(halfWidthM).toBeGreaterThan(1);
  });

  it('has a sign beside it, away from the nearest party, where there is room for one', () => {
    const show = (...uncovered: [number, number][]) => {
      const world = { ...emptyWorld(), ghosts: [carAt('A', 10)], ghostSign: 'with ESC' };
      view.show(world, -1, { ...overlay, uncovered });
    };
    show([10, 0], [4, 0], [40, 0]);
    expect(signs).toEqual(['with ESC']);
    const [x = 0, y = 1] = spots[0] ?? [];
    expect(x).toBeGreaterThan(12);
    expect(y).toBeCloseTo(0);
    show([10, 0], [8, 0]);
    show([10, 0]);
    expect(signs).toHaveLength(1);
  });

  it('is not drawn through its own car, where both are in one place', () => {
    expect(drawnAt(0.2)).toBe(0);
    expect(outlines()).toEqual([]);
  });
});

describe('[P32] what the picked car sees', () => {
  const along = (alongM: number) => ({ x: 2 + alongM, y: 0, heading: 0 });
  const dashes = () => decals.filter(([shape]) => shape === SHAPE.bar);

  function show(car: ShownCar, detections: Sight['detections'] = [], intent = ''): void {
    const hazard = { id: 'h1', kind: 'deer_crossing', active: true, moves: true };
    const deer = { ...hazard, x: 30, y: 5, heading: 1, length: 1.1, width: 0.4 };
    const world = { ...emptyWorld(), cars: [car, carAt('B', 20)], hazards: [deer] };
    addSight({ detections, intent }, { car, world, way: along }, overlay);
  }

  it('is in boxes of the tone of its sensor, the fainter the less sure it is', () => {
    show(carAt('A', 0), [
      { vin: 'B', hazard: null, sensors: ['front_radar'], confidence: 1 },
      { vin: null, hazard: 'h1', sensors: ['front_radar', 'front_camera'], confidence: 0.4 },
      { vin: 'not here', hazard: null, sensors: ['front_camera'], confidence: 1 },
    ]);
    const boxes = outlines().map(([, { x, y }, , , tint, alpha]) => ({ x, y, tint, alpha }));
    expect(boxes).toEqual([
      { x: 20, y: 0, tint: SENSOR_TONES.front_radar, alpha: 1 },
      { x: 30, y: 5, tint: SENSOR_TONES.several, alpha: expect.closeTo(0.58, 9) },
    ]);
    signs = [];
    overlay.perPixelM = 0.05;
    show(carAt('A', 0), [{ vin: 'B', hazard: null, sensors: ['front_radar'], confidence: 0.87 }]);
    expect(signs).toEqual(['87 %']);
  });

  it('has its way of the next 3 s before it, shorter where it brakes, and none as a wreck', () => {
    const reachOf = (fields: Partial<ShownCar>) => {
      decals = [];
      show(carAt('A', 0, { speed: 10, ...fields }));
      return Math.max(0, ...dashes().map(([, { x }]) => x - 2));
    };
    expect(reachOf({})).toBeGreaterThan(26);
    expect(reachOf({})).toBeLessThan(30);
    // 10² / (2 · 3) m.
    expect(reachOf({ braking: true })).toBeGreaterThan(13);
    expect(reachOf({ braking: true })).toBeLessThan(16.7);
    expect(reachOf({ status: 'crashed' })).toBe(0);
  });

  it('has what it does over it', () => {
    show(carAt('A', 0), [], 'Yielding');
    expect(signs).toEqual(['Yielding']);
  });
});
