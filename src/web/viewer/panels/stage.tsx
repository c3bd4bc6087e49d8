import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { capitalised, carName } from '../formatting.ts';
import { usePage, useViewer } from '../page/context.ts';
import type { CameraMode } from '../scene/types.ts';
import { placeOf } from '../stakes.ts';
import { Choice } from './choice.tsx';
import { DemonstrationCard } from './demonstration.tsx';
import { Icon, IconButton } from './icons.tsx';
import { LayersButton } from './layers.tsx';
import { ReplayDock } from './replay-dock.tsx';
import { StatusNote } from './status.tsx';
import { TimeLine } from './time-line.tsx';
import { WhatIfDock } from './what-if-dock.tsx';

const ZOOM = 1.4;

/** The map, and what lies over it. */
export function Stage() {
  const { viewer, display } = usePage();
  const canvas = useRef<HTMLCanvasElement>(null);
  const under = useSignal<UnderPointer | null>(null);
  /** The name of the car or spot at a point of the canvas; empty where there is none. */
  const textAt = (xPx: number, yPx: number) => {
    const scene = display.scene.peek();
    const entry = viewer.live.fleet.peek()[scene?.pick(xPx, yPx) ?? -1];
    if (entry !== undefined) return carName(entry);
    const spot = scene?.spotAt(xPx, yPx) ?? null;
    return spot === null ? '' : capitalised(placeOf(spot));
  };
  useSignalEffect(() => {
    const map = viewer.map.value;
    if (map === null || canvas.current === null || display.scene.peek() !== null) return;
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
          const scene = display.scene.peek();
          const car = scene?.pick(offsetX, offsetY) ?? null;
          viewer.spot.value = car === null ? (scene?.spotAt(offsetX, offsetY) ?? null) : null;
          viewer.pickIndex(car);
        }}
        onPointerMove={({ pointerType, buttons, offsetX: xPx, offsetY: yPx }) => {
          const isOver = pointerType === 'mouse' && buttons === 0;
          const text = isOver ? textAt(xPx, yPx) : '';
          under.value = text === '' ? null : { text, xPx, yPx };
        }}
        onPointerLeave={() => {
          under.value = null;
        }}
      />
      <HoverLabel under={under} />
      <SpotNote />
      {viewer.mapError.value === '' ? null : <p class="stage-note">{viewer.mapError.value}</p>}
      <StatusNote />
      {viewer.mapError.value === '' ? <Camera /> : null}
      <Gone />
      <Foot />
    </main>
  );
}

/** What lies over the bottom of the map; the camera keeps what it shows above it. */
function Foot() {
  const { display } = usePage();
  const foot = useRef<HTMLDivElement>(null);
  const scene = display.scene.value;
  useEffect(() => {
    if (foot.current !== null) return scene?.camera.coveredBy(foot.current);
  }, [scene]);
  return (
    <div class="stage-foot" ref={foot}>
      <DemonstrationCard />
      <ReplayDock />
      <WhatIfDock />
      <TimeLine />
    </div>
  );
}

/** What is under the pointer of a mouse, and where that is: CSS pixels of the canvas. */
interface UnderPointer {
  text: string;
  xPx: number;
  yPx: number;
}

function HoverLabel({ under: { value: under } }: { under: ReadonlySignal<UnderPointer | null> }) {
  if (under === null) return null;
  return (
    <span
      class="hover-label"
      aria-hidden="true"
      style={{ left: `${under.xPx}px`, top: `${under.yPx}px` }}
    >
      {under.text}
    </span>
  );
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
  const cameraOf = () => display.scene.peek()?.camera;
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
        <IconButton name="plus" label="Zoom in" onClick={() => cameraOf()?.zoomBy(ZOOM)} />
        <IconButton name="minus" label="Zoom out" onClick={() => cameraOf()?.zoomBy(1 / ZOOM)} />
        <IconButton
          name="tilt"
          label="From above or obliquely"
          onClick={() => cameraOf()?.toggleTilt()}
        />
        <Compass />
        <LayersButton />
        <IconButton
          name="whole"
          label="The whole city"
          onClick={() => {
            viewer.camera.value = 'city';
            cameraOf()?.showAll();
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
    <Button icon label="North up" onClick={() => display.scene.peek()?.camera.faceNorth()}>
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
