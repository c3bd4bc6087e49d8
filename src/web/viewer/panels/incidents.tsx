import { type Signal, useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { Button } from '../../common/button.tsx';
import { useHeld } from '../../common/held.ts';
import { Empty, Loading } from '../../common/states.tsx';
import type { Incident } from '../api/types.ts';
import { formatClock, title } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { groupRepeats } from '../page/repeats.ts';
import type { Viewer } from '../page/viewer.ts';
import { headline } from '../replay/headline.ts';

/** A world may have very many incidents: the whole list is rendered on request. */
const SHOWN_FIRST = 50;

const SEVERITY_KINDS = { slight: 'plain', serious: 'warn', severe: 'bad' } as const;

/** All collisions, newest first; those of the same parties in the same street are folded. */
export function Incidents() {
  const viewer = useViewer();
  const { eventFeed, live } = viewer;
  const showsAll = useSignal(false);
  /** What the visitor has unfolded. */
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const { shown: incidents, handlers } = useHeld(eventFeed.incidents.value);
  if (incidents.length === 0 && live.status.value === 'gone') return null;
  if (!eventFeed.areRead.value) return <Loading what="the incidents" />;
  if (incidents.length === 0 && eventFeed.lacksEarlier.value) {
    return (
      <Empty title="Earlier collisions are still being read">
        <p>If there are any, they appear here.</p>
      </Empty>
    );
  }
  if (incidents.length === 0) {
    return (
      <Empty title="No collision so far">
        <p>Switch something off on a car and watch what follows.</p>
      </Empty>
    );
  }
  const mayFold = (group: readonly Incident[]) => !group.some((each) => isOwn(each, viewer));
  const rows = groupRepeats(
    incidents,
    partiesOf,
    (key, group) => opened.value.has(key) || !mayFold(group),
  );
  const shown = showsAll.value ? rows : rows.slice(0, SHOWN_FIRST);
  return (
    <>
      <ol class="rows" aria-label="Incidents, newest first" {...handlers}>
        {shown.map(({ entry, older }) => (
          <Fragment key={entry.id}>
            <IncidentRow incident={entry} />
            {older.length > 0 && mayFold([entry, ...older]) ? (
              <Fold count={older.length} of={partiesOf(entry)} opened={opened} />
            ) : null}
          </Fragment>
        ))}
      </ol>
      {shown.length < rows.length ? (
        <div class="panel-text">
          <Button
            onClick={() => {
              showsAll.value = true;
            }}
          >
            Show all {rows.length}
          </Button>
        </div>
      ) : null}
    </>
  );
}

/** Whom and what a collision was between, and where. */
const partiesOf = ({ vehicles, other, place }: Incident): string =>
  [...vehicles.map(({ vin }) => vin), ...other.map(({ kind }) => kind), place.street].join(' ');

/** What a visitor looks for is folded behind nothing: the open report, and what happened to the own car. */
function isOwn({ id, vehicles }: Incident, { replay, car, demonstration }: Viewer): boolean {
  const own = [car.vin.value, demonstration.off.value?.vin];
  return id === replay.id.value || vehicles.some(({ vin }) => own.includes(vin));
}

interface FoldProps {
  /** Of what is or was folded. */
  count: number;
  of: string;
  opened: Signal<ReadonlySet<string>>;
}

function Fold({ count, of, opened }: FoldProps) {
  const isOpen = opened.value.has(of);
  return (
    <li>
      <button
        type="button"
        class="row small soft"
        aria-expanded={isOpen}
        onClick={() => {
          const others = new Set(opened.value);
          if (!others.delete(of)) others.add(of);
          opened.value = others;
        }}
      >
        {isOpen ? 'Hide' : 'Show'} {count} more like this
      </button>
    </li>
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
