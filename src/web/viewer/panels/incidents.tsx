import { useSignal } from '@preact/signals';
import { Button } from '../../common/button.tsx';
import { useHeld } from '../../common/held.ts';
import { Empty, Loading } from '../../common/states.tsx';
import type { Incident } from '../api/types.ts';
import { formatClock, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { groupRepeats, type Repeats } from '../page/repeats.ts';
import { headline } from '../replay/headline.ts';

/** A world may have very many incidents: the whole list is rendered on request. */
const SHOWN_FIRST = 50;

const SEVERITY_KINDS = { slight: 'plain', serious: 'warn', severe: 'bad' } as const;

/** All collisions, newest first; those of the same parties in the same street are one group. */
export function Incidents() {
  const { eventFeed } = useViewer();
  const showsAll = useSignal(false);
  const { shown: incidents, handlers } = useHeld(eventFeed.incidents.value);
  if (!eventFeed.areRead.value) return <Loading what="the incidents" />;
  if (incidents.length === 0) {
    return (
      <Empty title="No collision so far">
        <p>Switch something off on a car and watch what follows.</p>
      </Empty>
    );
  }
  const groups = groupRepeats(incidents, partiesOf);
  const shown = showsAll.value ? groups : groups.slice(0, SHOWN_FIRST);
  return (
    <>
      <ol class="rows" aria-label="Incidents, newest first" {...handlers}>
        {shown.map((repeats) => (
          <IncidentGroup repeats={repeats} key={repeats.older.at(-1)?.id ?? repeats.newest.id} />
        ))}
      </ol>
      {shown.length < groups.length ? (
        <div class="panel-text">
          <Button
            onClick={() => {
              showsAll.value = true;
            }}
          >
            Show all {groups.length}
          </Button>
        </div>
      ) : null}
    </>
  );
}

/** Whom and what a collision was between, and where. */
const partiesOf = ({ vehicles, other, place }: Incident): string =>
  [...vehicles.map(({ vin }) => vin), ...other.map(({ kind }) => kind), place.street].join(' ');

/** Its newest incident, and the others on request. */
function IncidentGroup({ repeats: { newest, older } }: { repeats: Repeats<Incident> }) {
  const isOpen = useSignal(false);
  return (
    <>
      <IncidentRow incident={newest} />
      {older.length === 0 ? null : (
        <li>
          <button
            type="button"
            class="row small soft"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {isOpen.value ? 'Hide' : 'Show'} {older.length} more like this
          </button>
        </li>
      )}
      {isOpen.value ? older.map((each) => <IncidentRow incident={each} key={each.id} />) : null}
    </>
  );
}

function IncidentRow({ incident }: { incident: Incident }) {
  const viewer = useViewer();
  const { severity } = incident.earned;
  const isEarlier = viewer.eventFeed.earlier.has(incident.id);
  return (
    <li>
      <button
        type="button"
        class="row row-event"
        aria-pressed={viewer.replay.id.value === incident.id}
        onClick={() => viewer.openIncident(incident.id)}
      >
        <span class="row-line">
          <span class="tag" data-kind={SEVERITY_KINDS[severity]}>
            {title(severity)}
          </span>
          <time class="small soft">{formatClock(incident.time)}</time>
        </span>
        <span class="row-text">{headline(incident, viewer.spots.value)}</span>
        <span class="row-line small">
          <span class="soft">{incident.place.street}</span>
          {isEarlier ? (
            <span class="soft">Report only, no replay</span>
          ) : (
            <span class="see-why">See why</span>
          )}
        </span>
      </button>
    </li>
  );
}
