import { Button } from '../../common/button.tsx';
import { ago, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import type { LiveWorld, Status } from '../page/live-world.ts';
import type { Viewer } from '../page/viewer.ts';

const DETAILS: Readonly<Record<Status, string>> = {
  connecting: 'Waiting for the first frame.',
  live: 'You see what happens now.',
  unverified:
    'This page computes what you see, and it could not be checked against the service. It may be wrong.',
  behind: 'The newest frame is more than a second old.',
  reconnecting: 'The connection is lost. The page asks again soon.',
  polling: 'WebSockets are blocked here. The page asks for the state a few times a second.',
  gone: 'This city no longer exists.',
};

/** What is shown that is not live: a word for it, and a sentence. */
const SHOWN = {
  opening: ['Opening the replay…', 'The map shows the live city until it is there.'],
  replay: ['Replay', 'You see what happened.'],
  'what-if': ['What if', 'You see what would have happened.'],
  past: ['Past', 'You see an earlier moment.'],
} as const;

type Shown = 'live' | keyof typeof SHOWN;

function shownOf({ live, replay, timeLine, whatIf }: Viewer): Shown {
  if (live.status.value === 'gone') return 'live';
  if (replay.isOpening.value) return 'opening';
  if (replay.asItWas.value !== null) return 'replay';
  if (whatIf.isOpen.value) return 'what-if';
  return timeLine.isPast.value ? 'past' : 'live';
}

/** What is true of the connection, and of the live city where that is shown. */
export function detailOf(
  { status, latest, goesOn }: Pick<LiveWorld, 'status' | 'latest' | 'goesOn'>,
  shown: Shown,
): string {
  const isOnMap = shown === 'live' || shown === 'opening';
  if (status.value !== 'reconnecting' || !isOnMap) return DETAILS[status.value];
  if (latest.value === null) return 'The service does not answer. The page asks again soon.';
  return goesOn.value
    ? 'The connection is lost. The city goes on in this page, without what is switched meanwhile.'
    : 'The connection is lost. You see the last state that arrived.';
}

/** The state of the connection, or which moment is shown instead of the live one. */
export function StatusChip() {
  const viewer = useViewer();
  const { live, timeLine } = viewer;
  const status = live.status.value;
  const shown = shownOf(viewer);
  const ofLive = detailOf(live, shown);
  const meanwhile = status === 'live' ? 'The city goes on meanwhile.' : ofLive;
  const [word, sentence] = shown === 'live' ? [title(status), ''] : SHOWN[shown];
  const detail = shown === 'live' ? ofLive : `${sentence} ${meanwhile}`;
  const isPast = shown === 'past';
  const tick = isPast ? ` Tick ${Math.round(timeLine.player.tick.value)}.` : '';
  return (
    <div
      class="status"
      role="status"
      data-state={status}
      data-shows={shown}
      title={`${detail}${tick}`}
    >
      <span class="status-dot" />
      {/* It changes every second: screen readers would announce nothing else. */}
      {isPast ? <span aria-hidden="true">{ago(timeLine.agoTicks.value)}</span> : null}
      <span class={isPast ? 'visually-hidden' : undefined}>{word}</span>
      <span class="visually-hidden">. {detail}</span>
    </div>
  );
}

const WARNED: ReadonlySet<Status> = new Set(['polling', 'reconnecting', 'behind', 'unverified']);

/** A warning over the map while the connection is not live. */
export function StatusNote() {
  const viewer = useViewer();
  const status = viewer.live.status.value;
  if (!WARNED.has(status)) return null;
  return (
    <div class="status-note" data-state={status}>
      {/* Screen readers announce the chip, which says the same. */}
      <p aria-hidden="true">{detailOf(viewer.live, shownOf(viewer))}</p>
      {status === 'reconnecting' ? (
        <Button size="small" onClick={() => viewer.live.retryNow()}>
          Try now
        </Button>
      ) : null}
    </div>
  );
}
