import { useHeld } from '../../common/held.ts';
import { Empty, Loading } from '../../common/states.tsx';
import type { WorldEvent } from '../api/types.ts';
import { formatClock, sentence } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { groupRepeats, type Repeats } from '../page/repeats.ts';

const KINDS: Readonly<Record<WorldEvent['kind'], { name: string; kind: string }>> = {
  hazard: { name: 'Hazard', kind: 'warn' },
  intervention: { name: 'Intervention', kind: 'good' },
  configuration: { name: 'Feature', kind: 'plain' },
  collision: { name: 'Collision', kind: 'bad' },
};

/** The last events, newest first; what repeats is one row. */
export function Events() {
  const { eventFeed, timeLine, live } = useViewer();
  // A replay and what might have been are about other moments, and leave the list as it is.
  const isPast = timeLine.isPast.value;
  const { shown, handlers } = useHeld((isPast ? timeLine : eventFeed).events.value);
  if (shown.length === 0 && live.status.value === 'gone') return null;
  if (!eventFeed.areRead.value) return <Loading what="the events" />;
  if (shown.length === 0) {
    return (
      <Empty title="Nothing has happened yet">
        <p>Hazards, interventions, switched features and collisions appear here.</p>
      </Empty>
    );
  }
  return (
    <ol class="rows" aria-label="Events, newest first" {...handlers}>
      {groupRepeats(shown, keyOf).map((repeats) => (
        <EventRow repeats={repeats} key={repeats.entry.seq} />
      ))}
    </ol>
  );
}

/** A collision is told once for each incident, all else once for all that reads the same. */
const keyOf = ({ incident, kind, message }: WorldEvent): string => incident ?? `${kind} ${message}`;

function EventRow({ repeats }: { repeats: Repeats<WorldEvent> }) {
  const viewer = useViewer();
  const { entry: event, older } = repeats;
  const times = older.reduce((sum, { count }) => sum + count, event.count);
  const { name, kind } = KINDS[event.kind];
  const act = () => {
    if (event.incident !== null) viewer.openIncident(event.incident);
    else viewer.pickIndex(viewer.live.fleet.value.findIndex(({ vin }) => vin === event.vin));
  };
  return (
    <li>
      <button
        type="button"
        class="row row-event"
        disabled={event.vin === null && event.incident === null}
        onClick={act}
      >
        <span class="row-line">
          <span class="tag" data-kind={kind}>
            {name}
          </span>
          <time class="small soft">{formatClock(event.time)}</time>
        </span>
        <span class="row-text">{sentence(event.message)}</span>
        {event.incident === null ? null : <span class="see-why small">See why</span>}
        {times > 1 ? <span class="small soft">{times} times</span> : null}
      </button>
    </li>
  );
}
