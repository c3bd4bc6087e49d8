import { useState } from 'preact/hooks';
import { Field, Select } from '../common/field.tsx';
import { RequestError } from '../common/request.ts';
import { Failure, Note } from '../common/states.tsx';
import { type Form, useForm } from './form.ts';
import { CityLink, Submit } from './parts.tsx';
import { dealerOptions, useDealers } from './records.tsx';
import { route } from './route.ts';
import { call, session } from './session.ts';
import { NEW_CITY_URL } from './settings.ts';
import type { Car } from './types.ts';

const VIN = /^[A-HJ-NPR-Z0-9]{17}$/i;

/** Puts a car into a fleet by its VIN. */
export function AddCar({ onAdded }: { onAdded: (car: Car) => void }) {
  const [added, setAdded] = useState<Car>();
  /** What was asked about, as it is no VIN. */
  const [doubted, setDoubted] = useState('');
  const isAdmin = session.value?.role === 'admin';
  const form = useForm(
    { vin: route.value.query.get('add') ?? '', dealer: '' },
    async ({ vin, dealer }) => {
      // What was said about the car before says nothing about this one.
      setAdded(undefined);
      // Anything is a VIN to the service, as the cars of others are.
      if (!VIN.test(vin.trim()) && doubted !== vin.trim()) {
        setDoubted(vin.trim());
        throw new RequestError(
          0,
          'A VIN has 17 letters and digits, without I, O and Q. Press the button again to add this all the same.',
        );
      }
      const whose = isAdmin && dealer !== '' ? { dealer } : {};
      const body = { vin: vin.trim(), ...whose };
      const car = await call<Car>('/api/cars/add-to-fleet', { method: 'POST', body });
      setAdded(car);
      onAdded(car);
      form.fill({ vin: '', dealer });
    },
  );
  return (
    <section class="panel" aria-labelledby="add-car">
      <h2 id="add-car">Add a car</h2>
      <form class="form form-line" {...form.attributes}>
        <Field label="VIN" placeholder="Paste it here" required {...form.field('vin')} />
        {isAdmin ? <FleetSelect form={form} /> : null}
        <Submit form={form}>Add to fleet</Submit>
      </form>
      <div>
        <p class="small soft">
          The VIN of a car that drives in a city adds its model, plate and colour:{' '}
          <a href={NEW_CITY_URL}>open a city</a>, pick a car and copy its VIN.
        </p>
        <Failure text={form.failure} />
        <div role="status">{added === undefined ? null : <Added car={added} />}</div>
      </div>
    </section>
  );
}

function FleetSelect({ form }: { form: Form<'vin' | 'dealer'> }) {
  const dealers = useDealers();
  return (
    <Select label="Fleet of" required {...form.field('dealer')}>
      <option value="">Choose a dealer</option>
      {dealerOptions(dealers.value ?? [])}
    </Select>
  );
}

function Added({ car }: { car: Car }) {
  const { model, plate, colour, vin, dealer, viewer_url } = car;
  const looks = [model, plate, colour].filter((each) => each !== null).join(', ');
  return (
    <Note kind="good">
      <p>
        {looks === '' ? vin : looks} is in the fleet of {dealer} now.
        {viewer_url === null ? ' It lives in no city.' : ''}
      </p>
      {viewer_url === null ? null : <CityLink car={car} />}
    </Note>
  );
}
