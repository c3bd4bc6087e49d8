import { beforeAll, describe, expect, test } from 'vitest';
import { useNodes } from '../../rigs/nodes.ts';
import { checkMessage } from '../../rigs/published.ts';
import { until } from '../../rigs/until.ts';
import { Api, useTwin } from './api.ts';
import { pairs } from './lockstep.ts';
import { handshake, Stream } from './stream-client.ts';
import type { World } from './wire.ts';

const api = useTwin();
const nodes = useNodes();
let world: World;
beforeAll(async () => {
  world = await api.makeWorld({ seed: 21, start_tick: 500 });
});

const ticksOf = (frames: { tick: number }[]) => frames.map(({ tick }) => tick);
const stepsOf = (ticks: number[]) => ticks.slice(1).map((tick, i) => tick - (ticks[i] ?? 0));
const pathOf = ({ id }: World, query = '') => `/ws/worlds/${id}${query}`;

describe.concurrent('a stream', () => {
  test('[S1] begins with a hello that has the fleet', async () => {
    const stream = await Stream.open(world.stream_url);
    const hello = await stream.hello();
    const { id, fleet } = world;
    expect(hello).toEqual({ type: 'hello', world: id, rate_hz: 12.5, fleet, tick: hello.tick });
    expect(hello.tick).toBeGreaterThanOrEqual(500);
    const [first] = await stream.frames(1);
    expect(first?.tick).toBeGreaterThanOrEqual(hello.tick);
    await stream.close();
  });

  test('[S2] goes on with frames at ticks divisible by four, 80 ms of world time apart', async () => {
    const stream = await Stream.open(world.stream_url);
    await stream.hello();
    const frames = await stream.frames(15);
    const steps = stepsOf(ticksOf(frames));
    for (const { tick, time, world: id } of frames) {
      expect([tick % 4, time, id]).toEqual([0, tick / 50, world.id]);
    }
    // A busy machine may miss a frame; it never shows one between two, or one twice.
    for (const step of steps) expect(step).toBeGreaterThanOrEqual(4);
    expect(Math.min(...steps)).toBe(4);
    await stream.close();
  });

  test('[S4] shows the same world to all who watch it', async () => {
    const both = await Promise.all([1, 2].map(() => Stream.open(world.stream_url)));
    const [a, b] = both;
    if (a === undefined || b === undefined) throw new Error('two streams were opened');
    for (const stream of both) await stream.hello();
    for (const [x, y] of await pairs(a, b, ({ length }) => length === 5)) expect(x).toEqual(y);
    await Promise.all(both.map((stream) => stream.close()));
  });

  test('[S4] is counted as a watcher while it is open', async () => {
    const other = await api.makeWorld();
    const watchers = async () => (await api.world('World', other)).watchers;
    expect(await watchers()).toBe(0);
    const first = await Stream.open(other.stream_url);
    const second = await Stream.open(`${other.stream_url}?encoding=msgpack`);
    expect(await watchers()).toBe(2);
    await first.close();
    await second.close();
    await until('the end of both', async () => (await watchers()) === 0);
  });

  test('[S12] ignores what a client sends, up to 1 KiB', async () => {
    const stream = await Stream.open(world.stream_url);
    await stream.hello();
    for (const message of ['x', '{"type":"subscribe"}', 'x'.repeat(1024)]) {
      stream.socket.send(message);
    }
    stream.socket.send(new Uint8Array(1024));
    expect(await stream.frames(5)).toHaveLength(5);
    await stream.close();
  });

  test('[S12] is closed with 1009 for a longer message', async () => {
    for (const message of ['x'.repeat(1025), new Uint8Array(1025), 'x'.repeat(16_384)]) {
      const stream = await Stream.open(world.stream_url);
      stream.socket.send(message);
      expect((await stream.closed).code).toBe(1009);
    }
  });

  test('[S12] just ends for one above 16 KiB', async () => {
    const stream = await Stream.open(world.stream_url);
    stream.socket.send('x'.repeat(16_385));
    expect((await stream.closed).code).toBe(1006);
  });
});

describe.concurrent('the encoding of a stream', () => {
  /** Opens a stream, looks at three messages and closes it. */
  async function look(query: string, protocols: string[] = []) {
    const stream = await Stream.open(`${world.stream_url}${query}`, protocols);
    const messages = [await stream.next(), await stream.next(), await stream.next()];
    const { protocol } = stream.socket;
    await stream.close();
    for (const { content } of messages) await checkMessage(world.stream_url, content);
    const kinds = new Set(messages.map(({ isBinary }) => isBinary));
    return [kinds.has(true) ? (kinds.has(false) ? 'both' : 'binary') : 'text', protocol];
  }

  test('[S6] is JSON in text frames where nobody asks for another', async () => {
    expect(await look('')).toEqual(['text', '']);
    expect(await look('?encoding=json')).toEqual(['text', '']);
    expect(await look('?foo=msgpack')).toEqual(['text', '']);
  });

  test('[S6] is MessagePack in binary frames by query or by subprotocol', async () => {
    expect(await look('?encoding=msgpack')).toEqual(['binary', '']);
    expect(await look('', ['msgpack'])).toEqual(['binary', 'msgpack']);
  });

  test('[S7] is the first known subprotocol of those offered', async () => {
    expect(await look('', ['json', 'msgpack'])).toEqual(['text', 'json']);
    expect(await look('', ['msgpack', 'json'])).toEqual(['binary', 'msgpack']);
    expect(await look('', ['v2.twin', 'msgpack', 'json'])).toEqual(['binary', 'msgpack']);
  });

  test('[S6] is that of the query before that of the subprotocol', async () => {
    expect(await look('?encoding=msgpack', ['json'])).toEqual(['binary', 'json']);
    expect(await look('?encoding=json', ['msgpack'])).toEqual(['text', 'msgpack']);
  });

  test('[S8] changes nothing of the content', async () => {
    const json = await Stream.open(world.stream_url);
    const msgpack = await Stream.open(`${world.stream_url}?encoding=msgpack`);
    const [a, b] = [await json.hello(), await msgpack.hello()];
    expect({ ...b, tick: 0 }).toEqual({ ...a, tick: 0 });
    const seen = await pairs(json, msgpack, ({ length }) => length === 8);
    for (const [ofJson, ofMsgpack] of seen) expect(ofMsgpack).toEqual(ofJson);
    await Promise.all([json.close(), msgpack.close()]);
  });
});

describe('the handshake', () => {
  const ask = async (path: string, headers: Parameters<typeof handshake>[2] = {}) => {
    const answer = await handshake(api.url, path, headers);
    answer.socket.destroy();
    return answer;
  };

  test('answers the key and negotiates nothing that was not asked for', async () => {
    const { status, headers } = await ask(pathOf(world));
    expect(status).toBe(101);
    expect(headers.get('upgrade')?.toLowerCase()).toBe('websocket');
    // The example of RFC 6455, section 1.3.
    expect(headers.get('sec-websocket-accept')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    expect(headers.has('sec-websocket-protocol')).toBe(false);
    expect(headers.has('sec-websocket-extensions')).toBe(false);
  });

  test('[S9] negotiates no compression', async () => {
    const offers = { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' };
    const { status, headers } = await ask(pathOf(world), offers);
    expect(status).toBe(101);
    expect(headers.has('sec-websocket-extensions')).toBe(false);
  });

  test('[S7] echoes no subprotocol that it does not know', async () => {
    for (const offer of ['mqtt', 'JSON', 'msgpack2, graphql-ws', 'json-rpc']) {
      const { status, headers } = await ask(pathOf(world), { 'Sec-WebSocket-Protocol': offer });
      expect([status, headers.has('sec-websocket-protocol')]).toEqual([101, false]);
    }
  });

  test.each([
    ['/ws/worlds/0000000000', {}, 404, 'unknown_world'],
    ['/ws/worlds/x', {}, 404, 'unknown_world'],
    ['{path}?encoding=xml', {}, 400, 'unknown_encoding'],
    ['{path}?encoding=', {}, 400, 'unknown_encoding'],
    ['{path}?encoding=MSGPACK', {}, 400, 'unknown_encoding'],
    ['{path}', { 'Sec-WebSocket-Version': '8' }, 426, 'upgrade_required'],
    ['{path}', { 'Sec-WebSocket-Version': '14' }, 426, 'upgrade_required'],
    ['{path}', { 'Sec-WebSocket-Version': '' }, 426, 'upgrade_required'],
    ['{path}', { 'Sec-WebSocket-Version': undefined }, 426, 'upgrade_required'],
    ['{path}', { Upgrade: 'h2c' }, 426, 'upgrade_required'],
    ['{path}', { 'Sec-WebSocket-Key': '' }, 426, 'upgrade_required'],
  ] as const)('[S10] is refused at %s with %j: %d %s', async (path, headers, status, code) => {
    const answer = await ask(path.replace('{path}', pathOf(world)), headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(answer.body.toString())).toEqual({
      error: code,
      hint: expect.stringMatching(/[.!]$/),
    });
    if (status === 426) {
      expect(answer.headers.get('upgrade')).toBe('websocket');
      expect(answer.headers.get('sec-websocket-version')).toBe('13');
    }
  });
});

describe('a node that stops', () => {
  test('[S18] closes its streams with 1012', async () => {
    const other = await nodes.inProcess();
    const { stream_url } = await new Api(other.twinUrl).makeWorld();
    const streams = await Promise.all([
      Stream.open(stream_url),
      Stream.open(`${stream_url}?encoding=msgpack`),
    ]);
    for (const stream of streams) await stream.hello();
    await other.stop();
    for (const stream of streams) expect((await stream.closed).code).toBe(1012);
  });
});
