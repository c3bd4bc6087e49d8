import { request } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { decode } from '@msgpack/msgpack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import { type NodeFront, openTestFronts } from '../../testing/doubles/test-front.ts';
import { until } from '../../testing/rigs/until.ts';
import { systemTime } from '../../time.ts';

let near: NodeFront;
let far: NodeFront;
let close: () => Promise<void>;
/** A world of the far node. */
let world: FakeWorld;

function openAnew(): void {
  ({ near, far, close } = openTestFronts());
  world = far.service.add();
  world.tickNow = 100;
}

beforeEach(openAnew);

afterEach(() => close());

const QUERIES = ['', '?encoding=json', '?encoding=msgpack'];

/** A stream of the near node. */
class Client {
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  readonly messages: unknown[] = [];

  constructor(query = '') {
    const url = near.twinUrl.replace('http', 'ws');
    this.socket = new WebSocket(`${url}/ws/worlds/${world.id}${query}`);
    this.socket.binaryType = 'arraybuffer';
    this.socket.addEventListener('message', ({ data }) => {
      this.messages.push(typeof data === 'string' ? JSON.parse(data) : decode(data));
    });
    this.closed = new Promise((resolve) => {
      this.socket.addEventListener('close', ({ code }) => resolve(code));
    });
  }

  /** Once so many messages are there. */
  async got(count: number): Promise<unknown[]> {
    await until(`${count} messages`, () => this.messages.length >= count);
    return this.messages;
  }
}

function frameAt(tick: number): void {
  world.tickNow = tick;
  near.cluster.sendFrames(world);
}

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

interface Attempt {
  status: number | undefined;
  error?: string;
  retryAfter?: string | undefined;
}

/** What becomes of an upgrade. A stream that opens is closed at once. */
function attempt(id = world.id): Promise<Attempt> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${near.twinUrl}/ws/worlds/${id}`, {
      headers: UPGRADE,
      agent: false,
    }).end();
    outgoing.on('error', reject);
    outgoing.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve({ status: statusCode });
    });
    outgoing.on('response', async (response) => {
      const { error } = (await json(response)) as { error: string };
      const retryAfter = response.headers['retry-after'];
      resolve({ status: response.statusCode, error, retryAfter });
    });
  });
}

describe('[N8] the stream of a world of another node', () => {
  // uWebSockets ended some right after their hello, as the memory of their sockets happened to be.
  test('stays open, however many there are', async () => {
    for (let round = 0; round < 3; round++) {
      await close();
      openAnew();
      const { cluster } = near;
      const watch = cluster.watch.bind(cluster);
      // As long as it takes to ask another node.
      cluster.watch = async (...asked) => {
        await systemTime.sleep(1);
        return watch(...asked);
      };
      // They leave memory behind in which a connection was to be closed.
      const headers = { Connection: 'close' };
      await Promise.all(
        QUERIES.flatMap((query) =>
          [1, 2, 3, 4, 5, 6].map(async () => {
            await (await fetch(`${near.twinUrl}/api/v1/features${query}`, { headers })).text();
          }),
        ),
      );
      const clients = Array.from({ length: 20 }, (_, i) => new Client(QUERIES[i % QUERIES.length]));
      const lost: number[] = [];
      for (const { closed } of clients) void closed.then((code) => lost.push(code));
      await Promise.all(clients.map((client) => client.got(1)));
      frameAt(200);
      await until('a frame or an end', () =>
        clients.every(({ messages, socket }) => messages.length === 2 || socket.readyState === 3),
      );
      expect(lost).toEqual([]);
      for (const { socket } of clients) socket.close();
      await Promise.all(clients.map(({ closed }) => closed));
    }
  });

  test.each(['json', 'msgpack'] as const)('in %s has a hello, then frames', async (encoding) => {
    const client = new Client(`?encoding=${encoding}`);
    await client.got(1);
    expect(near.cluster.watched).toEqual([{ world: world.number, encoding, client: '127.0.0.1' }]);
    for (const tick of [104, 108]) frameAt(tick);
    expect(await client.got(3)).toMatchObject([
      { type: 'hello', world: world.id, tick: 100, fleet: world.fleet },
      { type: 'snapshot', world: world.id, tick: 104 },
      { type: 'snapshot', world: world.id, tick: 108 },
    ]);
  });

  test('[L26] has its client pay for the steps up to now, at that node', async () => {
    await new Client().got(1);
    expect(world.asker?.client).toBe('127.0.0.1');
  });

  test('sends each tick once, in order, from whichever node it comes', async () => {
    const client = new Client();
    await client.got(1);
    for (const tick of [104, 104, 100, 108]) frameAt(tick);
    // The world is here now.
    near.service.worlds.set(world.number, world);
    near.cluster.places.set(world.number, { at: 'here' });
    const second = new Client();
    await second.got(1);
    for (const tick of [108, 112]) {
      world.tickNow = tick;
      await near.service.sendFrames(world);
    }
    frameAt(112);
    frameAt(116);
    const ticks = (messages: unknown[]) => messages.map((each) => (each as { tick: number }).tick);
    expect(ticks(await client.got(5))).toEqual([100, 104, 108, 112, 116]);
    expect(ticks(await second.got(3))).toEqual([108, 112, 116]);
  });

  test.each([1012, 1013] as const)('ends with %i as the cluster says', async (code) => {
    const clients = [new Client(), new Client('?encoding=msgpack')];
    await Promise.all(clients.map((client) => client.got(1)));
    near.cluster.endStreams(world, code);
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([code, code]);
    await until('the end of watching', () => near.cluster.watched.length === 0);
  });

  test('is no longer watched when its client is gone', async () => {
    const clients = [new Client(), new Client()];
    await Promise.all(clients.map((client) => client.got(1)));
    expect(world.watcherCount).toBe(2);
    clients[0]?.socket.close();
    await until('one watcher', () => world.watcherCount === 1);
    expect(near.cluster.watched).toHaveLength(1);
  });

  test('is refused as that node does', async () => {
    world.failure = new TwinError('overloaded', undefined, 4);
    expect(await attempt()).toEqual({ status: 503, error: 'overloaded', retryAfter: '4' });
    world.failure = undefined;
    near.cluster.failure = new Error('the link is broken');
    expect(await attempt()).toMatchObject({ status: 503, error: 'store_unavailable' });
    near.cluster.failure = undefined;
    far.service.worlds.delete(world.number);
    near.cluster.places.set(world.number, near.cluster.there);
    expect(await attempt()).toMatchObject({ status: 404, error: 'unknown_world' });
    expect(near.service.loads).toBe(0);
  });

  test('of a world between two nodes opens where it is in the end, or is refused', async () => {
    near.cluster.places.set(world.number, { at: 'nowhere', retryMs: 100 });
    expect(await attempt()).toMatchObject({ status: 503, retryAfter: '2' });
    near.cluster.settles = Promise.resolve(near.cluster.there);
    await new Client().got(1);
    near.cluster.settles = Promise.resolve({ at: 'here' });
    near.service.worlds.set(world.number, world);
    await new Client().got(1);
    expect(near.cluster.watched).toHaveLength(1);
  });

  test('is asked for only with a proper id', async () => {
    expect(await attempt('zz')).toMatchObject({ status: 404 });
    expect(near.cluster.watched).toEqual([]);
  });
});

describe('[N16] the stream of a world that leaves this node', () => {
  beforeEach(() => {
    near.service.worlds.set(world.number, world);
    near.cluster.places.set(world.number, { at: 'here' });
  });

  const ownFrameAt = (tick: number) => {
    world.tickNow = tick;
    return near.service.sendFrames(world);
  };

  test('goes on with the frames of the next one', async () => {
    const clients = [new Client(), new Client('?encoding=msgpack')];
    await Promise.all(clients.map((client) => client.got(1)));
    await ownFrameAt(104);
    near.service.endStreams(world, 'moved');
    expect(near.cluster.watched).toEqual([
      { world: world.number, encoding: 'json', client: '127.0.0.1' },
      { world: world.number, encoding: 'msgpack', client: '127.0.0.1' },
    ]);
    expect(world.watcherCount).toBe(0);
    frameAt(108);
    for (const client of clients) {
      expect(await client.got(3)).toMatchObject([{ tick: 100 }, { tick: 104 }, { tick: 108 }]);
      client.socket.close();
    }
    await until('the end of watching', () => near.cluster.watched.length === 0);
  });

  test('ends with the world', async () => {
    const client = new Client();
    await client.got(1);
    near.service.endStreams(world, 'moved');
    near.cluster.endStreams(world, 1012);
    expect(await client.closed).toBe(1012);
  });

  test('is not kept by a client that has closed it', async () => {
    const [gone, stays] = [new Client(), new Client()];
    await Promise.all([gone.got(1), stays.got(1)]);
    gone.socket.close();
    await until('one watcher', () => world.watcherCount === 1);
    near.service.endStreams(world, 'moved');
    expect(near.cluster.watched).toHaveLength(1);
  });
});

async function openConnections(): Promise<number> {
  const metrics = await (await fetch(`${near.opsUrl}/metrics`)).text();
  return Number(/^twin_connections_open (\d+)$/m.exec(metrics)?.[1]);
}

describe('limits of streams', () => {
  async function open(limits: Partial<typeof DEFAULT_RATE_LIMITS>): Promise<void> {
    await close();
    const rateLimits = { ...DEFAULT_RATE_LIMITS, ...limits };
    ({ near, far, close } = openTestFronts({ rateLimits }, { rateLimits: 'off' }));
    world = far.service.add();
  }

  test('[N4] count at the node with the socket', async () => {
    await open({ socketsPerAddress: 4 });
    const [first] = [new Client(), new Client()];
    await until('two streams', () => near.cluster.watched.length === 2);
    expect(await attempt()).toMatchObject({ status: 429 });
    expect(near.cluster.watched).toHaveLength(2);
    first.socket.close();
    await until('room for a stream', () => near.cluster.watched.length === 1);
    await new Client().got(1);
  });

  test('[N4] those of unknown worlds too', async () => {
    await open({ misses: { burst: 4, perS: 0.001 } });
    near.cluster.places.set(world.number, near.cluster.there);
    far.service.worlds.delete(world.number);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await attempt()).status);
    expect(statuses).toEqual([404, 404, 429]);
  });

  test('are not kept by a client that left before the other node answered', async () => {
    await open({ socketsPerAddress: 2 });
    const gate = Promise.withResolvers<void>();
    near.cluster.gate = gate.promise;
    const socket = connect(near.port, '127.0.0.1');
    const headers = Object.entries(UPGRADE).map(([name, value]) => `${name}: ${value}\r\n`);
    const line = `GET /ws/worlds/${world.id} HTTP/1.1\r\nHost: a\r\n`;
    socket.write(`${line}${headers.join('')}\r\n`);
    await until('a place that is taken', () => near.cluster.askedCount === 1);
    expect(await attempt()).toMatchObject({ status: 429 });
    socket.destroy();
    // Until this node has seen that the client is gone, its stream could still open.
    await until('the end of the connection', async () => (await openConnections()) === 0);
    gate.resolve();
    await until('room for a stream', async () => (await attempt()).status === 101);
    await until('the end of watching', () => world.watcherCount === 0);
    expect(near.cluster.watched).toEqual([]);
  });
});
