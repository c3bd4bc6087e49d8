import { expect } from 'vitest';
import { systemTime } from '../../../time.ts';
import { until } from '../../rigs/until.ts';
import { type Body, type DealerApi, signUpOf } from './dealer-api.ts';

const NAMES = ['anna', 'erik', 'maria', 'lars', 'sara', 'johan'];
const CAR = 'DEMCAR00000000001';
const REFUSED_PAUSE_MS = 20;
/** Acknowledged, before a round may end. */
const CHANGES = 30;
const ROUNDS = 10;
const RESETS = 5;

/** Who has the car after so many times that it was given, and since when. */
function ownerAfter(count: number): { email: string; since: string; username: string } {
  const username = NAMES[count % NAMES.length] ?? '';
  return { email: `${username}@example.com`, since: String(count), username };
}

/** The flags of the car after so many times that they were set: they count up to eight. */
function flagsAfter(count: number): { locked: boolean; climate: boolean; charging: boolean } {
  const isSet = (bit: number) => Math.floor(count / bit) % 2 === 1;
  return { locked: isSet(1), climate: isSet(2), charging: isSet(4) };
}

/** A customer who is told one number after the other, and with each two fields at once. */
interface Caller {
  name: string;
  token: string;
  acknowledged: number;
  sent: number;
}

/** Writes over and over, all at once, and knows what was acknowledged. */
export class Writers {
  readonly #admin: string;
  readonly #callers: Caller[];
  /** Whoever was told that the sign-up is done. */
  readonly #members: string[] = [];
  #joined = 0;
  /** How often the car was given and its flags were set, as far as that was acknowledged. */
  readonly #car = { given: 0, flagged: 0 };

  private constructor(admin: string, callers: Caller[]) {
    this.#admin = admin;
    this.#callers = callers;
  }

  static async logIn(api: DealerApi): Promise<Writers> {
    const admin = await api.logIn('admin', 'admin');
    const callers = NAMES.map(async (name): Promise<Caller> => {
      return { name, token: await api.logIn(name, 'user'), acknowledged: 0, sent: 0 };
    });
    return new Writers(admin, await Promise.all(callers));
  }

  /** Writes until the result is called, or nobody answers. */
  begin(api: DealerApi): () => Promise<void> {
    let isOver = false;
    const again = async (write: () => Promise<number>): Promise<void> => {
      try {
        while (!isOver) if ((await write()) !== 200) await systemTime.sleep(REFUSED_PAUSE_MS);
      } catch {
        // The node was killed.
      }
    };
    const writing = [
      ...this.#callers.map((caller) => again(() => change(api, caller))),
      again(() => this.#signUp(api)),
      again(() => this.#giveCar(api)),
      again(() => this.#flagCar(api)),
    ];
    return async () => {
      isOver = true;
      await Promise.all(writing);
    };
  }

  get #acknowledged(): number {
    return this.#callers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  /** Waits for a number of changes and one write of each other kind that are acknowledged from now on. */
  async untilWriting(): Promise<void> {
    const [changes, signUps] = [this.#acknowledged, this.#members.length];
    const { given, flagged } = this.#car;
    await until(
      'acknowledged writes',
      () =>
        this.#acknowledged >= changes + CHANGES &&
        this.#members.length > signUps &&
        this.#car.given > given &&
        this.#car.flagged > flagged,
    );
  }

  async #signUp(api: DealerApi): Promise<number> {
    const username = `member${this.#joined++}`;
    const { status } = await api.ask('POST /api/auth/signup', { json: signUpOf(username) });
    if (status === 200) this.#members.push(username);
    return status;
  }

  /** The same again until it is acknowledged: so the car has its last owner or the next one. */
  async #giveCar(api: DealerApi): Promise<number> {
    const next = this.#car.given + 1;
    const { email, since } = ownerAfter(next);
    const ask = { token: this.#admin, json: { email, since } };
    const { status } = await api.ask(`PATCH /api/cars/${CAR}/owner`, ask);
    if (status === 200) this.#car.given = next;
    return status;
  }

  async #flagCar(api: DealerApi): Promise<number> {
    const next = this.#car.flagged + 1;
    const ask = { token: this.#admin, json: flagsAfter(next) };
    const { status } = await api.ask(`PATCH /api/cars/${CAR}/state`, ask);
    if (status === 200) this.#car.flagged = next;
    return status;
  }

  /** Nothing acknowledged is lost, and nothing is half done. */
  async expectKept(api: DealerApi): Promise<void> {
    const customers = await expectWhole(api, this.#admin);
    const byName = new Map(customers.map((customer) => [customer.username, customer]));
    for (const member of this.#members) {
      expect([member, byName.has(member)]).toEqual([member, true]);
    }
    for (const { name, acknowledged, sent } of this.#callers) {
      if (acknowledged === 0) continue;
      const { phone, address } = byName.get(name) ?? {};
      expect(address).toBe(phone);
      expect(Number(phone)).toBeGreaterThanOrEqual(acknowledged);
      expect(Number(phone)).toBeLessThanOrEqual(sent);
    }
    await this.#expectCarKept(api);
    // Whoever signed up can log in, since the account is whole.
    const last = this.#members.at(-1);
    if (last !== undefined) await api.logIn(last, 'user', 'abcd');
  }

  async #expectCarKept(api: DealerApi): Promise<void> {
    const { given, flagged } = this.#car;
    const cars = await api.get<Body[]>('GET /api/cars', { token: this.#admin });
    const { owner, locked, climate, charging } = cars.find(({ vin }) => vin === CAR) ?? {};
    if (given > 0) expect([given, given + 1].map(ownerAfter)).toContainEqual(owner);
    const flags = { locked, climate, charging };
    if (flagged > 0) expect([flagged, flagged + 1].map(flagsAfter)).toContainEqual(flags);
  }
}

async function change(api: DealerApi, caller: Caller): Promise<number> {
  const next = ++caller.sent;
  const json = { phone: String(next), address: String(next) };
  const { status } = await api.ask('PATCH /api/me/profile', { token: caller.token, json });
  if (status === 200) caller.acknowledged = next;
  return status;
}

/** Rights are where the owner is, and each customer has one name, one email and one account. */
async function expectWhole(api: DealerApi, token: string): Promise<Body[]> {
  const customers = await api.get<Body[]>('GET /api/customers', { token });
  const cars = await api.get<Body[]>('GET /api/cars', { token });
  for (const { username, cars: owned } of customers) {
    const vins = cars.filter(({ owner }) => (owner as Body | null)?.username === username);
    expect([username, owned]).toEqual([username, vins.map(({ vin }) => vin)]);
  }
  const names = customers.map(({ username }) => username);
  expect(new Set(names).size).toBe(names.length);
  return customers;
}

/**
 * In each round something fails in the middle of writes and comes back: nothing acknowledged is lost,
 * and nothing is half done.
 * @param current a client of the node as it is now
 */
export async function expectWritesKept(
  current: () => DealerApi,
  fail: (round: number) => Promise<void>,
): Promise<void> {
  const writers = await Writers.logIn(current());
  for (let round = 0; round < ROUNDS; round++) {
    const stop = writers.begin(current());
    await writers.untilWriting();
    await systemTime.sleep(7 * round);
    await fail(round);
    await stop();
    await writers.expectKept(current());
  }
}

/** The same in the middle of resets: there is what was before or what is after. */
export async function expectResetsWhole(
  current: () => DealerApi,
  fail: () => Promise<void>,
): Promise<void> {
  const admin = await current().logIn('admin', 'admin');
  const seeded = await current().everything(admin);
  for (let round = 0; round < RESETS; round++) {
    const call = 'DELETE /api/dealers/nordbil?reassign_to=sydmotor';
    await current().get(call, { token: admin });
    const before = await current().everything(admin);
    const reset = current().ask('POST /api/admin/reset', { token: admin });
    // It may be answered or cut off.
    const status = reset.then(
      (answer) => answer.status,
      () => undefined,
    );
    await systemTime.sleep(16 * round);
    await fail();
    // The reset may still wait for the store, and is then done after a read that overtakes it.
    const possible = (await status) === 200 ? [seeded] : [before, seeded];
    expect(possible).toContainEqual(await current().everything(admin));
    await current().get('POST /api/admin/reset', { token: admin });
  }
}
