import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeProcess } from '../testing/process.ts';
import { type Body, DealerApi } from './client.ts';
import { ENGINES } from './engines.ts';

const ROUNDS = 10;
const WRITERS = 6;
const CAR = 'DEMCAR00000000001';

/** What one customer's phone was told to be, in order. */
interface Phone {
  acknowledged: number;
  sent: number;
}

describe.each(ENGINES)('on the $name store', ({ startProcess }) => {
  let dir: string;
  let node: NodeProcess;
  let api: DealerApi;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dealer-kill-'));
    await begin();
  });
  afterEach(async () => {
    await node.end('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  async function begin(): Promise<void> {
    node = await startProcess({ DATA_DIR: dir, SHARDS: '1' });
    api = new DealerApi(node.dealerUrl);
  }

  /** Does something over and over until the node no longer answers. */
  async function untilGone(work: () => Promise<unknown>): Promise<void> {
    try {
      for (;;) await work();
    } catch {
      // The connection broke, which is what was waited for.
    }
  }

  let joined = 0;
  const members: string[] = [];

  async function signUp(): Promise<void> {
    const username = `member${joined++}`;
    const json = {
      name: username,
      username,
      password: 'abcd',
      email: `${username}@x.test`,
      dealer: 'nordbil',
    };
    const { status } = await api.ask('POST /api/auth/signup', { json });
    if (status === 200) members.push(username);
  }

  async function call(phone: Phone, token: string): Promise<void> {
    const next = ++phone.sent;
    const json = { phone: String(next), address: String(next) };
    const { status } = await api.ask('PATCH /api/me/profile', { token, json });
    if (status === 200) phone.acknowledged = next;
  }

  /** Rights are where the owner is, and each customer has one name, one email and one account. */
  async function expectWhole(token: string): Promise<Body[]> {
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

  test('ten kills in the middle of writes lose none that was acknowledged and halve none', async () => {
    const admin = await api.logIn('admin', 'admin');
    const names = ['anna', 'erik', 'maria', 'lars', 'sara', 'johan'].slice(0, WRITERS);
    const tokens = await Promise.all(names.map((name) => api.logIn(name, 'user')));
    const phones = names.map((): Phone => ({ acknowledged: 0, sent: 0 }));
    for (let round = 0; round < ROUNDS; round++) {
      const writing = phones.map((phone, i) => untilGone(() => call(phone, tokens[i] ?? '')));
      let turn = 0;
      writing.push(
        untilGone(signUp),
        untilGone(() =>
          api.ask(`PATCH /api/cars/${CAR}/owner`, {
            token: admin,
            json: { email: `${names[turn++ % WRITERS]}@example.com`, since: String(turn) },
          }),
        ),
      );
      await sleep(300 + 70 * round);
      await node.end('SIGKILL');
      await Promise.all(writing);
      await begin();
      const customers = await expectWhole(admin);
      const byName = new Map(customers.map((customer) => [customer.username, customer]));
      for (const member of members) expect([member, byName.has(member)]).toEqual([member, true]);
      for (const [i, name] of names.entries()) {
        const { phone, address } = byName.get(name) ?? {};
        const { acknowledged, sent } = phones[i] ?? { acknowledged: 0, sent: 0 };
        if (acknowledged === 0) continue;
        expect(address).toBe(phone);
        expect(Number(phone)).toBeGreaterThanOrEqual(acknowledged);
        expect(Number(phone)).toBeLessThanOrEqual(sent);
      }
      // Whoever signed up can log in, since the account is whole.
      const last = members.at(-1);
      if (last !== undefined) await api.logIn(last, 'user', 'abcd');
    }
    const writes = phones.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    expect(writes).toBeGreaterThan(ROUNDS * 30);
    expect(members.length).toBeGreaterThan(ROUNDS);
  }, 240_000);

  test('a kill during a reset leaves what was before or what is after', async () => {
    const admin = await api.logIn('admin', 'admin');
    const seeded = await api.everything(admin);
    for (let round = 0; round < ROUNDS; round++) {
      await api.get('DELETE /api/dealers/nordbil?reassign_to=sydmotor', { token: admin });
      const before = await api.everything(admin);
      const resetting = untilGone(() => api.ask('POST /api/admin/reset', { token: admin }));
      await sleep(round * 8);
      await node.end('SIGKILL');
      await resetting;
      await begin();
      const found = await api.everything(admin);
      expect([before, seeded]).toContainEqual(found);
      await api.get('POST /api/admin/reset', { token: admin });
    }
  }, 240_000);
});
