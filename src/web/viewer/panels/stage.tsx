import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { capitalised, carName } from '../formatting.ts';
import { usePage, useViewer } from '../page/context.ts';
import type { CameraMode } from '../scene/types.ts';
import { placeOf } from '../stakes.ts';
import { Choice } from './choice.tsx';
import { DemonstrationCard } from './demonstration.tsx';
import { Icon, IconButton } from './icons.tsx';
import { ReplayDock } from './replay-dock.tsx';
import { StatusNote } from './status.tsx';

const ZOOM = 1.4;

/** The map, and what lies over it. */
export function Stage() {
  const { viewer, display } = usePage();
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useHoverLabel();
  useSignalEffect(() => {
    const map = viewer.map.value;
    if (map === null || canvas.current === null || display.scene !== null) return;
    try {
      display.show(canvas.current, map);
    } catch (error) {
      console.warn(error);
      viewer.mapError.value =
        'This browser cannot draw the city: it needs WebGL 2. The lists and panels still work.';
    }
  });
  return (
    <main class="stage" aria-label="City">
      <canvas
        ref={canvas}
        class="map"
        role="img"
        tabIndex={0}
        aria-label="Live map of the city. Arrow keys move it, plus and minus zoom. The cars are in the list."
        // A click that ends a drag does not arrive here.
        onClick={({ offsetX, offsetY }) => {
          const car = display.scene?.pick(offsetX, offsetY) ?? null;
          viewer.spot.value =
            car === null ? (display.scene?.spotAt(offsetX, offsetY) ?? null) : null;
          viewer.pickIndex(car);
        }}
        onPointerMove={(event) => hover.show(event)}
        onPointerLeave={() => hover.hide()}
      />
      {hover.label}
      <SpotNote />
      {viewer.mapError.value === '' ? null : <p class="stage-note">{viewer.mapError.value}</p>}
      <StatusNote />
      {viewer.mapError.value === '' ? <Camera /> : null}
      <Gone />
      <DemonstrationCard />
      <ReplayDock />
    </main>
  );
}

/** Says what is under the pointer of a mouse. */
function useHoverLabel() {
  const { viewer, display } = usePage();
  const under = useSignal<{ text: string; xPx: number; yPx: number } | null>(null);
  const textAt = (xPx: number, yPx: number) => {
    const car = display.scene?.pick(xPx, yPx) ?? null;
    const entry = car === null ? undefined : viewer.live.fleet.peek()[car];
    if (entry !== undefined) return carName(entry);
    const spot = display.scene?.spotAt(xPx, yPx) ?? null;
    return spot === null ? '' : capitalised(placeOf(spot));
  };
  return {
    show({ pointerType, buttons, offsetX, offsetY }: PointerEvent) {
      const text = pointerType === 'mouse' && buttons === 0 ? textAt(offsetX, offsetY) : '';
      under.value = text === '' ? null : { text, xPx: offsetX, yPx: offsetY };
    },
    hide() {
      under.value = null;
    },
    label:
      under.value === null ? null : (
        <span
          class="hover-label"
          aria-hidden="true"
          style={{ left: `${under.value.xPx}px`, top: `${under.value.yPx}px` }}
        >
          {under.value.text}
        </span>
      ),
  };
}

/** What may happen at the spot that was clicked. */
function SpotNote() {
  const viewer = useViewer();
  const spot = viewer.spot.value;
  if (spot === null) return null;
  return (
    <section class="spot-note" aria-labelledby="spot-title">
      <h2 id="spot-title">{capitalised(placeOf(spot))}</h2>
      <p>{spot.description}</p>
      <Button
        size="small"
        kind="quiet"
        onClick={() => {
          viewer.spot.value = null;
        }}
      >
        Close
      </Button>
    </section>
  );
}

const MODES_OF_REPLAY: readonly (readonly [CameraMode, string])[] = [
  ['parties', 'All parties'],
  ['city', 'Free'],
];

const MODES: readonly (readonly [CameraMode, string])[] = [
  ['city', 'Free'],
  ['follow', 'Follow'],
  ['chase', 'Chase'],
];

function Camera() {
  const { viewer, display } = usePage();
  const { scene } = display;
  const isPicked = viewer.car.index.value >= 0;
  const isReplay = viewer.replay.id.value !== null;
  return (
    <div class="camera">
      {isPicked || isReplay ? (
        <Choice
          legend="Camera"
          options={isReplay ? MODES_OF_REPLAY : MODES}
          chosen={viewer.camera.value}
          onChoose={(mode) => {
            viewer.camera.value = mode;
          }}
        />
      ) : null}
      <div class="zoom">
        <IconButton name="plus" label="Zoom in" onClick={() => scene?.camera.zoomBy(ZOOM)} />
        <IconButton name="minus" label="Zoom out" onClick={() => scene?.camera.zoomBy(1 / ZOOM)} />
        <IconButton
          name="tilt"
          label="From above or obliquely"
          onClick={() => scene?.camera.toggleTilt()}
        />
        <Compass />
        <IconButton
          name="whole"
          label="The whole city"
          onClick={() => {
            viewer.camera.value = 'city';
            scene?.camera.showAll();
          }}
        />
      </div>
    </div>
  );
}

/** Points north, and turns the map so that north is up. */
function Compass() {
  const { viewer, display } = usePage();
  return (
    <Button icon label="North up" onClick={() => display.scene?.camera.faceNorth()}>
      <span class="compass" style={{ rotate: `${viewer.bearing.value}rad` }}>
        <Icon name="compass" />
      </span>
    </Button>
  );
}

function Gone() {
  const viewer = useViewer();
  if (viewer.live.status.value !== 'gone') return null;
  return (
    <section class="gone" role="alert">
      <h2>This city is gone</h2>
      <p>Nobody used it for a long time, or the address is wrong.</p>
      <Button kind="main" onClick={() => viewer.open('new-city')}>
        Make a new city
      </Button>
    </section>
  );
}
