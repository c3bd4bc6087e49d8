import type { Car } from '../../dealer/cars.ts';
import { FOREIGN_TRAIL } from '../../dealer/customers.ts';
import { dealerBody } from '../../dealer/dealers.ts';
import type { Listing } from '../../dealer/listing.ts';
import * as schemas from '../../dealer/schemas.ts';
import type { Session } from '../../dealer/sessions.ts';
import { PRICES_US } from '../server/prices.ts';
import type { Route } from '../server/router.ts';
import { accountRoutes, loginRoutes } from './account-routes.ts';
import { auditCars } from './audit.ts';
import { guardedRoutes, openRoutes, WRONG_ROLE } from './call.ts';
import type { DealerRouteDependencies } from './dependencies.ts';
import * as forms from './forms.ts';
import { type Asked, ListReplies } from './list-replies.ts';
import { type Payer, paidFor } from './payer.ts';

const FOREIGN = 'The caller may not change this car.';
/** Records that are written of a car or a customer which goes to another dealer: itself, and what is noted. */
const WRITES_OF_MOVE = 2;

/** All operations of the dealer platform. */
export function dealerRoutes(context: DealerRouteDependencies): Route[] {
  return [
    ...dealerListRoutes(context),
    ...loginRoutes(context),
    ...accountRoutes(context),
    ...carRoutes(context),
    ...ownerRoutes(context),
    ...customerRoutes(context),
    ...auditRoutes(context),
    ...platformRoutes(context),
  ];
}

// ── dealers ───────────────────────────────────────────────────────────────────────────────────

function dealerListRoutes(context: DealerRouteDependencies): Route[] {
  const { log } = context;
  const { accounts, dealers, dealerList } = context.platform;
  const guarded = guardedRoutes(context, 'dealers');
  const lists = new ListReplies();
  return [
    openRoutes(
      context,
      'dealers',
    )({
      endpoint: 'GET /api/dealers',
      operationId: 'listDealers',
      summary: 'All dealers, by username',
      query: forms.Page,
      answer: schemas.Dealers,
      run: async (ask) => lists.of(ask, await dealerList.read(ask.query), () => {}),
    }),
    guarded({
      endpoint: 'POST /api/dealers',
      operationId: 'createDealer',
      summary: 'Register a dealer',
      action: 'dealer.create',
      body: forms.NewDealer,
      answer: schemas.Dealer,
      refusals: { 403: WRONG_ROLE, 409: 'The username is taken.' },
      priceUs: PRICES_US.password + PRICES_US.dealerChange,
      run: async ({ body }, session) => dealerBody(await accounts.createDealer(session, body)),
    }),
    guarded({
      endpoint: 'DELETE /api/dealers/{username}',
      operationId: 'deleteDealer',
      summary:
        'Delete a dealer; its cars and customers are unlinked or move to the dealer in `reassign_to`',
      action: 'dealer.delete',
      params: forms.ByDealer,
      query: forms.Removal,
      answer: schemas.DealerRemoval,
      refusals: { 403: WRONG_ROLE, 404: 'There is no such dealer.' },
      run: async ({ path, query, requestId }, session, payer) => {
        const pay = payerOfRecords(payer, WRITES_OF_MOVE);
        const gone = await dealers.remove(session, path.username, query.reassign_to ?? null, pay);
        log.info({ requestId, by: session.account.username, ...gone }, 'dealer deleted');
        return gone;
      },
    }),
  ];
}

// ── cars ──────────────────────────────────────────────────────────────────────────────────────

function carRoutes(context: DealerRouteDependencies): Route[] {
  const { cars } = context.platform;
  const guarded = guardedRoutes(context, 'cars');
  const body = (car: Car) => carBody(car, context);
  const audit = auditCars(context.log);
  const encode = (car: Car) => JSON.stringify(body(car));
  const lists = new ListReplies();
  return [
    guarded({
      endpoint: 'GET /api/cars',
      operationId: 'listCars',
      summary: 'All cars, by VIN',
      action: 'cars.list',
      query: forms.Page,
      answer: schemas.Cars,
      run: async (ask, session, payer) => {
        const list = await cars.list(session, ask.query, encode);
        return lists.of(ask, list, () => payer.pay(PRICES_US.listedCar * list.count));
      },
    }),
    guarded({
      endpoint: 'POST /api/cars/add-to-fleet',
      operationId: 'addToFleet',
      summary: 'Put a car into a fleet',
      action: 'car.add',
      body: forms.NewCar,
      answer: schemas.Car,
      refusals: {
        403: `${WRONG_ROLE} Or the fleet is another dealer's.`,
        409: 'The car is in the fleet of another dealer, or the fleet is full.',
      },
      run: async ({ body: { vin, dealer }, requestId }, session) => {
        const car = await cars.addToFleet(session, vin, dealer ?? null);
        audit(requestId, session, car, { fleet: car.dealer });
        return body(car);
      },
    }),
    guarded({
      endpoint: 'PATCH /api/cars/{vin}/state',
      operationId: 'setState',
      summary: 'Switch lock, climate and charging; a flag that is absent or null stays as it is',
      action: 'car.set-state',
      params: forms.ByVin,
      body: forms.StateChange,
      answer: schemas.Car,
      refusals: { 403: FOREIGN, 404: 'There is no such car.' },
      run: async ({ path, body: flags, requestId }, session) => {
        const switched = given(flags);
        const car = await cars.setState(session, path.vin, switched);
        audit(requestId, session, car, switched);
        return body(car);
      },
    }),
  ];
}

/** Who owns a car, and whether there is one. */
function ownerRoutes(context: DealerRouteDependencies): Route[] {
  const { cars } = context.platform;
  const guarded = guardedRoutes(context, 'cars');
  const audit = auditCars(context.log);
  const common = {
    params: forms.ByVin,
    answer: schemas.Car,
    refusals: { 403: FOREIGN, 404: 'There is no such car.' },
  } as const;
  return [
    guarded({
      endpoint: 'DELETE /api/cars/{vin}',
      operationId: 'removeCar',
      summary: 'Remove a car that nobody owns',
      action: 'car.remove',
      params: forms.ByVin,
      answer: schemas.CarRemoval,
      refusals: { 403: FOREIGN, 404: 'There is no such car.', 409: 'The car has an owner.' },
      run: async ({ path, requestId }, session, payer) => {
        const vin = await cars.remove(session, path.vin, payerOfRecords(payer, 1));
        audit(requestId, session, { vin }, { removed: true });
        return { deleted: true } as const;
      },
    }),
    guarded({
      ...common,
      endpoint: 'PATCH /api/cars/{vin}/owner',
      operationId: 'setOwner',
      summary: 'Set the owner: the account with this email gets the rights',
      refusals: { ...common.refusals, 409: 'The owner has too many cars.' },
      action: 'car.set-owner',
      body: forms.NewOwner,
      run: async ({ path, body: { email, since }, requestId }, session) => {
        const car = await cars.setOwner(session, path.vin, email, since);
        audit(requestId, session, car, { owner: car.owner?.username ?? null });
        return carBody(car, context);
      },
    }),
    guarded({
      ...common,
      endpoint: 'DELETE /api/cars/{vin}/owner',
      operationId: 'clearOwner',
      summary: 'Clear the owner',
      action: 'car.clear-owner',
      run: async ({ path, requestId }, session) => {
        const car = await cars.clearOwner(session, path.vin);
        audit(requestId, session, car, { owner: null });
        return carBody(car, context);
      },
    }),
  ];
}

function carBody({ updated_at, ...car }: Car, { publicTwinUrl }: DealerRouteDependencies) {
  const viewer_url = car.world === null ? null : `${publicTwinUrl()}/worlds/${car.world}`;
  return { ...car, viewer_url, updated_at };
}

/** Pays for what a change writes beside the first few records, by their number. */
function payerOfRecords(payer: Payer, writesOfEach: number) {
  return (records: number) => payer.pay(PRICES_US.dealerWrite * writesOfEach * records);
}

/** Drops flags that are absent or null. */
function given<Flag extends string>(flags: Record<Flag, boolean | null | undefined>) {
  const set = Object.entries(flags).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(set) as Partial<Record<Flag, boolean>>;
}

// ── customers and the platform ────────────────────────────────────────────────────────────────

function customerRoutes(context: DealerRouteDependencies): Route[] {
  const { log } = context;
  const { customers } = context.platform;
  const guarded = guardedRoutes(context, 'customers');
  const lists = new ListReplies();
  const audit = (isAsked: boolean, requestId: string, { account }: Session) => {
    if (isAsked)
      log.info(
        { requestId, by: account.username },
        'customer data requested with include_password',
      );
  };
  return [
    guarded({
      endpoint: 'GET /api/customers',
      operationId: 'listCustomers',
      summary: 'All customers for an admin; the customers of the calling dealer',
      action: 'customers.list',
      query: forms.CustomersQuery,
      answer: schemas.Customers,
      refusals: { 403: WRONG_ROLE },
      run: async (ask, session, payer) => {
        const { include_password: withPassword } = ask.query;
        audit(withPassword, ask.requestId, session);
        const read = (cars: number) => payer.spend(PRICES_US.listedCar * cars);
        const list = await customers.list(session, ask.query, withPassword, read);
        return lists.of(ask, list, () => payer.pay(PRICES_US.listedCustomer * list.count));
      },
    }),
    guarded({
      endpoint: 'GET /api/customers/{username}',
      operationId: 'getCustomer',
      summary: 'One customer',
      action: 'customer.read',
      params: forms.ByUsername,
      query: forms.CustomerQuery,
      answer: schemas.Customer,
      refusals: { 403: WRONG_ROLE, 404: 'There is no such customer, or it is another dealer’s.' },
      priceUs: PRICES_US.listedCustomer,
      run: ({ path, query, requestId }, session, payer) => {
        audit(query.include_password, requestId, session);
        const { include_password: withPassword } = query;
        return paidFor(payer, customers.one(session.account, path.username, withPassword));
      },
    }),
  ];
}

/** Who changed what. */
function auditRoutes(context: DealerRouteDependencies): Route[] {
  const { cars, customers } = context.platform;
  const lists = new ListReplies();
  const reply = (ask: Asked, list: Listing, payer: Payer) =>
    lists.of(ask, list, () => payer.pay(PRICES_US.auditEntry * list.count));
  return [
    guardedRoutes(
      context,
      'cars',
    )({
      endpoint: 'GET /api/cars/{vin}/audit',
      operationId: 'auditCar',
      summary: 'Who changed a car: its last 1,000 changes, newest first',
      action: 'car.read-audit',
      params: forms.ByVin,
      answer: schemas.AuditTrail,
      refusals: { 403: FOREIGN, 404: 'There is no such car.' },
      run: async (ask, session, payer) =>
        reply(ask, await cars.audit(session, ask.path.vin), payer),
    }),
    guardedRoutes(
      context,
      'customers',
    )({
      endpoint: 'GET /api/customers/{username}/audit',
      operationId: 'auditCustomer',
      summary: 'Who changed a customer: the last 1,000 changes, newest first',
      action: 'customer.read-audit',
      params: forms.ByUsername,
      answer: schemas.AuditTrail,
      refusal: FOREIGN_TRAIL,
      refusals: {
        403: 'The caller is neither an admin nor this customer.',
        404: 'There is no such customer.',
      },
      run: async (ask, { account }, payer) =>
        reply(ask, await customers.audit(account, ask.path.username), payer),
    }),
  ];
}

function platformRoutes(context: DealerRouteDependencies): Route[] {
  const { log } = context;
  const { state, seeding } = context.platform;
  const guarded = guardedRoutes(context, 'platform');
  return [
    openRoutes(
      context,
      'platform',
    )({
      endpoint: 'GET /api/state',
      operationId: 'getState',
      summary: 'The state of the platform',
      answer: schemas.PlatformState,
      run: () => state(),
    }),
    guarded({
      endpoint: 'POST /api/admin/reset',
      operationId: 'reset',
      summary: 'Restore the demo data; ends all other tokens',
      action: 'reset',
      answer: schemas.Reset,
      refusals: { 403: WRONG_ROLE, 409: 'There is no demo data, or a reset is running.' },
      priceUs: PRICES_US.reset,
      run: async ({ requestId }, session) => {
        const counts = await seeding.reset(session);
        log.info({ requestId, by: session.account.username }, 'demo data reset');
        return { ok: true, ...counts };
      },
    }),
  ];
}
