import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import { openTestFront, type TestFront } from '../../testing/doubles/test-front.ts';
import { until } from '../../testing/rigs/until.ts';

let front: TestFront;
let world: FakeWorld;

beforeEach(() => {
  front = openTestFront();
  world = front.service.add();
  world.tickNow = 100;
});

afterEach(() => front.close());

/** An open stream that returns its messages one by one. */
class Client {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; wasClean: boolean }>;
  readonly #messages: string[] = [];
  #wake = () => {};

  constructor(protocols: string[] = []) {
    const url = `${front.twinUrl.replace('http', 'ws')}/ws/worlds/${world.id}`;
    this.socket = new WebSocket(url, protocols);
    this.socket.addEventListener('message', ({ data }) => {
      this.#messages.push(data);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.socket.addEventListener('close', ({ code, wasClean }) => resolve({ code, wasClean }));
    });
  }

  async next(): Promise<string> {
    while (this.#messages.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#messages.shift() ?? '';
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.next());
  }
}

async function frameAt(tick: number): Promise<void> {
  world.tickNow = tick;
  await front.service.sendFrames(world);
}

describe('a stream', () => {
  test('[S3] sends only ticks above the previous one, the hello included', async () => {
    const client = new Client();
    await client.next();
    for (const tick of [96, 100, 104, 104, 100, 108]) await frameAt(tick);
    expect(await client.json()).toMatchObject({ tick: 104 });
    expect(await client.json()).toMatchObject({ tick: 108 });
  });

  test('[S11] of a world that is not in memory opens, and has frames once it is loaded', async () => {
    front.service.cold.add(world);
    const client = new Client(['json']);
    expect(await client.json()).toMatchObject({ type: 'hello', world: world.id });
    expect(client.socket.protocol).toBe('json');
    expect(front.service.loads).toBe(1);
    await frameAt(104);
    expect(await client.json()).toMatchObject({ type: 'snapshot', tick: 104 });
  });

  test('closes for a client that floods it with messages', async () => {
    const [noisy, quiet] = [new Client(), new Client()];
    await Promise.all([noisy.next(), quiet.next()]);
    for (let i = 0; i < 2500; i++) noisy.socket.send('');
    expect(await noisy.closed).toEqual({ code: 1006, wasClean: false });
    await frameAt(104);
    expect(await quiet.json()).toMatchObject({ tick: 104 });
  });

  test.each([1012, 1013] as const)(
    'is closed with %i when its world ends the streams',
    async (code) => {
      const client = new Client();
      await client.next();
      front.service.endStreams(world, code);
      expect(await client.closed).toEqual({ code, wasClean: true });
    },
  );

  test('is closed with 1012 when this node alone forgets its world', async () => {
    const client = new Client();
    await client.next();
    front.service.endStreams(world, 'moved');
    expect(await client.closed).toEqual({ code: 1012, wasClean: true });
  });
});

// ── refusals ──────────────────────────────────────────────────────────────────────────────────

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The answer to an upgrade that is refused. */
async function refused(path: string) {
  const outgoing = request(`${front.twinUrl}${path}`, { headers: UPGRADE }).end();
  const [response] = await once(outgoing, 'response');
  const { error } = JSON.parse(await text(response)) as { error?: string };
  return { status: response.statusCode, error, headers: response.headers };
}

describe('an upgrade is refused', () => {
  const path = () => `/ws/worlds/${world.id}`;

  test('with 503 if no shard can take the world', async () => {
    world.failure = new TwinError('overloaded', undefined, 4);
    expect(await refused(path())).toMatchObject({
      status: 503,
      error: 'overloaded',
      headers: { 'retry-after': '4' },
    });
    expect(world.watcherCount).toBe(0);
  });

  test('with 429, not 404, for too many misses', async () => {
    const misses = { burst: 2, perS: 1 };
    await front.close();
    front = openTestFront({ rateLimits: { ...DEFAULT_RATE_LIMITS, misses } });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await refused('/ws/worlds/zzzzzzzzzz')).status);
    expect(statuses).toEqual([404, 404, 429]);
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

test('stalled readers miss frames and do not delay others', async () => {
  const healthy = new Client();
  await healthy.next();
  const sockets = await Promise.all([stalled(), stalled(), stalled()]);
  await until('four streams', () => world.watcherCount === 4);
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

test('a reader that reads nothing for 15 s gets 1013 after its unread frames', async () => {
  await front.close();
  front = openTestFront();
  world = front.service.add();
  const socket = await stalled();
  await until('one stream', () => world.watcherCount === 1);
  for (let tick = 4; (await streamCounts()).skipped === 0; tick += 400) {
    for (let i = 0; i < 100; i++) await frameAt(tick + 4 * i);
  }
  await front.time.advance(15_000);
  await until('the end of the last stream', () => world.watcherCount === 0);
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
  const metrics = await (await fetch(`${front.opsUrl}/metrics`)).text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1]);
  return {
    sent: read('twin_stream_frames_sent_total'),
    skipped: read('twin_stream_frames_skipped_total'),
    watchers: read('twin_stream_watchers'),
  };
}

test('streams are counted', async () => {
  const client = new Client();
  await client.next();
  await frameAt(104);
  await client.next();
  expect(await streamCounts()).toEqual({ sent: 1, skipped: 0, watchers: 1 });
});

test('a stream is a connection until it ends', async () => {
  const connectionsOpen = async () => {
    const metrics = await (await fetch(`${front.opsUrl}/metrics`)).text();
    return Number(/^twin_connections_open (\d+)$/m.exec(metrics)?.[1]);
  };
  const client = new Client();
  await client.next();
  expect(await connectionsOpen()).toBe(1);
  client.socket.close();
  await client.closed;
  expect(await connectionsOpen()).toBe(0);
});
