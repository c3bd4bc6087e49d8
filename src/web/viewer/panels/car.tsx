import { Button } from '../../common/button.tsx';
import { colourName } from '../../common/colours.ts';
import { copyText } from '../../common/copy.ts';
import { Pairs } from '../../common/pairs.tsx';
import { Loading, Note } from '../../common/states.tsx';
import { showToast } from '../../common/toasts.tsx';
import { type FleetEntry, type Incident, TICKS_PER_S } from '../api/types.ts';
import { formatInteger, inSentence, joinWords, kmh } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { headline } from '../replay/headline.ts';
import { Features } from './features.tsx';
import { stateOf } from './fleet.tsx';
import { HistoryPlots } from './history.tsx';
import { IconButton } from './icons.tsx';
import { Remote } from './remote.tsx';
import { RightPanel } from './right-panel.tsx';

/** A collision is shown in the panel of its car for so long: two minutes. */
const CRASH_TICKS = 120 * TICKS_PER_S;

/** The picked car: telemetry, history, features and identity. */
export function CarPanel() {
  const { live, car, isLive } = useViewer();
  const entry = car.entry.value;
  if (entry === null) {
    const isLoading = live.fleet.value.length === 0 && live.status.value !== 'gone';
    return (
      <RightPanel title="Car" subtitle="">
        {isLoading ? (
          <Loading what="the car" />
        ) : (
          <p>There is no car with this VIN in this city.</p>
        )}
      </RightPanel>
    );
  }
  return (
    <RightPanel title={entry.plate} subtitle={entry.model} colour={entry.colour}>
      <Telemetry />
      {isLive.value ? <HistoryPlots /> : null}
      <Features />
      <Remote vin={entry.vin} />
      <Identity entry={entry} />
      <Crash vin={entry.vin} />
    </RightPanel>
  );
}

/** The last collision of the car, if it was not long ago. */
function Crash({ vin }: { vin: string }) {
  const viewer = useViewer();
  const nowTick = viewer.frame.value?.tick ?? 0;
  const incident = viewer.eventFeed.incidents.value.find(
    ({ tick, vehicles }) => tick <= nowTick && vehicles.some((each) => each.vin === vin),
  );
  if (incident === undefined || nowTick - incident.tick > CRASH_TICKS) return null;
  // At the foot of the panel: what is above must not move under a finger.
  return (
    <div class="panel-foot">
      <Note kind="warn">
        <p>{headline(incident, viewer.spots.value)}</p>
        <Towed incident={incident} vin={vin} />
        <Button size="small" onClick={() => viewer.openIncident(incident.id)}>
          See why
        </Button>
      </Note>
    </div>
  );
}

/** Where a car that has crashed is now, if that is not where it crashed. */
function Towed({ incident, vin }: { incident: Incident; vin: string }) {
  const { eventFeed, car, isLive } = useViewer();
  const isTowed = eventFeed.events.value.some(
    (each) => each.vin === vin && each.consequence === 'tow' && each.tick >= incident.tick,
  );
  if (!isTowed || !isLive.value) return null;
  const declared = car.features.value?.declared;
  const off = incident.vehicles.find((each) => each.vin === vin)?.off ?? [];
  const lacks = joinWords(off.filter((name) => declared?.[name] === false).map(inSentence));
  return (
    <p class="small">
      It was towed away and put back elsewhere{lacks === '' ? '' : `, still without its ${lacks}`}.
    </p>
  );
}

function Telemetry() {
  const { frame, car, map } = useViewer();
  const vehicle = frame.value?.vehicles[car.index.value];
  const road = map.value?.roads.find(({ id }) => id === vehicle?.road);
  const gap = vehicle?.gap ?? null;
  const state = stateOf(vehicle);
  return (
    <Pairs
      kind="figures telemetry"
      label="Telemetry"
      pairs={[
        ['Speed', vehicle ? kmh(vehicle.speed) : '–'],
        ['Gap ahead', gap === null ? 'Free' : `${gap.toFixed(1)} m`],
        ['State', state === 'Crashed' ? <span class="crashed">{state}</span> : state || '–'],
        ['Where', road?.name ?? 'At a junction'],
      ]}
    />
  );
}

function Identity({ entry }: { entry: FleetEntry }) {
  const { streets } = useViewer().car;
  const copy = async () => {
    const isCopied = await copyText(entry.vin);
    if (isCopied) showToast('The VIN is copied.', { topic: 'vin' });
    else
      showToast('This browser does not let the page copy: select the VIN by hand.', {
        ...{ kind: 'bad', topic: 'vin', stays: false },
      });
  };
  const count = streets.value.length;
  const vin = (
    <span class="vin">
      <span class="mono">{entry.vin}</span>
      <IconButton name="copy" kind="quiet" size="small" label="Copy the VIN" onClick={copy} />
    </span>
  );
  return (
    <section class="section" aria-labelledby="identity">
      <h3 id="identity">Identity</h3>
      <Pairs
        pairs={[
          ['VIN', vin],
          ['Model', entry.model],
          ['Colour', colourName(entry.colour)],
          ['Route', count === 0 ? '–' : `${formatInteger(count)} streets`],
        ]}
      />
      {count === 0 ? null : <p class="small soft">{streets.value.join(' · ')}</p>}
    </section>
  );
}
