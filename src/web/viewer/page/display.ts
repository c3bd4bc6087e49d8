import { effect } from '@preact/signals';
import { theme } from '../../common/theme.ts';
import type { CityMap } from '../api/types.ts';
import { CityScene } from '../scene/city-scene.ts';
import type { Mutable, Picked, ShownWorld } from '../scene/types.ts';
import { type Drawn, observe } from './observed.ts';
import type { Viewer } from './viewer.ts';

/** Longest animation step: after a tab slept, animations continue rather than jump. */
const STEP_MAX_S = 0.25;
/** The same for a replay, which must keep its speed on slow machines. */
const REPLAY_STEP_MAX_S = 1;
/** Size of the view around an incident, m. */
const INCIDENT_SPAN_M = 70;

/** Draws the live world or the replay, once per displayed frame. */
export class Display {
  readonly #viewer: Viewer;
  readonly #drawn: Drawn = { count: 0, world: null, scene: null };
  #picked: Mutable<Picked> | null = null;
  #lastMs = performance.now();

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    observe(viewer, this.#drawn);
    effect(() => {
      this.#picked = pickedOf(viewer);
    });
    const next = (nowMs: number) => {
      this.#frame(nowMs);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }

  get scene(): CityScene | null {
    return this.#drawn.scene;
  }

  /** Creates the scene on a canvas. Throws where the browser has no WebGL 2. */
  show(canvas: HTMLCanvasElement, map: CityMap): void {
    const { camera, replay } = this.#viewer;
    const scene = new CityScene(canvas, map, () => {
      camera.value = 'city';
    });
    this.#drawn.scene = scene;
    effect(() => scene.setTheme(theme.value));
    effect(() => scene.camera.setMode(camera.value));
    effect(() => {
      const incident = replay.incident.value;
      if (incident !== null)
        scene.camera.lookAt(incident.place.x, incident.place.y, INCIDENT_SPAN_M);
    });
  }

  #frame(nowMs: number): void {
    const { live, replay } = this.#viewer;
    const passedS = (nowMs - this.#lastMs) / 1000;
    this.#lastMs = nowMs;
    live.publish(nowMs);
    replay.advance(Math.min(REPLAY_STEP_MAX_S, passedS));
    const world = this.#worldAt(nowMs);
    if (world === null) return;
    this.#drawn.world = world;
    if (this.#drawn.scene === null) return;
    const isLive = world === live.playback.shown;
    if (this.#picked) this.#picked.gap = isLive ? gapOf(this.#viewer) : null;
    this.#drawn.scene.draw(world, this.#picked, Math.min(STEP_MAX_S, passedS));
    this.#drawn.count++;
  }

  #worldAt(nowMs: number): ShownWorld | null {
    const { live, replay } = this.#viewer;
    if (replay.show()) return replay.shown;
    return live.playback.show(nowMs) ? live.playback.shown : null;
  }
}

function pickedOf({ car }: Viewer): Mutable<Picked> | null {
  const index = car.index.value;
  if (index < 0) return null;
  const effective = car.features.value?.effective;
  return { car: index, route: car.route.value, effective, gap: null };
}

function gapOf({ live, car }: Viewer): number | null {
  return live.playback.newest?.vehicles[car.index.peek()]?.gap ?? null;
}
