import { useComputed, useSignal } from '@preact/signals';
import { Loading } from '../../common/states.tsx';
import type { FleetEntry, Vehicle } from '../api/types.ts';
import { matchesSearch } from '../formatting.ts';
import { useViewer } from '../page/context.ts';

/** All cars, with a search. */
export function Fleet() {
  const { live } = useViewer();
  const search = useSignal('');
  const fleet = live.fleet.value;
  const found = fleet.filter((car) => matchesSearch(car, search.value)).length;
  return (
    <>
      <div class="panel-tools">
        <label class="visually-hidden" for="fleet-search">
          Search by plate, model or VIN
        </label>
        <input
          id="fleet-search"
          class="search"
          type="search"
          placeholder="Plate, model or VIN"
          autocomplete="off"
          spellcheck={false}
          value={search.value}
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
          }}
        />
        <p class="visually-hidden" role="status">
          {search.value === '' ? '' : `${found} of ${fleet.length} cars`}
        </p>
      </div>
      {fleet.length === 0 && live.status.value !== 'gone' ? <Loading what="the cars" /> : null}
      <ul class="rows" aria-label="Cars">
        {fleet.map((car, index) => (
          <li key={car.vin} hidden={!matchesSearch(car, search.value)}>
            <FleetRow car={car} index={index} />
          </li>
        ))}
      </ul>
      {fleet.length > 0 && found === 0 ? (
        <p class="panel-text soft">No car has that plate, model or VIN.</p>
      ) : null}
    </>
  );
}

function FleetRow({ car, index }: { car: FleetEntry; index: number }) {
  const viewer = useViewer();
  const state = useComputed(() => stateOf(viewer.frame.value?.vehicles[index]));
  const isPicked = viewer.car.vin.value === car.vin;
  return (
    <button
      type="button"
      class="row"
      aria-pressed={isPicked}
      onClick={() => (isPicked ? viewer.pick(null) : viewer.pickIndex(index))}
    >
      <span class="swatch" style={{ background: car.colour }} />
      <span class="row-name">
        <span class="plate">{car.plate}</span>
        <span class="small soft">{car.model}</span>
      </span>
      <span class="tag" data-kind={KINDS[state.value]}>
        {state.value}
      </span>
    </button>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  Crashed: 'bad',
  AEB: 'warn',
  ESC: 'warn',
  Evading: 'warn',
};

/** The state of a car in one word. */
export function stateOf(car: Vehicle | undefined): string {
  if (car === undefined) return '';
  if (car.status === 'crashed') return 'Crashed';
  if (car.aeb) return 'AEB';
  if (car.evasive) return 'Evading';
  if (car.esc) return 'ESC';
  return car.status === 'stopped' ? 'Stopped' : 'Driving';
}
