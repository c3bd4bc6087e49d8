import { Button } from '../common/button.tsx';
import { Field, Select } from '../common/field.tsx';
import { Failure, ResourceView } from '../common/states.tsx';
import { showToast } from '../common/toasts.tsx';
import { dealerOptions, useDealers } from './dealer-options.tsx';
import { useForm } from './form.ts';
import { Page } from './parts.tsx';
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
      <Field label="Name" autocomplete="name" required {...form.field('name')} />
      <Field
        label="Username"
        autocomplete="username"
        hint="3 to 20 small letters, digits and underscores"
        required
        {...form.field('username')}
      />
      <Field
        label="Password"
        type="password"
        autocomplete="new-password"
        hint="At least 4 characters"
        required
        {...form.field('password')}
      />
      <Field label="Email" type="email" autocomplete="email" required {...form.field('email')} />
      <div class="form-row">
        <Field label="Phone" type="tel" autocomplete="tel" {...form.field('phone')} />
        <Field label="Address" autocomplete="street-address" {...form.field('address')} />
      </div>
      <Select label="Dealer" required {...form.field('dealer')}>
        <option value="">Choose a dealer</option>
        {dealerOptions(dealers)}
      </Select>
      <Failure text={form.failure} />
      <Button kind="main" type="submit" disabled={form.isSending}>
        Sign up
      </Button>
    </form>
  );
}
