import type { CityScene } from '../scene/city-scene.ts';
import type { ShownWorld } from '../scene/types.ts';
import type { Status } from './live-world.ts';
import type { Viewer } from './viewer.ts';

/** A car as it was drawn: world metres, and CSS pixels of the canvas. */
export interface ObservedCar {
  vin: string;
  x: number;
  y: number;
  heading: number;
  xPx: number | null;
  yPx: number | null;
}

/**
 * What is displayed, read-only, as `window.viewer`: for tests and for the console of the browser.
 */
export interface Observed {
  readonly connection: Status;
  /** The displayed tick, of the replay where one is open; null before the first frame. */
  readonly tick: number | null;
  /** How many times the map was drawn. */
  readonly drawn: number;
  readonly cars: readonly ObservedCar[];
  /** VIN. */
  readonly picked: string | null;
  readonly camera: string;
  /** Cars of the counterfactual replay. */
  readonly ghosts: readonly ObservedCar[];
  readonly replay: {
    incident: string;
    isPlaying: boolean;
    firstTick: number;
    lastTick: number;
    with: readonly string[] | null;
  } | null;
}

declare global {
  interface Window {
    readonly viewer: Observed;
  }
}

/** What was drawn last. */
export interface Drawn {
  count: number;
  world: ShownWorld | null;
  scene: CityScene | null;
}

export function observe(viewer: Viewer, drawn: Drawn): void {
  const value: Observed = {
    get connection() {
      return viewer.live.status.peek();
    },
    get tick() {
      return drawn.world?.tick ?? null;
    },
    get drawn() {
      return drawn.count;
    },
    get cars() {
      return (drawn.world?.cars ?? []).map(({ vin, x, y, heading }, i) => {
        const { xPx = null, yPx = null, ...place } = drawn.scene?.placeOf(i) ?? { x, y };
        return { vin, ...place, heading, xPx, yPx };
      });
    },
    get picked() {
      return viewer.car.vin.peek();
    },
    get camera() {
      return viewer.camera.peek();
    },
    get ghosts() {
      const ghosts = drawn.world?.ghosts ?? [];
      return ghosts.map(({ vin, x, y, heading }) => ({ vin, x, y, heading, xPx: null, yPx: null }));
    },
    get replay() {
      return replayOf(viewer);
    },
  };
  Object.defineProperty(window, 'viewer', { value });
}

function replayOf({ replay }: Viewer): Observed['replay'] {
  const was = replay.asItWas.peek();
  if (was === null) return null;
  return {
    incident: was.incident,
    isPlaying: replay.isPlaying.peek(),
    firstTick: was.frames[0]?.tick ?? 0,
    lastTick: was.frames.at(-1)?.tick ?? 0,
    with: replay.asItWouldHaveBeen.peek()?.with ?? null,
  };
}
