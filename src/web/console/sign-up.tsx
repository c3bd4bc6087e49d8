import { Field, Select } from '../common/field.tsx';
import { Failure, ResourceView } from '../common/states.tsx';
import { showToast } from '../common/toasts.tsx';
import { useForm } from './form.ts';
import { Page, Submit } from './parts.tsx';
import { FIELDS, NEW_PASSWORD, USERNAME, USERNAME_HINT } from './profile-fields.ts';
import { dealerOptions, useDealers } from './records.tsx';
import { goTo, route } from './route.ts';
import { call, startSession } from './session.ts';
import type { Dealer, Token } from './types.ts';

/** Where a customer signs up. */
export function SignUpPage() {
  const dealers = useDealers();
  return (
    <Page title="Sign up" lead="Become a customer of a dealer, then find your cars here.">
      <div class="narrow">
        <ResourceView resource={dealers} what="the dealers">
          {(all) => <SignUpForm dealers={all} />}
        </ResourceView>
      </div>
    </Page>
  );
}

function SignUpForm({ dealers }: { dealers: readonly Dealer[] }) {
  const empty = { name: '', username: '', password: '', email: '', phone: '', address: '' };
  const dealer = route.value.query.get('dealer') ?? '';
  const form = useForm({ ...empty, dealer }, async (given) => {
    startSession(await call<Token>('/api/auth/signup', { method: 'POST', body: given }));
    showToast(`Welcome, ${given.name}.`);
    goTo('profile');
  });
  return (
    <form class="panel form" aria-label="Sign up" {...form.attributes}>
      <Field required {...FIELDS.name} {...form.field('name')} />
      <Field hint={USERNAME_HINT} {...USERNAME} {...form.field('username')} />
      <Field hint="At least 4 characters" {...NEW_PASSWORD} {...form.field('password')} />
      <Field required {...FIELDS.email} {...form.field('email')} />
      <div class="form-row">
        <Field {...FIELDS.phone} {...form.field('phone')} />
        <Field {...FIELDS.address} {...form.field('address')} />
      </div>
      <Select required {...FIELDS.dealer} {...form.field('dealer')}>
        <option value="">Choose a dealer</option>
        {dealerOptions(dealers)}
      </Select>
      <Failure text={form.failure} />
      <Submit form={form}>Sign up</Submit>
    </form>
  );
}
