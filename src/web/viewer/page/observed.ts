import type { Signal } from '@preact/signals';
import { extent } from '../replay/timeline.ts';
import { project } from '../scene/camera.ts';
import type { CityScene } from '../scene/city-scene.ts';
import type { ShownWorld } from '../scene/types.ts';
import type { Viewer } from './viewer.ts';

declare global {
  interface Window {
    readonly viewer: Observed;
  }
}

/** What is displayed. */
export interface Drawn {
  count: number;
  world: ShownWorld | null;
  scene: Signal<CityScene | null>;
}

/** Publishes what is displayed, read-only, as `window.viewer`: for tests and for the curious. */
export function observe(viewer: Viewer, drawn: Drawn): void {
  Object.defineProperty(window, 'viewer', { value: new Observed(viewer, drawn) });
}

/** What the page says of itself. */
class Observed {
  readonly #viewer: Viewer;
  readonly #drawn: Drawn;

  constructor(viewer: Viewer, drawn: Drawn) {
    this.#viewer = viewer;
    this.#drawn = drawn;
  }

  get connection() {
    return this.#viewer.live.status.peek();
  }

  /** Where the states come from: 'life' where the world lives in this page. */
  get source() {
    return this.#viewer.live.source;
  }

  /** The newest state of the live world. */
  get newest() {
    return this.#viewer.live.playback.newest ?? null;
  }

  /** The displayed tick, of the replay where one is open; null before the first frame. */
  get tick() {
    return this.#drawn.world?.tick ?? null;
  }

  /** How many times the map was drawn; a frame that looks like the last one is not. */
  get drawn() {
    return this.#drawn.count;
  }

  /** World metres, and CSS pixels of the canvas. */
  get cars() {
    return (this.#drawn.world?.cars ?? []).map(({ vin, x, y, heading }, i) => {
      const { xPx = null, yPx = null, ...place } = this.#drawn.scene.peek()?.placeOf(i) ?? { x, y };
      return { vin, ...place, heading, xPx, yPx };
    });
  }

  /** VIN of the picked car. */
  get picked() {
    return this.#viewer.car.vin.peek();
  }

  get camera() {
    return this.#viewer.camera.peek();
  }

  /** Where the camera is, and where it looks. */
  get pose() {
    return this.#drawn.scene.peek()?.camera.pose ?? null;
  }

  /** Cars of the counterfactual replay. */
  get ghosts() {
    const ghosts = this.#drawn.world?.ghosts ?? [];
    return ghosts.map(({ vin, x, y, heading }) => ({ vin, x, y, heading, xPx: null, yPx: null }));
  }

  /** The parties of the replay, and the part of the canvas that nothing covers: CSS pixels. */
  get parties() {
    return partiesOf(this.#drawn);
  }

  /** What the sensors of the picked car know, where that is shown; and what the car does. */
  get sight() {
    return this.#drawn.world === null ? null : this.#viewer.sight.perception.peek();
  }

  get replay() {
    return replayOf(this.#viewer);
  }

  /** The moment of the past that is shown; null where it is live. */
  get past() {
    return pastOf(this.#viewer);
  }

  /** What of the life can be shown, ticks; null: nothing. */
  get life() {
    return this.#viewer.timeLine.extent.peek() ?? null;
  }

  /** What might have been, where that is shown. */
  get whatIf() {
    return whatIfOf(this.#viewer);
  }

  get demonstration() {
    return this.#viewer.demonstration.phase.peek().name;
  }
}

function partiesOf({ scene: { value: scene }, world }: Drawn) {
  if (scene === null || !world?.focus) return null;
  const { pose, view, insets } = scene.camera;
  const { top, bottom, side } = insets;
  return {
    places: world.focus.places.map(([x, y]) => project(pose, view, x, y, 0)),
    free: {
      ...{ left: side, top },
      ...{ right: view.widthPx - side, bottom: view.heightPx - bottom },
    },
  };
}

function pastOf({ timeLine: { isPast, player } }: Viewer) {
  if (!isPast.peek()) return null;
  const frame = player.frame.peek()?.tick ?? null;
  return {
    tick: player.exactTick,
    /** The frame that is there for it. */
    frame,
    isPlaying: player.isPlaying.peek(),
    speed: player.speed.peek(),
  };
}

function whatIfOf({ whatIf }: Viewer) {
  if (!whatIf.isOpen.peek()) return null;
  return {
    fromTick: whatIf.fromTick.peek(),
    tick: whatIf.player.exactTick,
    isPlaying: whatIf.player.isPlaying.peek(),
    switchings: whatIf.switchings.peek(),
    collisions: whatIf.isLiving.peek() ? null : whatIf.collisions.peek().map(({ id }) => id),
    without: whatIf.without.peek(),
  };
}

function replayOf({ replay }: Viewer) {
  const was = replay.asItWas.peek();
  if (was === null) return null;
  const [firstTick, lastTick] = extent(was.frames);
  return {
    incident: was.incident,
    isPlaying: replay.isPlaying.peek(),
    firstTick,
    lastTick,
    with: replay.asItWouldHaveBeen.peek()?.with ?? null,
  };
}
