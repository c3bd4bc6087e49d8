import { Pairs } from '../common/pairs.tsx';
import { ResourceView } from '../common/states.tsx';
import { AuditTrail } from './audit-trail.tsx';
import { CarLooks, dayOf, Page, Vin } from './parts.tsx';
import { FIELDS, GROUPS, type ProfileField, SECRETS } from './profile-fields.ts';
import { useCars } from './records.tsx';
import { session, useCall } from './session.ts';
import type { Car, Customer } from './types.ts';

const CONTACT = { Contact: ['email', 'phone', 'address', 'dealer'] } as const;

/** One customer, with what the account may see. */
export function CustomerPage({ username }: { username: string }) {
  const customer = useCall<Customer>(`/api/customers/${encodeURIComponent(username)}`);
  const title = customer.value?.name ?? username;
  return (
    <Page title={title} lead={<a href="#/customers">All customers</a>}>
      <ResourceView resource={customer} what="the customer">
        {(known) => <Sheets customer={known} />}
      </ResourceView>
    </Page>
  );
}

function Sheets({ customer }: { customer: Customer }) {
  const cars = useCars();
  const isAdmin = session.value?.role === 'admin';
  return (
    <div class="sheets">
      <section class="panel" aria-labelledby="account">
        <h2 id="account">Account</h2>
        <Pairs
          pairs={[
            ['Username', customer.username],
            ['Customer since', dayOf(customer.created_at)],
          ]}
        />
      </section>
      <section class="panel" aria-labelledby="their-cars">
        <h2 id="their-cars">Cars</h2>
        {customer.cars.length === 0 ? <p class="soft">None.</p> : null}
        <ul class="their-cars">
          {customer.cars.map((vin) => (
            <li key={vin}>
              <TheirCar car={cars.value?.find((each) => each.vin === vin)} vin={vin} />
            </li>
          ))}
        </ul>
      </section>
      {Object.entries({ ...CONTACT, ...GROUPS }).map(([title, fields]) => (
        <section class="panel" aria-label={title} key={title}>
          <h2>{title}</h2>
          <Pairs pairs={fields.map((field) => [FIELDS[field].label, shown(customer, field)])} />
        </section>
      ))}
      {isAdmin ? (
        <AuditTrail
          of="customer"
          path={`/api/customers/${encodeURIComponent(customer.username)}`}
          stamp=""
        />
      ) : null}
    </div>
  );
}

/** Plate and model once they are known. */
function TheirCar({ car, vin }: { car: Car | undefined; vin: string }) {
  return car === undefined ? <Vin vin={vin} /> : <CarLooks car={car} isLink />;
}

function shown(customer: Customer, field: ProfileField) {
  const value = customer[field];
  if (value !== null && value !== '') return value;
  const isHidden = SECRETS.includes(field) && session.value?.role !== 'admin';
  return <span class="soft">{isHidden ? 'hidden from dealers' : 'not given'}</span>;
}
