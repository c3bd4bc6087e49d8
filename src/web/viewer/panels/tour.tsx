import { signal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { readStored, store } from '../../common/storage.ts';
import { useViewer } from '../page/context.ts';
import type { Viewer } from '../page/viewer.ts';

const TOURED = ['localStorage', 'viewer.toured'] as const;

interface Step {
  title: string;
  text: string;
  /** Runs when the step is reached. */
  arrive?: (viewer: Viewer) => void;
}

const STEPS: readonly Step[] = [
  {
    title: 'This city is alive',
    text: 'Twenty cars drive themselves through it, and everybody with its link sees the same. Drag to move, scroll or pinch to come nearer.',
  },
  {
    title: 'Every car is in the list',
    text: 'Pick one there or on the map: the map follows it and shows its route, what its sensors see and the gap to the car ahead.',
    arrive: (viewer) => viewer.showLeft('cars'),
  },
  {
    title: 'Everything is recorded',
    text: 'Hazards, interventions and collisions are listed as they happen. Every collision has a report, and a replay that shows what would have prevented it.',
    arrive: (viewer) => viewer.showLeft('events'),
  },
  {
    title: 'Switch AEB off on this car and watch',
    text: 'This car is close behind another. Autonomous emergency braking brakes when a collision ahead is near; without it, only the driver can react.',
    arrive: (viewer) => {
      viewer.left.value = 'cars';
      viewer.pickIndex(closeFollower(viewer));
      requestAnimationFrame(() => {
        document.querySelector('[data-feature="aeb"]')?.scrollIntoView({ block: 'center' });
      });
    },
  },
];

/** Number of the step that is shown; null where there is no tour. */
const step = signal(readStored(...TOURED) === null ? 0 : null);

export function startTour(): void {
  step.value = 0;
}

function end(): void {
  store(...TOURED, 'yes');
  step.value = null;
}

/** The driving car with the smallest gap ahead; without one, the first car. */
function closeFollower({ live }: Viewer): number {
  const vehicles = live.playback.newest?.vehicles ?? [];
  let [closest, gapM] = [0, Number.POSITIVE_INFINITY];
  for (const [i, { status, gap }] of vehicles.entries()) {
    if (status === 'driving' && gap !== null && gap < gapM) [closest, gapM] = [i, gap];
  }
  return closest;
}

/** The tour of a first visit. It does not block the page. */
export function Tour() {
  const viewer = useViewer();
  const number = step.value;
  const current = number === null ? undefined : STEPS[number];
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (number === null || number === 0) return;
    STEPS[number]?.arrive?.(viewer);
    heading.current?.focus();
  }, [number]);
  useSignalEffect(() => {
    const isLast = step.value === STEPS.length - 1;
    if (isLast && viewer.car.features.value?.declared.aeb === false) end();
  });
  if (number === null || current === undefined || viewer.live.status.value === 'gone') return null;
  const isLast = number === STEPS.length - 1;
  const goOn = () => {
    if (isLast) void viewer.car.switchTo('aeb', false);
    else step.value = number + 1;
  };
  return (
    <section class="tour" aria-labelledby="tour-title">
      <p class="small soft">
        {number + 1} of {STEPS.length}
      </p>
      <h2 id="tour-title" ref={heading} tabIndex={-1}>
        {current.title}
      </h2>
      <p>{current.text}</p>
      <div class="tour-actions">
        <Button kind="quiet" size="small" onClick={end}>
          {isLast ? 'Close' : 'Skip the tour'}
        </Button>
        <Button kind="main" size="small" onClick={goOn}>
          {isLast ? 'Switch AEB off' : 'Next'}
        </Button>
      </div>
    </section>
  );
}
