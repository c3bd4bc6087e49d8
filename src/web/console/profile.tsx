import { Button } from '../common/button.tsx';
import { Field, Select } from '../common/field.tsx';
import { Pairs } from '../common/pairs.tsx';
import { Failure, ResourceView } from '../common/states.tsx';
import { showToast } from '../common/toasts.tsx';
import { AdminForm } from './admin-account.tsx';
import { AuditTrail } from './audit-trail.tsx';
import { useForm } from './form.ts';
import { dayOf, Page, Submit } from './parts.tsx';
import { FIELDS, GROUPS, PROFILE_FIELDS, type ProfileField, SECRETS } from './profile-fields.ts';
import { dealerOptions, useDealers, usePlatformState } from './records.tsx';
import { call, session, useCall } from './session.ts';
import type { Customer, Dealer, Profile } from './types.ts';

const DEALER_HINT = 'Can see your profile, except personal number, IBAN and charging card.';
const ABOUT = ['name', 'email', 'phone', 'address'] as const;

/** The account of the session. */
export function ProfilePage() {
  const profile = useCall<Profile>('/api/me/profile');
  return (
    <Page title="Your profile" lead={<>You are logged in as {session.value?.username}.</>}>
      <ResourceView resource={profile} what="your profile">
        {(known) => (
          <div class="narrow wide">
            {!('role' in known) ? (
              <DealerSheet dealer={known} />
            ) : known.role === 'user' ? (
              <>
                <ProfileForm customer={known} onSaved={(now) => profile.set(() => now)} />
                <AuditTrail
                  of="own"
                  path={`/api/customers/${encodeURIComponent(known.username)}`}
                  stamp={JSON.stringify(known)}
                />
              </>
            ) : (
              <AdminForm admin={known} onSaved={(now) => profile.set(() => now)} />
            )}
          </div>
        )}
      </ResourceView>
    </Page>
  );
}

type Values = Record<ProfileField, string>;

function valuesOf(customer: Customer): Values {
  const given = PROFILE_FIELDS.map((field) => [field, String(customer[field] ?? '')]);
  return Object.fromEntries(given) as Values;
}

/** The changed fields as a merge patch: null clears a field. */
function changeOf(before: Values, now: Values): Partial<Record<ProfileField, string | null>> {
  const changed = PROFILE_FIELDS.filter((field) => now[field] !== before[field]);
  return Object.fromEntries(changed.map((field) => [field, now[field] === '' ? null : now[field]]));
}

interface ProfileFormProps {
  customer: Customer;
  onSaved: (customer: Customer) => void;
}

function ProfileForm({ customer, onSaved }: ProfileFormProps) {
  const dealers = useDealers();
  const form = useForm(valuesOf(customer), async (given) => {
    const body = changeOf(valuesOf(customer), given);
    if (Object.keys(body).length === 0) {
      showToast('There is nothing new to save.');
      return;
    }
    const saved = await call<Customer>('/api/me/profile', { method: 'PATCH', body });
    onSaved(saved);
    form.fill(valuesOf(saved));
    showToast('Your profile is saved.');
  });
  const fieldOf = (name: ProfileField) => (
    <Field key={name} {...FIELDS[name]} {...form.field(name)} />
  );
  return (
    <form class="form" aria-label="Profile" {...form.attributes}>
      <fieldset class="panel">
        <legend>About you</legend>
        {ABOUT.map(fieldOf)}
        <Select hint={DEALER_HINT} {...FIELDS.dealer} {...form.field('dealer')}>
          <option value="">No dealer</option>
          {dealerOptions(dealers.value ?? [])}
        </Select>
      </fieldset>
      {Object.entries(GROUPS).map(([title, names]) => (
        <fieldset class="panel" key={title}>
          <legend>{title}</legend>
          {names === SECRETS ? (
            <p class="small soft form-whole">
              Only you and the platform’s admins see these; they are stored encrypted.
            </p>
          ) : null}
          {names.map(fieldOf)}
        </fieldset>
      ))}
      <Failure text={form.failure} />
      <div class="form-end form-sticky">
        <Button onClick={() => form.fill(valuesOf(customer))}>Undo changes</Button>
        <Submit form={form}>Save</Submit>
      </div>
    </form>
  );
}

function DealerSheet({ dealer }: { dealer: Dealer }) {
  const state = usePlatformState();
  const fleet = state.value?.fleets.find((each) => each.dealer === dealer.username);
  return (
    <>
      <section class="panel" aria-labelledby="dealership">
        <h2 id="dealership">{dealer.name}</h2>
        <Pairs
          pairs={[
            ['City', dealer.city],
            ['Username', dealer.username],
            ['Dealer since', dayOf(dealer.created_at)],
          ]}
        />
        <p class="small soft">Only an admin can change these.</p>
      </section>
      {fleet ? (
        <Pairs
          kind="figures"
          pairs={Object.entries({ Cars: fleet.cars, Customers: fleet.customers })}
        />
      ) : null}
    </>
  );
}
