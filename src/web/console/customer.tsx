import { Pairs } from '../common/pairs.tsx';
import { ResourceView } from '../common/states.tsx';
import { dayOf, Page, Vin } from './parts.tsx';
import { FIELDS, GROUPS, type ProfileField, SECRETS } from './profile-fields.ts';
import { session, useCall } from './session.ts';
import type { Customer } from './types.ts';

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
  return (
    <div class="sheets">
      <section class="panel" aria-labelledby="account">
        <h2 id="account">Account</h2>
        <Pairs
          pairs={[
            ['Username', customer.username],
            ['Customer since', dayOf(customer.created_at)],
            ...customer.cars.map((vin) => ['Car', <Vin vin={vin} key={vin} />] as const),
          ]}
        />
      </section>
      {Object.entries({ ...CONTACT, ...GROUPS }).map(([title, fields]) => (
        <section class="panel" aria-label={title} key={title}>
          <h2>{title}</h2>
          <Pairs pairs={fields.map((field) => [FIELDS[field].label, shown(customer, field)])} />
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
