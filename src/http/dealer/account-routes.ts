import { adminBody, type Granted, type Login } from '../../dealer/accounts.ts';
import type { DealerPlatform } from '../../dealer/dealer-platform.ts';
import { dealerBody } from '../../dealer/dealers.ts';
import type { AccountRecord, Role } from '../../dealer/records.ts';
import * as schemas from '../../dealer/schemas.ts';
import { PRICES_US } from '../server/prices.ts';
import type { Route } from '../server/router.ts';
import { type Count, guardedRoutes, openRoutes, WRONG_ROLE } from './call.ts';
import type { DealerRouteDependencies } from './dependencies.ts';
import * as forms from './forms.ts';
import { paidFor } from './payer.ts';

// ── log-in and sign-up ────────────────────────────────────────────────────────────────────────

/** Names of roles that clients may send, in lower case. */
const ROLE_NAMES: ReadonlyMap<string, Role> = new Map([
  ['admin', 'admin'],
  ['super-admin', 'admin'],
  ['superadmin', 'admin'],
  ['super_admin', 'admin'],
  ['dealer', 'dealer'],
  ['customer', 'user'],
  ['user', 'user'],
]);

/** Log-in, sign-up and log-out. */
export function loginRoutes(context: DealerRouteDependencies): Route[] {
  const { accounts, sessions, tokens } = context.platform;
  const loginRoute = openRoutes(context, 'log-in');
  const common = {
    answer: schemas.Token,
    refusals: { 401: 'Username or password is wrong.', 429: 'Too many log-ins, or too much work.' },
    isSecret: true,
  } as const;
  const logIn = async (count: Count, login: Login) => {
    count('logins', context.limits.logins, PRICES_US.password);
    return tokenBody(await accounts.logIn(login), tokens.lifetimeS);
  };
  return [
    loginRoute({
      ...common,
      endpoint: 'POST /api/token',
      operationId: 'getToken',
      summary: 'A token for a username and a password of any role (OAuth2 password grant)',
      body: forms.TokenRequest,
      isForm: true,
      run: ({ body: { username, password }, addressKey }, count) =>
        logIn(count, { username, password, address: addressKey() }),
    }),
    loginRoute({
      ...common,
      endpoint: 'POST /api/auth/login',
      operationId: 'logIn',
      summary: 'Log in with a role; returns a token',
      body: forms.Login,
      run: ({ body: { username, password, role }, addressKey }, count) => {
        const known = ROLE_NAMES.get(role.toLowerCase()) ?? null;
        return logIn(count, { username, password, address: addressKey(), role: known });
      },
    }),
    loginRoute({
      ...common,
      endpoint: 'POST /api/auth/admin-login',
      operationId: 'logInAdmin',
      summary: 'A token for an admin; `role` is ignored',
      body: forms.Login,
      run: ({ body: { username, password }, addressKey }, count) =>
        logIn(count, { username, password, address: addressKey(), role: 'admin' }),
    }),
    signUpRoute(context),
    loginRoute({
      endpoint: 'POST /api/auth/logout',
      operationId: 'logOut',
      summary: 'End the token of this call',
      answer: schemas.Done,
      isSecret: true,
      run: async ({ authorization }) => {
        await sessions.end(authorization);
        return { ok: true };
      },
    }),
  ];
}

function signUpRoute(context: DealerRouteDependencies): Route {
  const { platform, limits } = context;
  const { accounts, tokens } = platform;
  return openRoutes(
    context,
    'log-in',
  )({
    endpoint: 'POST /api/auth/signup',
    operationId: 'signUp',
    summary: 'Create a customer account and log in',
    body: forms.SignUp,
    answer: schemas.SignedUp,
    refusals: {
      409: 'The username or the email is taken, or there are too many customers.',
      429: 'Too many sign-ups, or too much work.',
    },
    isSecret: true,
    run: async ({ body }, count) => {
      count('sign-ups', limits.signUps, PRICES_US.password);
      const granted = await accounts.signUp(body);
      return { ...tokenBody(granted, tokens.lifetimeS), profile: granted.profile };
    },
  });
}

function tokenBody({ token, account }: Granted, lifetimeS: number) {
  const { role, username } = account;
  return { access_token: token, token_type: 'bearer', expires_in: lifetimeS, role, username };
}

// ── own account ────────────────────────────────────────────────────────────────────────────────

/** The caller's own account. */
export function accountRoutes(context: DealerRouteDependencies): Route[] {
  const { platform } = context;
  const { accounts } = platform;
  const guarded = guardedRoutes(context, 'own account');
  return [
    guarded({
      endpoint: 'GET /api/auth/me',
      operationId: 'whoAmI',
      summary: 'The account of the token',
      action: 'identity.read',
      answer: schemas.Identity,
      run: (_, { account }) => identityBody(account),
    }),
    guarded({
      endpoint: 'GET /api/me/admin',
      operationId: 'getAdmin',
      summary: 'The account of the calling admin',
      action: 'admin.read',
      answer: schemas.Admin,
      refusals: { 403: WRONG_ROLE },
      run: (_, { account }) => profileBody(platform, account),
    }),
    guarded({
      endpoint: 'PATCH /api/me/admin',
      operationId: 'changeAdmin',
      summary: 'Change username or password; a new password ends all other tokens',
      action: 'admin.change',
      body: forms.AdminChange,
      answer: schemas.Admin,
      refusals: {
        403: `${WRONG_ROLE} Or the current password is wrong.`,
        409: 'The username is taken.',
      },
      priceUs: 2 * PRICES_US.password + PRICES_US.dealerChange,
      run: async ({ body, addressKey }, session) =>
        adminBody(await accounts.changeAdmin(session, addressKey(), body)),
    }),
    guarded({
      endpoint: 'GET /api/me/profile',
      operationId: 'getProfile',
      summary: 'The account of the caller, with the fields of its role',
      action: 'profile.read',
      answer: schemas.Profile,
      priceUs: PRICES_US.listedCustomer,
      run: (_, { account }, payer) => paidFor(payer, profileBody(platform, account)),
    }),
    guarded({
      endpoint: 'PATCH /api/me/profile',
      operationId: 'changeProfile',
      summary:
        'Change the profile of the calling customer: null clears a field, an absent field stays',
      action: 'profile.change',
      refusal: 'Only customers have a profile to change; admins use /api/me/admin',
      body: forms.ProfileChange,
      answer: schemas.Customer,
      refusals: { 403: WRONG_ROLE, 409: 'The email is taken, or the dealer is full.' },
      run: ({ body }, session, payer) => paidFor(payer, accounts.changeProfile(session, body)),
    }),
  ];
}

function identityBody(account: AccountRecord) {
  const { username, role } = account;
  switch (account.role) {
    case 'admin':
      return { username, role, name: null, email: null, dealer: null };
    case 'dealer':
      return { username, role, name: account.name, email: null, dealer: username };
    case 'user': {
      const { name, email } = account.profile;
      return { username, role, name, email, dealer: account.dealer };
    }
  }
}

function profileBody({ customers }: DealerPlatform, account: AccountRecord) {
  switch (account.role) {
    case 'admin':
      return adminBody(account);
    case 'dealer':
      return dealerBody(account);
    case 'user':
      return customers.own(account);
  }
}
