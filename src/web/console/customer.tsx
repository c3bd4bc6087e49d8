import { useResource } from '../common/resource.ts';
import { ResourceView } from '../common/states.tsx';
import { dayOf, Page, Vin } from './parts.tsx';
import { LABELS, type ProfileField } from './profile-fields.ts';
import { call, session } from './session.ts';
import type { Customer } from './types.ts';

const GROUPS: Readonly<Record<string, readonly ProfileField[]>> = {
  Contact: ['email', 'phone', 'address', 'dealer'],
  'In an emergency': ['emergency_contact', 'emergency_phone', 'insurance_policy'],
  'Identity and payment': ['personnummer', 'iban', 'charging_card_rfid'],
  Places: ['home_lat', 'home_lng', 'work_lat', 'work_lng'],
};
const SECRETS: readonly ProfileField[] = GROUPS['Identity and payment'] ?? [];

/** One customer, with all that whoever is logged in may see. */
export function CustomerPage({ username }: { username: string }) {
  const customer = useResource(
    (signal) => call<Customer>(`/api/customers/${encodeURIComponent(username)}`, { signal }),
    [username, session.value?.token],
  );
  const title = customer.value?.name ?? username;
  return (
    <Page title={String(title)} lead={<a href="#/customers">All customers</a>}>
      <ResourceView resource={customer} what="the customer">
        {(known) => <Sheets customer={known} />}
      </ResourceView>
    </Page>
  );
}

function Sheets({ customer }: { customer: Customer }) {
  return (
    <div class="sheets">
      <section class="panel" aria-labelledby="account">
        <h2 id="account">Account</h2>
        <dl class="pairs">
          <div>
            <dt>Username</dt>
            <dd>{customer.username}</dd>
          </div>
          <div>
            <dt>Customer since</dt>
            <dd>{dayOf(customer.created_at)}</dd>
          </div>
          {customer.cars.map((vin) => (
            <div key={vin}>
              <dt>Car</dt>
              <dd>
                <Vin vin={vin} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      {Object.entries(GROUPS).map(([title, fields]) => (
        <section class="panel" aria-label={title} key={title}>
          <h2>{title}</h2>
          <dl class="pairs">
            {fields.map((field) => (
              <div key={field}>
                <dt>{LABELS[field]}</dt>
                <dd>{shown(customer, field)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

function shown(customer: Customer, field: ProfileField) {
  const value = customer[field];
  if (value !== null && value !== '') return value;
  const isHidden = SECRETS.includes(field) && session.value?.role !== 'admin';
  return <span class="soft">{isHidden ? 'hidden from dealers' : 'not given'}</span>;
}
