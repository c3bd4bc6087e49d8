import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { SLICE_ITEMS } from '../slices.ts';
import { expectDealer } from './account-refs.ts';
import {
  changedFields,
  entryCountOf,
  forgetTrail,
  type NotedChange,
  trailOf,
} from './audit-trail.ts';
import { findCar, newCar, putCar, resourceOf, subjectOf } from './car-records.ts';
import { bind, emailOf, unbind } from './emails.ts';
import { conflict, forbidden, invalid, missingFault, notFound } from './errors.ts';
import { newId } from './ids.ts';
import { ListedCar } from './listed-car.ts';
import { batchesOf, type Listing, type Page, pageOf } from './listing.ts';
import { Mirror } from './mirror.ts';
import { payingOnce } from './paying-once.ts';
import { Quotas } from './quotas.ts';
import {
  type AccountRecord,
  type AuditEntry,
  type CarRecord,
  type Flags,
  keys,
  type Move,
  type Owner,
} from './records.ts';
import type { Registry } from './registry.ts';
import { type Action, type Actor, can, firstChangeFor } from './rights.ts';
import type * as schemas from './schemas.ts';
import type { Session, Sessions } from './sessions.ts';
import { CarTally } from './tallies.ts';
import type { Transaction } from './transaction.ts';
import { type LivingCar, type TwinCars, worldOf } from './twin-cars.ts';

/** A car as the API shows it, without the address of its viewer. */
export type Car = Omit<schemas.Car, 'viewer_url'>;

/** Whose changes are noted. */
const AUDITED_FIELDS = [
  'model',
  'plate',
  'colour',
  'dealer',
  'owner',
  'locked',
  'climate',
  'charging',
] as const satisfies (keyof CarRecord)[];
const DEALER_FIELD = ['body', 'dealer'];
const FLEET_FULL = 'The fleet is full';
const OWNER_FULL = 'The owner has too many cars';
const FOREIGN_TRAIL =
  'Only admins, the dealer of the fleet and the owner may see who changed the car';
/** Cars that are encoded in one go. */
const BATCH = 128;
/** Cars that go to another dealer in one go: some hundred µs of work. */
const MOVED_AT_ONCE = 64;
/** Worlds that are asked for at a time: each is read from the store. */
const FOUND_AT_ONCE = 64;

/** The right that a change needs, and how it is noted. */
interface CarChange {
  right: Action;
  action: AuditEntry['action'];
}
const SET_OWNER: CarChange = { right: 'car.set-owner', action: 'set_owner' };
const CLEAR_OWNER: CarChange = { right: 'car.clear-owner', action: 'clear_owner' };
const SET_STATE: CarChange = { right: 'car.set-state', action: 'set_state' };

export interface CarsDependencies {
  registry: Registry;
  sessions: Sessions;
  twin: TwinCars;
  clock: Clock;
  random: Random;
  /** Cars of one fleet. */
  fleetMax: number;
  /** Cars of one owner. */
  ownedMax: number;
}

/** The cars of all fleets, their owners and their flags. */
export class Cars {
  readonly #registry: Registry;
  readonly #sessions: Sessions;
  readonly #twin: TwinCars;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #tally = new CarTally();
  readonly #all: Mirror<CarRecord, ListedCar>;
  readonly #fleets: Quotas;
  readonly #owners: Quotas;
  /** A search for worlds that has not begun. */
  #nextSearch: Promise<boolean> | undefined;
  /** Ends when all searches have ended. */
  #lastSearch: Promise<unknown> = Promise.resolve();

  constructor(dependencies: CarsDependencies) {
    const { registry, sessions, twin, clock, random, fleetMax, ownedMax } = dependencies;
    this.#registry = registry;
    this.#sessions = sessions;
    this.#twin = twin;
    this.#clock = clock;
    this.#random = random;
    this.#fleets = new Quotas(fleetMax, FLEET_FULL);
    this.#owners = new Quotas(ownedMax, OWNER_FULL);
    const kind = {
      prefix: keys.cars,
      itemOf: (record: CarRecord, former: ListedCar | undefined) =>
        new ListedCar(record, former ? former.worldNumber : worldOf(record.vin), former?.world),
    };
    this.#all = new Mirror(registry, kind, this.#tally);
  }

  /** Figures about all cars. */
  async tally(revision: number): Promise<CarTally> {
    await this.#all.read(revision);
    return this.#tally;
  }

  /**
   * Cars by VIN, with what the caller may see.
   * @param encode makes the JSON of a car
   */
  async list(
    { account, revision }: Session,
    page: Page,
    encode: (car: Car) => string,
  ): Promise<Listing> {
    // With the stamp of this moment: a later one would stand for changes that are not in the list.
    const { items, stamp } = await this.#all.read(revision);
    const cars = pageOf(items, page);
    // Whoever has the list of this stamp has it with other worlds.
    const finding = this.#findWorlds(cars);
    const worlds = finding && (await finding) ? '.found' : '';
    const tag = `${stamp}${worlds}.${account.id}`;
    const textOf = (car: ListedCar) => {
      const { record, world } = car;
      const isOpen = can(account, 'car.read-private', resourceOf(record));
      return car.json(isOpen, () => encode(view(record, world ?? null, isOpen)));
    };
    const batches = batchesOf(cars, BATCH, (batch) => batch.map(textOf));
    return { tag, count: cars.length, batches };
  }

  /**
   * Finds the worlds of cars, before they are listed. Returns whether one has another world now. All
   * who wait for those of many cars share a search that begins after they asked.
   */
  #findWorlds(cars: readonly ListedCar[]): boolean | Promise<boolean> {
    if (this.#tally.ofWorlds === 0) return false;
    if (cars.length <= SLICE_ITEMS) {
      const asked: ListedCar[] = [];
      for (const car of cars) if (this.#isToBeAsked(car)) asked.push(car);
      return asked.length > 0 && this.#askForAll(asked);
    }
    this.#nextSearch ??= this.#lastSearch.then(async () => {
      this.#nextSearch = undefined;
      const { revision } = await this.#registry.edition();
      const { items } = await this.#all.read(revision);
      return this.#searchWorlds(items);
    });
    this.#lastSearch = this.#nextSearch.catch(() => {});
    return this.#nextSearch;
  }

  async #searchWorlds(cars: readonly ListedCar[]): Promise<boolean> {
    const asked: ListedCar[] = [];
    await this.#registry.slices.each(cars, (car) => {
      if (this.#isToBeAsked(car)) asked.push(car);
    });
    return this.#askForAll(asked);
  }

  /** Whether the world of a car is not known, or no longer in memory: it may be deleted. */
  #isToBeAsked({ world, worldNumber }: ListedCar): boolean {
    if (world === null || worldNumber === undefined) return false;
    return world === undefined || !this.#twin.isAtHand(worldNumber);
  }

  async #askForAll(asked: readonly ListedCar[]): Promise<boolean> {
    const { slices } = this.#registry;
    let isChanged = false;
    for (const found of batchesOf(asked, FOUND_AT_ONCE, (batch) => this.#askForWorlds(batch))) {
      if (await found) isChanged = true;
      if (asked.length > FOUND_AT_ONCE) await slices.next();
    }
    return isChanged;
  }

  /** Returns whether a car has another world now. */
  async #askForWorlds(cars: readonly ListedCar[]): Promise<boolean> {
    const changes = cars.map(async (car) => {
      const world = await this.#twin.worldIdOf(car.order);
      if (world === car.world) return false;
      car.world = world;
      this.#all.touch();
      return true;
    });
    return (await Promise.all(changes)).includes(true);
  }

  /**
   * Adds a car to a fleet; a car without a record gets one. Throws DealerError 403, 409, 422.
   * @param dealer by default the actor's own
   */
  async addToFleet(session: Session, vin: string, dealer: string | null): Promise<Car> {
    const living = await this.#twin.find(vin);
    const reservation = this.#fleets.reservation();
    const change = this.#registry.change(async (transaction) => {
      const actor = await this.#sessions.revalidate(transaction, session);
      const fleet = await fleetOf(transaction, actor, dealer);
      const known = await findCar(transaction, living?.entry.vin ?? vin);
      if (known?.dealer && known.dealer !== fleet) {
        throw conflict('The car is in the fleet of another dealer');
      }
      // Whoever has it in a fleet sees the owner and can unlock it.
      if (known?.owner && !known.dealer && actor.role === 'dealer') throw forbidden();
      if (!known?.dealer) {
        const { ofDealer } = await this.tally(transaction.revision);
        reservation.reserve(fleet, ofDealer.of(fleet));
      }
      const car = known ?? newCar(living?.entry.vin ?? vin, newId(this.#random));
      const { model, plate, colour } = living?.entry ?? car;
      const after = { ...car, model, plate, colour, dealer: fleet };
      return this.#put(transaction, [car, after], actor, 'add_to_fleet');
    });
    const record = await change.finally(() => reservation.release());
    return show(session.account, record, living);
  }

  /**
   * Gives the rights to a car to the account that has this email now, and to no other. Throws
   * DealerError 403, 404, 409.
   */
  async setOwner(session: Session, vin: string, email: string, since: string): Promise<Car> {
    const reservation = this.#owners.reservation();
    const change = this.#change(session, vin, SET_OWNER, async (transaction, car) => {
      await unbind(transaction, car);
      const holder = (await emailOf(transaction, email)).holder;
      if (holder !== null) {
        const { ofOwner } = await this.tally(transaction.revision);
        const isSame = car.owner?.account === holder.id;
        if (!isSame) reservation.reserve(holder.id, ofOwner.of(holder.id));
        await bind(transaction, car.vin, email, holder.id);
      }
      const { id: account, username } = holder ?? { id: null, username: null };
      return { ...car, owner: { email, since, account, username } };
    });
    return change.finally(() => reservation.release());
  }

  /** Throws DealerError 403, 404. */
  clearOwner(session: Session, vin: string): Promise<Car> {
    return this.#change(session, vin, CLEAR_OWNER, async (transaction, car) => {
      await unbind(transaction, car);
      return { ...car, owner: null };
    });
  }

  /**
   * Removes a car that nobody owns, and returns its VIN as it was stored. Throws DealerError 403, 404, 409.
   * @param pay called with the number of its noted changes before they are removed; may throw
   */
  remove(session: Session, vin: string, pay: (records: number) => void): Promise<string> {
    const { slices } = this.#registry;
    const payUpTo = payingOnce(pay);
    return this.#registry.change(async (transaction) => {
      const actor = await this.#sessions.revalidate(transaction, session);
      const car = await findCar(transaction, vin);
      if (car === undefined) throw notFound('Car');
      if (!can(actor, 'car.remove', resourceOf(car))) throw forbidden();
      if (car.owner !== null) throw conflict('The car has an owner');
      payUpTo(entryCountOf(car));
      await forgetTrail(transaction, slices, subjectOf(car), car);
      transaction.remove(keys.car(transaction.generation, car.vin));
      return car.vin;
    }, vin);
  }

  /** Throws DealerError 403, 404. */
  setState(session: Session, vin: string, flags: Partial<Flags>): Promise<Car> {
    return this.#change(session, vin, SET_STATE, async (_, car) => ({ ...car, ...flags }));
  }

  /**
   * Who changed a car, newest first: for its owner since it is the owner's, for its dealer since it is in
   * the fleet. Throws DealerError 403, 404.
   */
  audit({ account: viewer }: Session, vin: string): Promise<Listing> {
    return this.#registry.read(async (reader) => {
      const record = await findCar(reader, vin);
      if (record === undefined) throw notFound('Car');
      const resource = resourceOf(record);
      if (!can(viewer, 'car.read-audit', resource)) throw forbidden(FOREIGN_TRAIL);
      const first = firstChangeFor(viewer, resource);
      return trailOf(reader, { subject: subjectOf(record), record, viewer, first });
    });
  }

  /**
   * Moves all cars of a fleet to another dealer, or to none, in a transaction of `changeAlone`. Returns how
   * many.
   */
  async moveFleet(
    transaction: Transaction,
    { from, to }: Move,
    change: NotedChange,
  ): Promise<number> {
    const { slices } = this.#registry;
    const { items } = await this.#all.read(transaction.revision);
    const fleet: CarRecord[] = [];
    await slices.each(items, ({ record }) => {
      if (record.dealer === from) fleet.push(record);
    });
    for (const batch of batchesOf(fleet, MOVED_AT_ONCE, (some) => some)) {
      await slices.next();
      for (const car of batch) putCar(transaction, [car, { ...car, dealer: to }], change);
    }
    return fleet.length;
  }

  async #change(
    session: Session,
    vin: string,
    { right, action }: CarChange,
    change: (transaction: Transaction, car: CarRecord) => Promise<CarRecord>,
  ): Promise<Car> {
    // The twin may fail to answer, so ask it before the change.
    const living = await this.#twin.find(vin);
    const record = await this.#registry.change(async (transaction) => {
      const actor = await this.#sessions.revalidate(transaction, session);
      const car = await findCar(transaction, vin);
      if (car === undefined) throw notFound('Car');
      if (!can(actor, right, resourceOf(car))) throw forbidden();
      return this.#put(transaction, [car, await change(transaction, car)], actor, action);
    }, vin);
    return show(session.account, record, living);
  }

  #put(
    transaction: Transaction,
    [before, after]: readonly [CarRecord, CarRecord],
    actor: Actor,
    action: AuditEntry['action'],
  ): CarRecord {
    const fields = changedFields(before, after, AUDITED_FIELDS);
    return putCar(transaction, [before, after], { actor, action, fields, atMs: this.#clock.now() });
  }
}

/** A car as an actor sees it. */
function show(actor: Actor, car: CarRecord, living: LivingCar | undefined): Car {
  return view(car, living?.world ?? null, can(actor, 'car.read-private', resourceOf(car)));
}

/** @param isOpen with owner and flags */
function view(car: CarRecord, world: string | null, isOpen: boolean): Car {
  const { vin, model, plate, colour, dealer, updatedAtMs } = car;
  return {
    vin,
    model,
    plate,
    colour,
    dealer,
    owner: isOpen ? ownerOf(car.owner) : null,
    locked: isOpen ? car.locked : null,
    climate: isOpen ? car.climate : null,
    charging: isOpen ? car.charging : null,
    world,
    updated_at: new Date(updatedAtMs).toISOString(),
  };
}

function ownerOf(owner: Owner | null): Car['owner'] {
  if (owner === null) return null;
  const { email, since, username } = owner;
  return { email, since, username };
}

/** The fleet that an actor may add to. Throws DealerError 403, 422. */
async function fleetOf(
  transaction: Transaction,
  actor: AccountRecord,
  given: string | null,
): Promise<string> {
  const dealer = given ?? (actor.role === 'dealer' ? actor.username : null);
  if (dealer === null) throw invalid(missingFault(DEALER_FIELD));
  if (!can(actor, 'car.add', { dealer })) throw forbidden('This is the fleet of another dealer');
  await expectDealer(transaction, dealer, DEALER_FIELD);
  return dealer;
}
