import { Button } from '../../common/button.tsx';
import { Loading } from '../../common/states.tsx';
import { showToast } from '../../common/toasts.tsx';
import type { FleetEntry } from '../api/types.ts';
import { formatInteger, kmh } from '../formatting.ts';
import { useViewer } from '../page/context.ts';
import { Features } from './features.tsx';
import { stateOf } from './fleet.tsx';
import { HistoryPlots } from './history.tsx';
import { Icon } from './icons.tsx';
import { RightPanel } from './right-panel.tsx';

/** The picked car: telemetry, history, features and identity. */
export function CarPanel() {
  const { car } = useViewer();
  const entry = car.entry.value;
  if (entry === null) {
    return (
      <RightPanel title="Car" subtitle="">
        <UnknownCar />
      </RightPanel>
    );
  }
  return (
    <RightPanel title={entry.plate} subtitle={entry.model} colour={entry.colour}>
      <Telemetry />
      <HistoryPlots />
      <Features />
      <Identity entry={entry} />
    </RightPanel>
  );
}

/** The VIN of the address is not in the fleet, or the fleet is still loading. */
function UnknownCar() {
  if (useViewer().live.fleet.value.length === 0) return <Loading what="the car" />;
  return <p>There is no car with this VIN in this city.</p>;
}

function Telemetry() {
  const { live, car, map } = useViewer();
  const vehicle = live.latest.value?.vehicles[car.index.value];
  const road = map.value?.roads.find(({ id }) => id === vehicle?.road);
  const gap = vehicle?.gap ?? null;
  const state = stateOf(vehicle);
  return (
    <dl class="figures" aria-label="Telemetry">
      <div>
        <dt>Speed</dt>
        <dd>{vehicle ? kmh(vehicle.speed) : '–'}</dd>
      </div>
      <div>
        <dt>Gap ahead</dt>
        <dd>{gap === null ? 'Free' : `${gap.toFixed(1)} m`}</dd>
      </div>
      <div>
        <dt>State</dt>
        <dd data-kind={state === 'Crashed' ? 'bad' : undefined}>{state || '–'}</dd>
      </div>
      <div class="figures-wide">
        <dt>Street</dt>
        <dd>{road?.name ?? 'At a junction'}</dd>
      </div>
    </dl>
  );
}

function Identity({ entry }: { entry: FleetEntry }) {
  const { streets } = useViewer().car;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(entry.vin);
      showToast('The VIN is copied.');
    } catch {
      showToast('This browser does not let the page copy: select the VIN by hand.', 'bad');
    }
  };
  return (
    <section class="section" aria-labelledby="identity">
      <h3 id="identity">Identity</h3>
      <dl class="pairs">
        <div>
          <dt>VIN</dt>
          <dd class="vin">
            <span class="mono">{entry.vin}</span>
            <Button kind="quiet" size="small" label="Copy the VIN" icon onClick={copy}>
              <Icon name="copy" />
            </Button>
          </dd>
        </div>
        <div>
          <dt>Model</dt>
          <dd>{entry.model}</dd>
        </div>
        <div>
          <dt>Colour</dt>
          <dd>{entry.colour}</dd>
        </div>
        <div>
          <dt>Route</dt>
          <dd>
            {streets.value.length === 0 ? '–' : `${formatInteger(streets.value.length)} streets`}
          </dd>
        </div>
      </dl>
      {streets.value.length === 0 ? null : <p class="small soft">{streets.value.join(' · ')}</p>}
    </section>
  );
}
