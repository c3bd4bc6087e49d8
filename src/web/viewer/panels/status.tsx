import { title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import type { Status } from '../page/live-world.ts';

const DETAILS: Readonly<Record<Status, string>> = {
  connecting: 'Waiting for the first frame.',
  live: 'You see what happens now.',
  behind: 'The newest frame is more than a second old.',
  reconnecting: 'The connection is lost. You see the last state that arrived.',
  polling: 'WebSockets are blocked here. The page asks for the state a few times a second.',
  gone: 'This city no longer exists.',
};

/** The state of the connection. */
export function StatusChip() {
  const status = useViewer().live.status.value;
  const detail = DETAILS[status];
  return (
    <div class="status" role="status" data-state={status} title={detail}>
      <span class="status-dot" />
      {title(status)}
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
    // Screen readers announce the chip, which says the same.
    <p class="status-note" aria-hidden="true" data-state={status}>
      {DETAILS[status]}
    </p>
  );
}
