import { useViewer } from '../page/context.ts';
import type { Status } from '../page/live-world.ts';

const WORDS: Readonly<Record<Status, { name: string; detail: string }>> = {
  connecting: { name: 'Connecting', detail: 'Waiting for the first frame.' },
  live: { name: 'Live', detail: 'You see what happens now.' },
  behind: { name: 'Behind', detail: 'The newest frame is more than a second old.' },
  reconnecting: {
    name: 'Reconnecting',
    detail: 'The connection is lost. You see the last state that arrived.',
  },
  polling: {
    name: 'Polling',
    detail: 'WebSockets are blocked here. The page asks for the state a few times a second.',
  },
  gone: { name: 'Gone', detail: 'This city no longer exists.' },
};

/** The state of the connection. */
export function StatusChip() {
  const status = useViewer().live.status.value;
  const { name, detail } = WORDS[status];
  return (
    <div class="status" role="status" data-state={status} title={detail}>
      <span class="status-dot" />
      {name}
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
      {WORDS[status].detail}
    </p>
  );
}
