import { afterAll, beforeAll } from 'vitest';
import { startTestNode, type TestNode } from '../../rigs/node.ts';
import { checkAnswer } from '../../rigs/published.ts';

export interface Ask {
  token?: string | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  body?: string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams;
  headers?: Record<string, string>;
}

/** What an object says. */
export type Body = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

export interface Fault {
  type: string;
  loc: (string | number)[];
  msg: string;
  ctx?: Record<string, unknown>;
}

export const PASSWORDS = { admin: 'admin-demo', dealer: 'dealer-demo', user: 'customer-demo' };
/** What a new customer of Nordbil sends. */
export const signUpOf = (username: string) => ({
  name: 'A Customer',
  username,
  password: 'abcd',
  email: `${username}@x.test`,
  dealer: 'nordbil',
});
/** Describes the others, and is described by none. */
const DOCUMENT = '/openapi.json';
export type Role = keyof typeof PASSWORDS;

/** A client of one dealer platform. Every JSON answer is held against the published document. */
export class DealerApi {
  url: string;

  constructor(url: string) {
    this.url = url;
  }

  /**
   * @param call method and path: `GET /api/cars`
   * @throws where the answer is not as published
   */
  async ask(call: string, { token, json, body, headers }: Ask = {}): Promise<Answer> {
    const [method = '', path = ''] = call.split(' ');
    const sent = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    const body_ = text === '' ? undefined : JSON.parse(text);
    const { status } = response;
    if (path !== DOCUMENT)
      await checkAnswer('dealer', this.url, { method, path, status, body: body_ });
    return { status, headers: response.headers, body: body_, text };
  }

  /** The body of a success. Throws for anything else. */
  async get<T = Body>(call: string, ask: Ask = {}): Promise<T> {
    const { status, body, text } = await this.ask(call, ask);
    if (status !== 200) throw new Error(`${call}: ${status} ${text}`);
    return body as T;
  }

  /** A token of a demo account. */
  async logIn(username: string, role: Role, password: string = PASSWORDS[role]): Promise<string> {
    const json = { role, username, password };
    return String((await this.get('POST /api/auth/login', { json })).access_token);
  }

  /** All that an admin sees: what any change would show in. */
  async everything(token: string): Promise<unknown> {
    const [dealers, customers, cars, self] = await Promise.all([
      this.get('GET /api/dealers'),
      this.get('GET /api/customers', { token }),
      this.get('GET /api/cars', { token }),
      this.get('GET /api/me/admin', { token }),
    ]);
    return { dealers, customers, cars, self };
  }
}

/** A client of a node in this process; both are there for all tests of the block that calls this. */
export function useDealer(
  start = startTestNode,
  settings?: Record<string, string>,
): DealerApi & { node: TestNode } {
  const dealer = new DealerApi('') as DealerApi & { node: TestNode };
  beforeAll(async () => {
    dealer.node = await start(settings);
    dealer.url = dealer.node.dealerUrl;
  });
  afterAll(() => dealer.node.discard());
  return dealer;
}
