import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { decode } from '@msgpack/msgpack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import {
  ask,
  faultsOf,
  openTestFront,
  type TestFront,
  until,
} from '../../testing/doubles/test-front.ts';
import * as schemas from './schemas.ts';

let front: TestFront;
let world: FakeWorld;

beforeEach(() => {
  front = openTestFront();
  world = front.service.add();
  world.tickNow = 100;
});

afterEach(() => front.close());

/** An open stream whose messages can be waited for one by one. */
class Client {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; wasClean: boolean }>;
  readonly #messages: (string | ArrayBuffer)[] = [];
  #wake = () => {};

  constructor(query = '', protocols: string[] = []) {
    const url = `${front.twinUrl.replace('http', 'ws')}/ws/worlds/${world.id}${query}`;
    this.socket = new WebSocket(url, protocols);
    this.socket.binaryType = 'arraybuffer';
    this.socket.addEventListener('message', ({ data }) => {
      this.#messages.push(data);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.socket.addEventListener('close', ({ code, wasClean }) => resolve({ code, wasClean }));
    });
  }

  async next(): Promise<string | ArrayBuffer> {
    while (this.#messages.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#messages.shift() as string | ArrayBuffer;
  }

  async json(): Promise<unknown> {
    return JSON.parse((await this.next()) as string);
  }
}

async function frameAt(tick: number): Promise<void> {
  world.tickNow = tick;
  await front.service.sendFrames(world);
}

describe('a stream', () => {
  test('says hello, then sends the frames of its world', async () => {
    const client = new Client();
    const hello = await client.json();
    expect(faultsOf(schemas.Hello, hello)).toBeNull();
    expect(hello).toEqual({
      type: 'hello',
      world: world.id,
      rate_hz: 12.5,
      fleet: world.fleet,
      tick: 100,
    });
    await frameAt(104);
    const frame = await client.json();
    expect(faultsOf(schemas.Snapshot, frame)).toBeNull();
    expect(frame).toMatchObject({ type: 'snapshot', world: world.id, tick: 104, time: 2.08 });
    client.socket.close();
  });

  test('[S5] has the same content as the state', async () => {
    const client = new Client();
    await client.next();
    await frameAt(104);
    const { body } = await ask(`${front.twinUrl}/api/v1/worlds/${world.id}/state`);
    expect(await client.json()).toEqual(body);
  });

  test('[S3] never sends a tick that is not above the one before, the hello included', async () => {
    const client = new Client();
    await client.next();
    for (const tick of [96, 100, 104, 104, 100, 108]) await frameAt(tick);
    expect(await client.json()).toMatchObject({ tick: 104 });
    expect(await client.json()).toMatchObject({ tick: 108 });
  });

  test.each([
    ['?encoding=msgpack', []],
    ['', ['msgpack']],
    ['', ['unheard-of', 'msgpack', 'json']],
    ['?encoding=msgpack', ['json']],
  ])('is MessagePack with query "%s" and protocols %j', async (query, protocols) => {
    const client = new Client(query, protocols);
    const hello = await client.next();
    expect(hello).toBeInstanceOf(ArrayBuffer);
    expect(faultsOf(schemas.Hello, decode(hello as ArrayBuffer))).toBeNull();
    await frameAt(104);
    const frame = decode((await client.next()) as ArrayBuffer);
    expect(faultsOf(schemas.Snapshot, frame)).toBeNull();
    expect(client.socket.protocol).toBe(
      protocols.find((name) => /^(msgpack|json)$/.test(name)) ?? '',
    );
  });

  test.each([
    ['', []],
    ['', ['json', 'msgpack']],
    ['?encoding=json', ['msgpack']],
  ])('is JSON with query "%s" and protocols %j', async (query, protocols) => {
    const client = new Client(query, protocols);
    expect(await client.json()).toMatchObject({ type: 'hello' });
    expect(client.socket.protocol).toBe(protocols[0] ?? '');
  });

  test('counts as a watcher while it is open', async () => {
    const client = new Client();
    await client.next();
    expect(world.watchers).toEqual({ json: 1, msgpack: 0 });
    client.socket.close();
    await client.closed;
    await until(() => world.watcherCount === 0);
    expect(world.watchers).toEqual({ json: 0, msgpack: 0 });
  });

  test('[S11] of a world that is not at hand is opened when that is loaded', async () => {
    front.service.cold.add(world);
    const client = new Client('', ['json']);
    expect(await client.json()).toMatchObject({ type: 'hello', world: world.id });
    expect(client.socket.protocol).toBe('json');
    expect(front.service.loads).toBe(1);
  });

  test('ignores what a client says, up to 1 KiB', async () => {
    const client = new Client();
    await client.next();
    client.socket.send('x'.repeat(1024));
    client.socket.send(new Uint8Array(1024));
    await frameAt(104);
    expect(await client.json()).toMatchObject({ tick: 104 });
  });

  test.each([1025, 16_384])('is closed with 1009 for a message of %i bytes', async (length) => {
    const client = new Client();
    await client.next();
    client.socket.send('x'.repeat(length));
    expect(await client.closed).toEqual({ code: 1009, wasClean: true });
  });

  test('just ends for a client that talks without end', async () => {
    const [noisy, quiet] = [new Client(), new Client()];
    await Promise.all([noisy.next(), quiet.next()]);
    for (let i = 0; i < 2500; i++) noisy.socket.send('');
    expect(await noisy.closed).toEqual({ code: 1006, wasClean: false });
    await frameAt(104);
    expect(await quiet.json()).toMatchObject({ tick: 104 });
  });

  test('just ends for a message beyond 16 KiB', async () => {
    const client = new Client();
    await client.next();
    client.socket.send('x'.repeat(16_385));
    expect(await client.closed).toEqual({ code: 1006, wasClean: false });
  });

  test.each([1012, 1013] as const)('is closed with %i when its world says so', async (code) => {
    const client = new Client();
    await client.next();
    front.service.endStreams(world, code);
    expect(await client.closed).toEqual({ code, wasClean: true });
  });
});

// ── refusals ──────────────────────────────────────────────────────────────────────────────────

interface Refusal {
  status: number | undefined;
  error: string | undefined;
  headers: Record<string, unknown>;
}

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** Asks for an upgrade that should not come. A header that is undefined is left out. */
function refused(path: string, changes: Record<string, string | undefined> = {}): Promise<Refusal> {
  const wanted = Object.entries({ ...UPGRADE, ...changes });
  const headers = Object.fromEntries(wanted.filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const outgoing = request(`${front.twinUrl}${path}`, { headers } as object, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        const { error } = JSON.parse(text) as { error?: string };
        resolve({ status: response.statusCode, error, headers: response.headers });
      });
    });
    outgoing.on('upgrade', () => reject(new Error('was upgraded')));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

describe('an upgrade is refused', () => {
  const path = () => `/ws/worlds/${world.id}`;

  test.each(['zzzzzzzzzz', 'x', 'ZZZZZZZZZZ'])('with 404 for the unknown world %s', async (id) => {
    expect(await refused(`/ws/worlds/${id}`)).toMatchObject({
      status: 404,
      error: 'unknown_world',
    });
  });

  test.each(['xml', '', 'JSON'])('with 400 for the encoding "%s"', async (encoding) => {
    const answer = await refused(`${path()}?encoding=${encoding}`);
    expect(answer).toMatchObject({ status: 400, error: 'unknown_encoding' });
  });

  test.each([
    ['another version', { 'Sec-WebSocket-Version': '12' }],
    ['no version', { 'Sec-WebSocket-Version': undefined }],
    ['another protocol', { Upgrade: 'h2c' }],
    ['no key', { 'Sec-WebSocket-Key': undefined }],
    ['no wish for one', { Upgrade: undefined, Connection: undefined }],
  ])('with 426 for %s', async (_, changes) => {
    const answer = await refused(path(), changes);
    expect(answer).toMatchObject({
      status: 426,
      error: 'upgrade_required',
      headers: { upgrade: 'websocket', 'sec-websocket-version': '13' },
    });
  });

  test('with 405 for another method', async () => {
    const { status, headers } = await ask(`${front.twinUrl}${path()}`, { method: 'POST' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, OPTIONS');
  });

  test('with 503 where no shard can take the world', async () => {
    world.failure = new TwinError('overloaded', undefined, 4);
    expect(await refused(path())).toMatchObject({
      status: 503,
      error: 'overloaded',
      headers: { 'retry-after': '4' },
    });
    expect(world.watcherCount).toBe(0);
  });

  test('with 429 for more streams than an address may have, until one is closed', async () => {
    await front.close();
    front = openTestFront({ rateLimits: { ...DEFAULT_RATE_LIMITS, socketsPerAddress: 2 } });
    world = front.service.add();
    const clients = [new Client(), new Client()];
    await Promise.all(clients.map((client) => client.next()));
    expect(await refused(path())).toMatchObject({ status: 429, error: 'rate_limited' });
    clients[0]?.socket.close();
    await until(() => world.watcherCount === 1);
    expect(await new Client().json()).toMatchObject({ type: 'hello' });
  });

  test('with 429, not 404, for too many misses', async () => {
    const misses = { burst: 2, perS: 1 };
    await front.close();
    front = openTestFront({ rateLimits: { ...DEFAULT_RATE_LIMITS, misses } });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await refused('/ws/worlds/zzzzzzzzzz')).status);
    expect(statuses).toEqual([404, 404, 429]);
  });

  test('and no extension is agreed on, nor a protocol that is not known', async () => {
    const headers = {
      ...UPGRADE,
      'Sec-WebSocket-Extensions': 'permessage-deflate',
      'Sec-WebSocket-Protocol': 'mqtt, graphql-ws',
    };
    const outgoing = request(`${front.twinUrl}${path()}`, { headers }).end();
    const [response, socket] = await once(outgoing, 'upgrade');
    expect(response.headers['sec-websocket-extensions']).toBeUndefined();
    expect(response.headers['sec-websocket-protocol']).toBeUndefined();
    (socket as Socket).destroy();
  });
});

// ── slow readers and the end ──────────────────────────────────────────────────────────────────

/** A client that asks for a stream and then reads nothing. */
async function stalled(): Promise<Socket> {
  const socket = connect(front.port, '127.0.0.1');
  socket.pause();
  const headers = Object.entries(UPGRADE).map(([name, value]) => `${name}: ${value}\r\n`);
  const line = `GET /ws/worlds/${world.id} HTTP/1.1\r\nHost: a\r\n`;
  socket.write(`${line}${headers.join('')}\r\n`);
  return socket;
}

test('readers that stall miss frames and do not hold up others', async () => {
  const healthy = new Client();
  await healthy.next();
  const sockets = await Promise.all([stalled(), stalled(), stalled()]);
  await until(() => world.watcherCount === 4);
  let tick = 100;
  for (let i = 0; i < 4000; i++) {
    tick += 4;
    await frameAt(tick);
    expect(await healthy.json()).toMatchObject({ tick });
  }
  const { skipped } = await streamCounts();
  expect(skipped).toBeGreaterThan(1000);
  for (const socket of sockets) socket.destroy();
});

test('a reader that takes nothing for 15 s is told 1013 behind what it had not read', async () => {
  await front.close();
  front = openTestFront();
  world = front.service.add();
  const socket = await stalled();
  await until(() => world.watcherCount === 1);
  for (let tick = 4; (await streamCounts()).skipped === 0; tick += 400) {
    for (let i = 0; i < 100; i++) await frameAt(tick + 4 * i);
  }
  await front.time.advance(15_000);
  await until(() => world.watcherCount === 0);
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.resume();
  await once(socket, 'end');
  const received = Buffer.concat(parts);
  const closeFrame = received.lastIndexOf(Buffer.of(0x88));
  expect(received.readUInt16BE(closeFrame + 2)).toBe(1013);
  expect(received.length).toBe(closeFrame + 2 + (received[closeFrame + 1] ?? 0));
});

async function streamCounts(): Promise<{ sent: number; skipped: number; watchers: number }> {
  const text = await (await fetch(`${front.opsUrl}/metrics`)).text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return {
    sent: read('stream_frames_sent_total'),
    skipped: read('stream_frames_skipped_total'),
    watchers: read('stream_watchers'),
  };
}

test('streams are counted', async () => {
  const client = new Client();
  await client.next();
  await frameAt(104);
  await client.next();
  expect(await streamCounts()).toEqual({ sent: 1, skipped: 0, watchers: 1 });
});

test('when the node stops, streams are closed with 1012', async () => {
  const clients = [new Client(), new Client('?encoding=msgpack')];
  await Promise.all(clients.map((client) => client.next()));
  const closed = Promise.all(clients.map((client) => client.closed));
  await front.close();
  expect(await closed).toEqual([
    { code: 1012, wasClean: true },
    { code: 1012, wasClean: true },
  ]);
  expect(world.watcherCount).toBe(0);
  front = openTestFront();
});
