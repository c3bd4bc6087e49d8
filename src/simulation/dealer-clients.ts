import { DEMO_ADMIN, DEMO_PASSWORDS } from '../dealer/demo.ts';
import { Caller, type CallerParts } from './caller.ts';
import type { NodeSlot } from './node-slot.ts';
import type { Answer, Request } from './simulated-front.ts';
import type { DealerCall } from './token-watch.ts';

/** Clients begin to log in after this time. */
const BEGIN_MS = 2000;
/** Between two log-ins of a client. */
const PAUSE_MS_MAX = 12_000;
/** Between calls with one token. */
const NEXT_MS_MAX = 400;
const PEOPLE = 2;
/** Calls with a token that is over. */
const PROBES = 3;
const ME = '/api/auth/me';

export interface DealerClientsParts extends CallerParts {
  slots: readonly NodeSlot[];
}

type Ask = Pick<Request, 'method' | 'path'> & { body?: object };

/** Clients of the dealer platform: they log in, call with their tokens, and end these in all ways. */
export class DealerClients {
  readonly #parts: DealerClientsParts;
  readonly #caller: Caller;
  /** By token: the account that it was given to. */
  readonly #tokens = new Map<string, string>();
  /** Those that the admin may have, the likeliest first. */
  #adminPasswords: readonly string[] = [DEMO_PASSWORDS.admin];
  #requestCount = 0;
  #accountCount = 0;
  #isOver = false;

  constructor(parts: DealerClientsParts) {
    this.#parts = parts;
    this.#caller = new Caller(parts);
  }

  start(): void {
    for (let i = 0; i < PEOPLE; i++) {
      this.#caller.later(this.#anyMs(BEGIN_MS, BEGIN_MS + PAUSE_MS_MAX), () => this.#live());
    }
  }

  end(): void {
    this.#isOver = true;
  }

  #anyMs(from: number, to: number): number {
    return this.#parts.chance.between(from, to);
  }

  async #live(): Promise<void> {
    const { chance } = this.#parts;
    const ways = [
      () => this.#logOut(),
      () => this.#logOut(),
      () => this.#renewPassword(),
      () => this.#deleteAccount(),
      () => this.#reset(),
    ];
    while (!this.#isOver) {
      await chance.pick(ways)();
      await this.#caller.sleep(this.#anyMs(0, PAUSE_MS_MAX));
    }
  }

  // ── ways to end tokens ──────────────────────────────────────────────────────────────────────

  async #logOut(): Promise<void> {
    const token = await this.#logInAdmin();
    if (token === undefined) return;
    await this.#use(token);
    await this.#endWith({ method: 'POST', path: '/api/auth/logout' }, token, [token]);
  }

  /** Ends all other tokens of the admin. */
  async #renewPassword(): Promise<void> {
    const token = await this.#logInAdmin();
    if (token === undefined) return;
    const [current = ''] = this.#adminPasswords;
    const renewed = `secret ${++this.#accountCount}`;
    this.#adminPasswords = [...this.#adminPasswords, renewed];
    const ends = this.#tokensOf((account) => account === DEMO_ADMIN, token);
    const body = { current_password: current, new_password: renewed };
    const isDone = await this.#endWith(
      { method: 'PATCH', path: '/api/me/admin', body },
      token,
      ends,
    );
    if (isDone) this.#likeliest(renewed);
  }

  async #deleteAccount(): Promise<void> {
    const token = await this.#logInAdmin();
    if (token === undefined) return;
    const username = `dealer${++this.#accountCount}`;
    const password = `secret ${username}`;
    const dealer = { username, password, name: 'A dealer', city: 'Umeå' };
    await this.#ask({ method: 'POST', path: '/api/dealers', body: dealer }, { token });
    const own = await this.#logIn(username, password);
    if (own === undefined) return;
    await this.#use(own);
    const ends = this.#tokensOf((account) => account === username);
    await this.#endWith({ method: 'DELETE', path: `/api/dealers/${username}` }, token, ends);
  }

  /** Ends all other tokens. */
  async #reset(): Promise<void> {
    const token = await this.#logInAdmin();
    if (token === undefined) return;
    const ends = this.#tokensOf(() => true, token);
    const isDone = await this.#endWith({ method: 'POST', path: '/api/admin/reset' }, token, ends);
    if (isDone) this.#likeliest(DEMO_PASSWORDS.admin);
  }

  #tokensOf(isMeant: (account: string) => boolean, except?: string): string[] {
    return [...this.#tokens]
      .filter(([token, account]) => token !== except && isMeant(account))
      .map(([token]) => token);
  }

  /** Resolves to whether it was done. Then nobody may accept the tokens any more. */
  async #endWith(ask: Ask, token: string, ends: readonly string[]): Promise<boolean> {
    const answer = await this.#ask(ask, { token, ends });
    if (answer?.status !== 200) return false;
    for (const each of ends) this.#tokens.delete(each);
    for (const each of ends.slice(0, PROBES)) void this.#use(each).catch(this.#parts.failed);
    return true;
  }

  // ── calls ───────────────────────────────────────────────────────────────────────────────────

  /** Calls with a token, at any nodes. */
  async #use(token: string): Promise<void> {
    for (let i = 0; i < PROBES; i++) {
      await this.#ask({ method: 'GET', path: ME }, { token });
      await this.#caller.sleep(this.#anyMs(0, NEXT_MS_MAX));
    }
  }

  async #logInAdmin(): Promise<string | undefined> {
    for (const password of this.#adminPasswords) {
      const token = await this.#logIn(DEMO_ADMIN, password);
      if (token === undefined) continue;
      this.#likeliest(password);
      return token;
    }
    return undefined;
  }

  #likeliest(password: string): void {
    const others = this.#adminPasswords.filter((each) => each !== password);
    this.#adminPasswords = [password, ...others];
  }

  async #logIn(username: string, password: string): Promise<string | undefined> {
    const role = username === DEMO_ADMIN ? 'admin' : 'dealer';
    const body = { username, password, role };
    const answer = await this.#ask({ method: 'POST', path: '/api/auth/login', body }, {});
    if (answer?.status !== 200) return undefined;
    const text = Buffer.from(answer.body).toString();
    const { access_token: token } = JSON.parse(text) as { access_token: string };
    this.#tokens.set(token, username);
    return token;
  }

  #ask({ method, path, body }: Ask, call: DealerCall): Promise<Answer | undefined> {
    const { chance, slots, observer } = this.#parts;
    const id = `d${++this.#requestCount}`;
    observer.tokens.asks(id, call);
    return this.#caller.request(chance.pick(slots), {
      ...{ service: 'dealer', method, path, id },
      ...(body && { body: JSON.stringify(body) }),
      ...(call.token !== undefined && { authorization: `Bearer ${call.token}` }),
    });
  }

  /** Whether the platform of a node answers. */
  async isServedBy(slot: NodeSlot): Promise<boolean> {
    const id = `d${++this.#requestCount}`;
    const request = { service: 'dealer', method: 'GET', path: '/api/dealers', id } as const;
    return (await this.#caller.request(slot, request))?.status === 200;
  }
}
