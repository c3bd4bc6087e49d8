import type { Clock } from '../clock.ts';
import { expectDealer } from './account-refs.ts';
import { bind, emailOf, unbind } from './emails.ts';
import { conflict, forbidden, invalid, missingFault, notFound } from './errors.ts';
import type { Reader } from './reader.ts';
import { type AccountRecord, type CarRecord, type Flags, keys, type Owner } from './records.ts';
import type { Registry } from './registry.ts';
import { type Action, type Actor, can } from './rights.ts';
import type * as schemas from './schemas.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Transaction } from './transaction.ts';
import { isTwinVin, type LivingCar, type TwinCars } from './twin-cars.ts';
import { VersionedCache } from './versioned-cache.ts';

/** A car as the API shows it, without the address of its viewer. */
export type Car = Omit<schemas.Car, 'viewer_url'>;

const DEALER_FIELD = ['body', 'dealer'];

/** The cars of all fleets, their owners and their flags. */
export class Cars {
  readonly #registry: Registry;
  readonly #sessions: Sessions;
  readonly #twin: TwinCars;
  readonly #clock: Clock;
  readonly #lists = new VersionedCache<readonly Car[]>();

  constructor(registry: Registry, sessions: Sessions, twin: TwinCars, clock: Clock) {
    this.#registry = registry;
    this.#sessions = sessions;
    this.#twin = twin;
    this.#clock = clock;
  }

  /**
   * All cars by VIN, with what the caller may see. Returns the same list until something changes.
   */
  list({ account, revision }: Session): Promise<readonly Car[]> {
    return this.#lists.read(
      account.id,
      revision,
      async () => {
        const records = await this.#registry.read((reader) =>
          reader.all<CarRecord>(keys.cars(reader.generation)),
        );
        return Promise.all(
          records.map(async (record) => show(account, record, await this.#twin.find(record.vin))),
        );
      },
      (cars) => cars.every(({ vin, world }) => world === null || this.#twin.isAtHand(vin)),
    );
  }

  /**
   * Adds a car to a fleet; a car without a record gets one. Throws DealerError 403, 409, 422.
   * @param dealer by default the actor's own
   */
  async addToFleet(session: Session, vin: string, dealer: string | null): Promise<Car> {
    const living = await this.#twin.find(vin);
    const record = await this.#registry.change(async (transaction) => {
      const actor = await this.#sessions.revalidate(transaction, session);
      const fleet = await fleetOf(transaction, actor, dealer);
      const known = await find(transaction, living?.entry.vin ?? vin);
      if (known?.dealer && known.dealer !== fleet) {
        throw conflict('The car is in the fleet of another dealer');
      }
      // Whoever has it in a fleet sees the owner and can unlock it.
      if (known?.owner && !known.dealer && actor.role === 'dealer') throw forbidden();
      const car = known ?? newCar(living?.entry.vin ?? vin);
      const { model, plate, colour } = living?.entry ?? car;
      return this.#put(transaction, { ...car, model, plate, colour, dealer: fleet });
    });
    return show(session.account, record, living);
  }

  /**
   * Gives the rights to a car to the account that has this email now, and to no other. Throws
   * DealerError 403, 404.
   */
  setOwner(session: Session, vin: string, email: string, since: string): Promise<Car> {
    return this.#change(session, vin, 'car.set-owner', async (transaction, car) => {
      await unbind(transaction, car);
      const holder = (await emailOf(transaction, email)).holder;
      if (holder !== null) await bind(transaction, car.vin, email, holder.id);
      const { id: account, username } = holder ?? { id: null, username: null };
      return { ...car, owner: { email, since, account, username } };
    });
  }

  /** Throws DealerError 403, 404. */
  clearOwner(session: Session, vin: string): Promise<Car> {
    return this.#change(session, vin, 'car.clear-owner', async (transaction, car) => {
      await unbind(transaction, car);
      return { ...car, owner: null };
    });
  }

  /** Throws DealerError 403, 404. */
  setState(session: Session, vin: string, flags: Partial<Flags>): Promise<Car> {
    return this.#change(session, vin, 'car.set-state', async (_, car) => ({ ...car, ...flags }));
  }

  async #change(
    session: Session,
    vin: string,
    action: Action,
    change: (transaction: Transaction, car: CarRecord) => Promise<CarRecord>,
  ): Promise<Car> {
    // The twin may fail to answer, so ask it before the change.
    const living = await this.#twin.find(vin);
    const record = await this.#registry.change(async (transaction) => {
      const actor = await this.#sessions.revalidate(transaction, session);
      const car = await find(transaction, vin);
      if (car === undefined) throw notFound('Car');
      if (!can(actor, action, resourceOf(car))) throw forbidden();
      return this.#put(transaction, await change(transaction, car));
    });
    return show(session.account, record, living);
  }

  #put(transaction: Transaction, changed: CarRecord): CarRecord {
    const car = { ...changed, updatedAtMs: this.#clock.now() };
    transaction.put(keys.car(transaction.generation, car.vin), car);
    return car;
  }
}

/** A car as an actor sees it. */
function show(actor: Actor, car: CarRecord, living: LivingCar | undefined): Car {
  const { vin, model, plate, colour, dealer, updatedAtMs } = car;
  const isOpen = can(actor, 'car.read-private', resourceOf(car));
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
    world: living?.world ?? null,
    updated_at: new Date(updatedAtMs).toISOString(),
  };
}

function ownerOf(owner: Owner | null): Car['owner'] {
  if (owner === null) return null;
  const { email, since, username } = owner;
  return { email, since, username };
}

function resourceOf({ dealer, owner }: CarRecord) {
  return { dealer, account: owner?.account ?? null };
}

function newCar(vin: string): CarRecord {
  return {
    vin,
    model: null,
    plate: null,
    colour: null,
    dealer: null,
    owner: null,
    locked: false,
    climate: false,
    charging: false,
    updatedAtMs: 0,
  };
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

/** Finds a car by VIN. The VINs of worlds are stored in upper case. */
async function find(reader: Reader, vin: string): Promise<CarRecord | undefined> {
  const asGiven = await reader.get<CarRecord>(keys.car(reader.generation, vin));
  if (asGiven !== undefined || vin.toUpperCase() === vin || !isTwinVin(vin)) return asGiven;
  return reader.get<CarRecord>(keys.car(reader.generation, vin.toUpperCase()));
}
