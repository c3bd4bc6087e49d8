import { connect, type Socket } from 'node:net';
import { decode } from '@msgpack/msgpack';
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestNode, type TestNode } from '../../rigs/node.ts';
import { checkAnswer, checkNamed } from '../../rigs/published.ts';
import { until } from '../../rigs/until.ts';
import { plausible } from './plausible.ts';
import type { ErrorBody, Incident, Schemas, World } from './wire.ts';

/** One request; a GET without anything unless it says otherwise. */
export interface Ask {
  method?: string;
  /** Sent as `Authorization: VIN …`. */
  vin?: string | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  body?: string | Uint8Array<ArrayBuffer>;
  msgpack?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  text: string;
  /** Decoded by its Content-Type; undefined where there is none. */
  body: unknown;
}

/** A client of one twin. Every decoded answer is held against the published document. */
export class Api {
  url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** @throws where the answer is not as published */
  async ask(path: string, ask: Ask = {}): Promise<Answer> {
    const headers = new Headers(ask.headers);
    if (ask.vin !== undefined) headers.set('Authorization', `VIN ${ask.vin}`);
    if (ask.msgpack) headers.set('Accept', 'application/msgpack');
    const { method = 'GET' } = ask;
    const sent = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
    const response = await fetch(new URL(path, this.url), {
      method,
      redirect: 'manual',
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const type = response.headers.get('Content-Type') ?? '';
    const { status } = response;
    const text = new TextDecoder().decode(bytes);
    const body = read(type, bytes);
    if (/^\/(api|ws)\//.test(path))
      await checkAnswer('twin', this.url, { method, path, status, body });
    return { status, headers: response.headers, bytes, text, body };
  }

  /**
   * The body of a successful call.
   * @param name of its schema in the document
   * @throws for any other status, and where the body is no such thing
   */
  async get<Name extends keyof Schemas>(
    name: Name,
    path: string,
    ask: Ask = {},
    status = 200,
  ): Promise<Schemas[Name]> {
    const answer = await this.ask(path, ask);
    if (answer.status !== status) {
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    await checkNamed('twin', this.url, name, answer.body);
    return plausible(answer.body as Schemas[Name]);
  }

  /** The body of a refused call, and what came with it. All refusals have the form asserted here. */
  async refused(path: string, ask: Ask = {}): Promise<ErrorBody & Answer> {
    const answer = await this.ask(path, ask);
    const { status, headers } = answer;
    await checkNamed('twin', this.url, 'ErrorBody', answer.body);
    const body = answer.body as ErrorBody;
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(body.hint).toMatch(/[a-z]{2}.*[.!]$/);
    if (status === 401) expect(headers.get('WWW-Authenticate')).toBe('VIN');
    if (status === 429 || status === 503) {
      expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    }
    return { ...answer, ...body };
  }

  /** Status and code of a refused call. */
  async refusal(path: string, ask: Ask = {}): Promise<[status: number, error: string]> {
    const { status, error } = await this.refused(path, ask);
    return [status, error];
  }

  /** Makes a world; options are sent as they are. */
  makeWorld(options?: unknown): Promise<World> {
    const ask = { method: 'POST', ...(options === undefined ? {} : { json: options }) };
    return this.get('World', '/api/v1/worlds', ask, 201);
  }

  /** Below a world, or the world itself. */
  world<Name extends keyof Schemas>(name: Name, { id }: { id: string }, path = '', ask: Ask = {}) {
    return this.get(name, `/api/v1/worlds/${id}${path}`, ask);
  }

  /** Below /api/v1/vehicle, as one car of a world. */
  vehicle<Name extends keyof Schemas>(name: Name, vin: string, path = '', ask: Ask = {}) {
    return this.get(name, `/api/v1/vehicle${path}`, { ...ask, vin });
  }

  /** Switches features of one car. */
  patch(vin: string, features: Record<string, boolean>) {
    return this.vehicle('FeatureState', vin, '/features', { method: 'PATCH', json: features });
  }

  /** The incidents of a world up to a tick, some at least, once all of them are explained. */
  async explained(world: World, endTick: number): Promise<Incident[]> {
    return until('explanations', async () => {
      const all = await this.world('Incidents', world, '/incidents');
      for (const { explained, failures } of all) if (!explained) expect(failures).toEqual([]);
      const wanted = all.filter(({ tick }) => tick <= endTick);
      return wanted.length > 0 && wanted.every(({ explained }) => explained) ? wanted : undefined;
    });
  }
}

/** A client of a node in this process; both are there for all tests of the file that calls this. */
export function useTwin(settings?: Record<string, string>): Api & { node: TestNode } {
  const twin = new Api('') as Api & { node: TestNode };
  beforeAll(async () => {
    twin.node = await startTestNode(settings);
    twin.url = twin.node.twinUrl;
  });
  afterAll(() => twin.node.discard());
  return twin;
}

function read(type: string, bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  if (type.startsWith('application/json')) return JSON.parse(new TextDecoder().decode(bytes));
  return type === 'application/msgpack' ? decode(bytes) : undefined;
}

/** The VIN of a car of a world. */
export function vinOf({ fleet }: World, car: number): string {
  const entry = fleet[car];
  if (entry === undefined) throw new RangeError(`no car ${car}`);
  return entry.vin;
}

export interface RawAnswer {
  status: number;
  /** By name in lower case; values of equal names joined by a comma. */
  headers: ReadonlyMap<string, string>;
  body: Uint8Array;
  /** What came behind the head of a 101. */
  rest: Buffer;
  /** Open still. */
  socket: Socket;
}

/**
 * Sends the lines of a request as they are, with Host and a length added where there is a body, and
 * reads one answer.
 */
export async function raw(url: string, lines: readonly string[], body = ''): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const [first = '', ...others] = lines;
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  socket.write(`${[first, `Host: ${host}`, ...length, ...others].join('\r\n')}\r\n\r\n${body}`);
  return readAnswer(socket);
}

function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const end = (settle: () => void) => {
      socket.removeAllListeners();
      settle();
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answer = parseAnswer(received, socket);
      if (answer !== undefined) end(() => resolve(answer));
    });
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('close', () => end(() => reject(new Error(`closed after: ${received}`))));
  });
}

/** Undefined while some of it is missing. */
function parseAnswer(received: Buffer, socket: Socket): RawAnswer | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const rest = received.subarray(headEnd + 4);
  const length = Number(headers.get('content-length') ?? 0);
  if (rest.length < length) return undefined;
  const status = Number(statusLine.split(' ')[1]);
  return { status, headers, body: rest.subarray(0, length), rest: rest.subarray(length), socket };
}
