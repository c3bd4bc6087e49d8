import type { ComponentChildren } from 'preact';
import { Button } from '../common/button.tsx';
import { Empty } from '../common/states.tsx';
import { ThemeToggle } from '../common/theme-toggle.tsx';
import { Toasts } from '../common/toasts.tsx';
import { CarPage } from './car.tsx';
import { CustomerPage } from './customer.tsx';
import { CustomersPage } from './customers.tsx';
import { DealersPage } from './dealers.tsx';
import { FleetPage } from './fleet.tsx';
import { LogInAgain, LogInPage } from './log-in.tsx';
import { OwnCarsPage } from './own-cars.tsx';
import { Page } from './parts.tsx';
import { PlatformPage } from './platform.tsx';
import { ProfilePage } from './profile.tsx';
import { type Route, route } from './route.ts';
import { logOut, session } from './session.ts';
import { SignUpPage } from './sign-up.tsx';
import type { Role } from './types.ts';
import { WelcomePage } from './welcome.tsx';

/** The pages of each role; the first is the start page. */
const PLACES: Readonly<Record<Role | 'nobody', Readonly<Record<string, string>>>> = {
  nobody: { '': 'Welcome', dealers: 'Dealers', 'sign-up': 'Sign up', 'log-in': 'Log in' },
  user: { cars: 'Your cars', profile: 'Profile', dealers: 'Dealers' },
  dealer: { cars: 'Fleet', customers: 'Customers', dealers: 'Dealers', profile: 'Profile' },
  admin: {
    dealers: 'Dealers',
    cars: 'Cars',
    customers: 'Customers',
    platform: 'Platform',
    profile: 'Profile',
  },
};

/** Pages that show the log-in in their place first. */
const BEHIND_LOG_IN = ['cars', 'customers', 'platform', 'profile'];

/** The console: header, and the page that the address names. */
export function App() {
  const role = session.value?.role ?? 'nobody';
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Header places={PLACES[role]} page={placeOf(role, route.value)} />
      <main id="main" tabIndex={-1}>
        {pageAt(role, route.value)}
      </main>
      <LogInAgain />
      <Toasts />
    </>
  );
}

/** No link can do this: the fragment of the address names the page. */
function skip(): void {
  document.getElementById('main')?.focus();
}

function placeOf(role: Role | 'nobody', { page }: Route): string {
  const isElsewhere = page === '' || (role !== 'nobody' && ['log-in', 'sign-up'].includes(page));
  return isElsewhere ? (Object.keys(PLACES[role])[0] ?? '') : page;
}

function pageAt(role: Role | 'nobody', at: Route): ComponentChildren {
  const page = placeOf(role, at);
  if (role === 'nobody' && BEHIND_LOG_IN.includes(page)) return <LogInPage />;
  if (!(page in PLACES[role])) return <NoSuchPage />;
  switch (page) {
    case '':
      return <WelcomePage />;
    case 'log-in':
      return <LogInPage />;
    case 'sign-up':
      return <SignUpPage key={at.query.get('dealer')} />;
    case 'dealers':
      return <DealersPage />;
    case 'cars':
      if (at.id !== '') return <CarPage vin={at.id} key={at.id} />;
      return role === 'user' ? <OwnCarsPage /> : <FleetPage key={role} />;
    case 'customers':
      return at.id === '' ? <CustomersPage /> : <CustomerPage username={at.id} key={at.id} />;
    case 'platform':
      return <PlatformPage />;
    default:
      return <ProfilePage key={role} />;
  }
}

function NoSuchPage() {
  return (
    <Page title="Nothing here">
      <Empty title="This page does not exist, or your role may not open it.">
        <a href="#/">Go to the start</a>
      </Empty>
    </Page>
  );
}

interface HeaderProps {
  places: Readonly<Record<string, string>>;
  page: string;
}

function Header({ places, page }: HeaderProps) {
  return (
    <header class="top">
      <a class="brand" href="#/">
        <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
          <rect class="brand-ground" width="32" height="32" rx="8" />
          <path class="brand-edge" d="M10 26 14 6M22 26 18 6" />
          <path class="brand-middle" d="M16 25v-4M16 17v-3M16 10V8" />
        </svg>
        Dealer console
      </a>
      <nav class="places" aria-label="Pages">
        {Object.entries(places).map(([path, name]) => (
          <a href={`#/${path}`} key={path} aria-current={path === page ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="top-end">
        <ThemeToggle />
        {session.value === null ? null : (
          <>
            <span class="who small soft">{session.value.username}</span>
            <Button size="small" onClick={logOut}>
              Log out
            </Button>
          </>
        )}
      </div>
    </header>
  );
}
