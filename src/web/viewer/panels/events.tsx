import { Empty, Loading } from '../../common/states.tsx';
import type { WorldEvent } from '../api/types.ts';
import { formatClock, sentence } from '../formatting.ts';
import { useViewer } from '../page/context.ts';

const KINDS: Readonly<Record<WorldEvent['kind'], { name: string; kind: string }>> = {
  hazard: { name: 'Hazard', kind: 'warn' },
  intervention: { name: 'Intervention', kind: 'good' },
  configuration: { name: 'Feature', kind: 'plain' },
  collision: { name: 'Collision', kind: 'bad' },
};

/** The last events, newest first. */
export function Events() {
  const { eventFeed } = useViewer();
  if (!eventFeed.areRead.value) return <Loading what="the events" />;
  if (eventFeed.events.value.length === 0) {
    return (
      <Empty title="Nothing has happened yet">
        <p>Hazards, interventions, switched features and collisions appear here.</p>
      </Empty>
    );
  }
  return (
    <ol class="rows" aria-label="Events, newest first">
      {eventFeed.events.value.map((event) => (
        <EventRow event={event} key={event.seq} />
      ))}
    </ol>
  );
}

function EventRow({ event }: { event: WorldEvent }) {
  const viewer = useViewer();
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
      </button>
    </li>
  );
}
