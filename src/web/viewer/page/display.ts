import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { theme } from '../../common/theme.ts';
import type { CityMap, Incident } from '../api/types.ts';
import { NORTH } from '../scene/camera.ts';
import { CityScene } from '../scene/city-scene.ts';
import type { Mutable, Picked, ShownCar, ShownWorld, Sight } from '../scene/types.ts';
import type { CarSight } from './car-sight.ts';
import { type Drawn, observe } from './observed.ts';
import type { Viewer } from './viewer.ts';

/** Longest animation step: after a tab slept, animations continue rather than jump. */
const STEP_MAX_S = 0.25;
/** The same for a replay, which must keep its speed on slow machines. */
const REPLAY_STEP_MAX_S = 1;
/** Cars so near to each other make a place lively, m. */
const LIVELY_M = 70;
/** The compass turns in steps of 2°. */
const TURN_STEP_RAD = Math.PI / 90;

/** Draws the live world, its past or a replay, once per displayed frame in which something changes. */
export class Display {
  readonly #viewer: Viewer;
  readonly #drawn: Drawn = { count: 0, world: null, scene: signal(null) };
  #picked: Mutable<Picked> | null = null;
  #lastMs = performance.now();
  #hasBegun = false;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    observe(viewer, this.#drawn);
    effect(() => {
      this.#picked = pickedOf(viewer);
    });
    effect(() => {
      const crashes = crashesOf(viewer.eventFeed.incidents.value);
      for (const { shown } of [viewer.live.playback, viewer.timeLine]) shown.crashes = crashes;
    });
    effect(() => {
      viewer.whatIf.shown.crashes = crashesOf(viewer.whatIf.collisions.value);
    });
    const next = (nowMs: number) => {
      // First: what cannot be drawn once must not stop all that comes after it.
      requestAnimationFrame(next);
      this.#frame(nowMs);
    };
    requestAnimationFrame(next);
  }

  /** Null before the map is there, and where it cannot be drawn. */
  get scene(): ReadonlySignal<CityScene | null> {
    return this.#drawn.scene;
  }

  /** Creates the scene on a canvas. Throws where the browser has no WebGL 2. */
  show(canvas: HTMLCanvasElement, map: CityMap): void {
    const { camera } = this.#viewer;
    const scene = new CityScene(canvas, map, () => {
      camera.value = 'city';
    });
    this.#drawn.scene.value = scene;
    effect(() => scene.setTheme(theme.value));
    effect(() => scene.setLayers(this.#viewer.layers.value));
    effect(() => scene.camera.setMode(camera.value));
    effect(() => {
      const view = this.#viewer.view.value;
      if (view !== null) scene.camera.show(view);
    });
  }

  #frame(nowMs: number): void {
    const { live, replay, timeLine, whatIf } = this.#viewer;
    const passedS = (nowMs - this.#lastMs) / 1000;
    this.#lastMs = nowMs;
    live.publish(nowMs);
    for (const player of [replay, timeLine, whatIf])
      player.advance(Math.min(REPLAY_STEP_MAX_S, passedS));
    const world = this.#worldAt(nowMs);
    if (world === null) return;
    this.#drawn.world = world;
    const scene = this.#drawn.scene.peek();
    if (scene === null) return;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const isFirstVisit = this.#viewer.demonstration.phase.peek().name === 'invitation';
      const liveliest = isFirstVisit ? liveliestOf(world.cars) : undefined;
      if (liveliest) scene.camera.flyAround(liveliest);
    }
    if (this.#picked) this.#picked.gap = world === replay.shown ? null : gapOf(this.#viewer);
    if (!scene.draw(world, this.#picked, Math.min(STEP_MAX_S, passedS))) return;
    if (this.#drawn.count++ === 0) live.noteCarsDrawn();
    const { bearing } = this.#viewer;
    const turned = Math.round((scene.camera.pose.bearing - NORTH) / TURN_STEP_RAD) * TURN_STEP_RAD;
    if (turned !== bearing.peek()) bearing.value = turned;
  }

  #worldAt(nowMs: number): ShownWorld | null {
    const { live, replay, timeLine, whatIf } = this.#viewer;
    const found = [replay, whatIf, timeLine].find((player) => player.show());
    if (found !== undefined) return found.shown;
    return live.playback.show(nowMs) ? live.playback.shown : null;
  }
}

function pickedOf({ car, sight, isLive, replay }: Viewer): Mutable<Picked> | null {
  const index = car.index.value;
  if (index < 0) return null;
  // Of the past it is not known which sensors were on.
  const isNow = isLive.value || replay.id.value !== null;
  const effective = isNow ? car.features.value?.effective : undefined;
  return { car: index, route: car.route.value, effective, gap: null, sight: sightOf(sight) };
}

function sightOf(sight: CarSight): Sight | null {
  const perception = sight.perception.value;
  if (perception === null) return null;
  return { detections: perception.detections, intent: sight.intentOf(perception) };
}

function gapOf({ live, car, isLive, frame }: Viewer): number | null {
  const shown = isLive.peek() ? live.playback.newest : frame.peek();
  return shown?.vehicles[car.index.peek()]?.gap ?? null;
}

/** Where and when collisions were. */
const crashesOf = (incidents: readonly Incident[]): ShownWorld['crashes'] =>
  incidents.map(({ place: { x, y }, tick }) => ({ place: [x, y], tick }));

/** A car where most cars drive near each other: the one in their middle. */
export function liveliestOf(cars: readonly ShownCar[]): ShownCar | undefined {
  const near = cars.map((car) =>
    cars.filter((each) => Math.hypot(each.x - car.x, each.y - car.y) < LIVELY_M),
  );
  const most = near.reduce((a, b) => (b.length > a.length ? b : a), []);
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, most.length);
  const [x, y] = [mean(most.map((car) => car.x)), mean(most.map((car) => car.y))];
  return most.toSorted((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y))[0];
}
