import { useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { Dialog } from '../common/dialog.tsx';
import { Field } from '../common/field.tsx';
import { Failure } from '../common/states.tsx';
import { useForm } from './form.ts';
import { Page, Submit } from './parts.tsx';
import { PASSWORD, USERNAME } from './profile-fields.ts';
import { route } from './route.ts';
import { endSession, hasEnded, logIn, session } from './session.ts';
import { DEMO_LOGINS, type DemoLogin } from './settings.ts';
import type { Role } from './types.ts';

const ROLES: Record<Role, string> = { admin: 'Admin', dealer: 'Dealers', user: 'Customers' };

/** The log-in page. It also stands in for a page that needs a log-in, which is shown afterwards. */
export function LogInPage() {
  const lead =
    route.value.page === 'log-in'
      ? 'One log-in for customers, dealers and admins.'
      : 'After you log in, you see the page that you asked for.';
  return (
    <Page title="Log in" lead={lead}>
      <div class="narrow">
        <LogInCard />
      </div>
    </Page>
  );
}

/** The log-in form and, in demo mode, the known log-ins. */
export function LogInCard() {
  return (
    <section class="panel" aria-label="Log in">
      <LogInForm />
      <p class="small soft">
        New here? <a href="#/sign-up">Sign up as a customer</a> of a dealer.
      </p>
      {DEMO_LOGINS.length > 0 ? <DemoLogIns /> : null}
    </section>
  );
}

function LogInForm({ username = '' }: { username?: string }) {
  const form = useForm({ username, password: '' }, (given) =>
    logIn(given.username.trim(), given.password),
  );
  return (
    <form class="form" {...form.attributes}>
      <Field {...USERNAME} {...form.field('username')} />
      <Field {...PASSWORD} {...form.field('password')} />
      <Failure text={form.failure} />
      <Submit form={form}>Log in</Submit>
    </form>
  );
}

function DemoLogIns() {
  const [failure, setFailure] = useState('');
  const enter = async ({ username, password }: DemoLogin) => {
    setFailure('');
    await logIn(username, password).catch((error: Error) => setFailure(error.message));
  };
  return (
    <div class="demo">
      <h2 class="demo-title">Or try the demo with one of these accounts</h2>
      {Object.entries(ROLES).map(([role, name]) => (
        <div class="demo-row" key={role}>
          <h3 class="small soft">{name}</h3>
          <div class="demo-buttons">
            {DEMO_LOGINS.filter((login) => login.role === role).map((login) => (
              <Button size="small" key={login.username} onClick={() => enter(login)}>
                {login.name}
              </Button>
            ))}
          </div>
        </div>
      ))}
      <Failure text={failure} />
    </div>
  );
}

/** Asks for the log-in in a dialog when the session ends; the page below keeps its input. */
export function LogInAgain() {
  if (!hasEnded.value || session.value === null) return null;
  return (
    <Dialog title="Please log in again" closeLabel="Log out" onClose={endSession}>
      <p class="soft">Your session has ended. Your input is kept.</p>
      <LogInForm username={session.value.username} />
    </Dialog>
  );
}
