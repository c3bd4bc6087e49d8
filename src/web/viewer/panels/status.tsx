import { Button } from '../../common/button.tsx';
import { title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import type { LiveWorld, Status } from '../page/live-world.ts';

const DETAILS: Readonly<Record<Status, string>> = {
  connecting: 'Waiting for the first frame.',
  live: 'You see what happens now.',
  behind: 'The newest frame is more than a second old.',
  reconnecting: 'The connection is lost. You see the last state that arrived.',
  polling: 'WebSockets are blocked here. The page asks for the state a few times a second.',
  gone: 'This city no longer exists.',
};

function detailOf({ status, latest }: LiveWorld): string {
  const isBlank = status.value === 'reconnecting' && latest.value === null;
  return isBlank ? 'The service does not answer. The page asks again soon.' : DETAILS[status.value];
}

/** The state of the connection. */
export function StatusChip() {
  const { live, replay } = useViewer();
  const status = live.status.value;
  const isReplay = replay.asItWas.value !== null && status !== 'gone';
  const meanwhile = status === 'live' ? 'The city goes on meanwhile.' : detailOf(live);
  const detail = isReplay ? `You see what happened. ${meanwhile}` : detailOf(live);
  return (
    <div
      class="status"
      role="status"
      data-state={status}
      data-shows={isReplay ? 'replay' : 'live'}
      title={detail}
    >
      <span class="status-dot" />
      {isReplay ? 'Replay' : title(status)}
      <span class="visually-hidden">. {detail}</span>
    </div>
  );
}

/** A warning over the map while the connection is not live. */
export function StatusNote() {
  const viewer = useViewer();
  const status = viewer.live.status.value;
  if (status !== 'polling' && status !== 'reconnecting' && status !== 'behind') return null;
  return (
    <div class="status-note" data-state={status}>
      {/* Screen readers announce the chip, which says the same. */}
      <p aria-hidden="true">{detailOf(viewer.live)}</p>
      {status === 'reconnecting' ? (
        <Button size="small" onClick={() => viewer.live.retryNow()}>
          Try now
        </Button>
      ) : null}
    </div>
  );
}
