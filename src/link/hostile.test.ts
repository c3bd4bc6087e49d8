import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { systemRandom } from '../random.ts';
import { LinkDouble, Net } from '../testing/doubles/link-double.ts';
import { nextTurn, TestTime } from '../testing/doubles/test-time.ts';
import { Dice } from '../testing/rigs/dice.ts';
import {
  type LinkStage,
  realStage,
  type StageNode,
  TEST_KEY,
} from '../testing/suites/link/link-stage.ts';
import { messagesIn, mutated } from '../testing/suites/link/mutations.ts';
import { RawDialler } from '../testing/suites/link/raw-dialler.ts';
import { CALLS_MAX, type LinkAnswer } from './contract.ts';
import { DiallerHandshake, ServerHandshake } from './handshake.ts';
import type { LinkSocket } from './net.ts';
import {
  ABORT,
  ANSWER,
  BROKE,
  CALL,
  CANCEL,
  CHUNK_BYTES,
  CREDIT,
  END,
  FAILED,
  type FromDialler,
  type FromServer,
  MESSAGE,
  NOTE,
  PART,
  PIECE,
  PING,
  pack,
} from './wire.ts';

const MUTATIONS = 10_000;
const SENDERS = 4;
const MIB = 2 ** 20;
const chunk = new Uint8Array(CHUNK_BYTES);

/** Of a node that knows the key, but not what it does. */
const FROM_DIALLER: readonly FromDialler[] = [
  [
    CALL,
    1,
    1000,
    'forward',
    { method: 'GET', path: '/api/v1/worlds/0', body: Uint8Array.of(1, 2) },
  ],
  [CALL, 2, 500, 'pieces', [1, 2.5, -3, 'text', null]],
  [NOTE, 'watch', { world: 2 ** 49, encoding: 'json' }],
  [PING, { epochs: [[5, 17]] }, 1.5],
  [CREDIT, 2, 1000],
  [CANCEL, 1],
  [PART, 1, false, chunk],
  [PART, 1, true, pack([NOTE, 'long', 'x'.repeat(1000)])],
  [ABORT, 2],
];
const FROM_SERVER: readonly FromServer[] = [
  [ANSWER, 1, { status: 200, body: Uint8Array.of(1, 2) }, false],
  [ANSWER, 2, { status: 200 }, true],
  [FAILED, 3, 'no such world', true, false],
  [PIECE, 2, Uint8Array.of(1, 2, 3)],
  [END, 2],
  [BROKE, 2, 'the store does not answer'],
  [MESSAGE, 'frames', { world: 2 ** 49 }, Uint8Array.of(9, 8, 7)],
  [PING, { epochs: [[5, 17]] }, null],
  [PART, 1, false, chunk],
  [PART, 1, true, pack([MESSAGE, 'long', 'x'.repeat(1000), new Uint8Array(0)])],
];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let stage: LinkStage;
let node: StageNode;
let callCount: number;
beforeEach(() => {
  stage = realStage();
  node = stage.node('node');
  callCount = 0;
  node.answer = (kind, value): LinkAnswer => {
    callCount += 1;
    return kind === 'pieces' ? { value, pieces: somePieces() } : { value };
  };
});
afterEach(() => stage.close());

async function* somePieces() {
  for (let i = 0; i < 3; i += 1) yield new Uint8Array(1000);
}

const proven = async (from: string) =>
  (await RawDialler.proven(node.link.url, { from, to: 'node' })).dialler;

/** Whether the node has answered a call behind all that was sent before. Else the connection is over. */
async function isAnswered(raw: RawDialler, id: number): Promise<boolean> {
  raw.send(pack([CALL, id, 10_000, 'echo', 'sentinel']));
  for (let answer = await raw.next(); answer !== undefined; answer = await raw.next()) {
    const isIt = ([kind, of]: unknown[]) => kind === ANSWER && of === id;
    if (messagesIn(answer).some(isIt)) return true;
  }
  return false;
}

/** Sends mutations over connections that are made anew when they end. Returns how many have ended. */
async function attack(from: string, seed: number, count: number): Promise<number> {
  const dice = new Dice(seed);
  const traffic = FROM_DIALLER.map((message) => pack(message));
  let raw = await proven(from);
  let endCount = 0;
  for (let i = 0; i < count; i += 1) {
    raw.send(mutated(traffic, dice));
    // An id that a mutation hits by chance only.
    if (await isAnswered(raw, 1_000_000 + i)) continue;
    endCount += 1;
    raw = await proven(from);
  }
  raw.end();
  return endCount;
}

describe('mutated messages', () => {
  it('end their connection at worst, and leave nothing in memory', async () => {
    const healthy = stage.node('healthy');
    await stage.connect('healthy', ['node']);
    await stage.until('the link', () => healthy.link.isUp('node'));
    const attackers = Array.from({ length: SENDERS }, (_, i) => `attacker ${i}`);
    const all = (seed: number, count: number) =>
      Promise.all(attackers.map((from, i) => attack(from, seed + i, count / SENDERS)));
    await all(100, MUTATIONS / 5);
    node.heard.length = 0;
    node.values.length = 0;
    const before = usedBytes();
    const callsBefore = callCount;
    const ends = await all(1, MUTATIONS);
    for (const each of ends) expect(each).toBeGreaterThan(MUTATIONS / SENDERS / 10);
    // Some mutations are calls still, and most calls behind them are answered.
    expect(callCount - callsBefore).toBeGreaterThan(MUTATIONS / 10);
    node.heard.length = 0;
    node.values.length = 0;
    await stage.until('their end', () => node.link.clientOf('attacker 0') === undefined);
    // The platform gives the bytes of buffers back in a thread of its own.
    await stage.until('the memory', () => usedBytes() - before < 8 * MIB);
    expect(healthy.heard).toEqual(['up node']);
    const { value } = await healthy.link.call('node', 'echo', 'well', 5000);
    expect(value).toBe('well');
  });

  it('of a node that is dialled end the connection at worst', async () => {
    const time = TestTime.standing();
    const net = new Net({ time });
    const server = evilServer(net);
    const heard: string[] = [];
    const link = linkOn(net, time, 'victim', heard, () => null);
    link.connect([{ process: 'evil', url: server.url }]);
    const dice = new Dice(7);
    const traffic = FROM_SERVER.map((message) => pack(message));
    let outcomes = 0;
    for (let i = 0; i < MUTATIONS; i += 1) {
      while (!link.isUp('evil')) await time.advance(10);
      for (const kind of ['one', 'two', 'three']) {
        void settle(link.call('evil', kind, i, 100)).then(() => {
          outcomes += 1;
        });
      }
      server.socket?.send(mutated(traffic, dice));
      await nextTurn();
      await time.advance(10);
    }
    const downCount = heard.filter((each) => each === 'down evil').length;
    expect(downCount).toBeGreaterThan(MUTATIONS / 10);
    expect(downCount).toBeLessThan(MUTATIONS);
    await time.advance(1000);
    await link.close();
    await nextTurn();
    expect(outcomes).toBe(3 * MUTATIONS);
  });
});

/** Reads the answer to the end, whatever that is. */
async function settle(call: Promise<LinkAnswer>): Promise<void> {
  try {
    const { pieces } = await call;
    for await (const piece of pieces ?? []) if (piece.length === 0) return;
  } catch {
    // Broken, as it should be.
  }
}

/** Proves itself to whoever dials, and then does what the test wants. */
function evilServer(net: Net): { url: string; socket: LinkSocket | undefined } {
  const server: { url: string; socket: LinkSocket | undefined } = { url: '', socket: undefined };
  const { url } = net.of('evil').listen((socket) => {
    const handshake = new ServerHandshake(TEST_KEY, 'evil', systemRandom);
    let isProven = false;
    return {
      message: (bytes) => {
        if (isProven) return;
        const { answer, from } = handshake.receive(bytes);
        socket.send(answer);
        if (from === undefined) return;
        isProven = true;
        server.socket = socket;
      },
      drained: () => {},
      closed: () => {},
    };
  });
  server.url = url;
  return server;
}

describe('a node that breaks its bounds is cut off', () => {
  it.each<[string, FromDialler[]]>([
    ['one call twice', [1, 1].map((id) => [CALL, id, 1000, 'hang', null])],
    [
      'too many calls',
      Array.from({ length: CALLS_MAX + 1 }, (_, i) => [CALL, i + 1, 1000, 'hang', null]),
    ],
    [
      'too many bytes of calls',
      Array.from({ length: 150 }, (_, i) => [CALL, i + 1, 1000, 'hang', new Uint8Array(60_000)]),
    ],
    ['a cancel of no call', [[CANCEL, 1]]],
    ['credit for no call', [[CREDIT, 1, 1]]],
    [
      'too much credit',
      [
        [CALL, 1, 1000, 'endless', null],
        [CREDIT, 1, 4 * CHUNK_BYTES + 1],
      ],
    ],
    ['a short part', [[PART, 1, false, Uint8Array.of(1)]]],
    ['a long part', [[PART, 1, false, new Uint8Array(CHUNK_BYTES + 1)]]],
    ['a long message in parts', Array.from({ length: 40 }, () => [PART, 1, false, chunk])],
    ['too many parts', Array.from({ length: 200 }, (_, i) => [PART, i + 1, false, chunk])],
    ['parts of parts', [[PART, 1, true, pack([PART, 2, true, pack([PING, 1, 1])])]]],
    [
      'parts of two messages',
      [[PART, 1, true, Buffer.concat([pack([PING, 1, 1]), pack([PING, 2, 1])])]],
    ],
    ['an answer', [[ANSWER, 1, null, false] as unknown as FromDialler]],
    ['a message with a field too many', [[PING, 1, 2, 3] as unknown as FromDialler]],
    ['a long kind', [[NOTE, 'x'.repeat(101), null]]],
    ['a deadline that has passed', [[CALL, 1, 0, 'hang', null]]],
  ])('for %s', async (_, messages) => {
    const hanging = Promise.withResolvers<LinkAnswer>();
    node.answer = (kind) =>
      kind === 'endless' ? { value: 1, pieces: somePieces() } : hanging.promise;
    const other = await proven('other');
    const raw = await proven('raw');
    for (let i = 0; i < messages.length; i += 1) {
      raw.send(pack(messages[i] as FromDialler));
      if (i % 100 === 99) await nextTurn();
    }
    await raw.closed();
    await stage.until('the end', () => node.heard.includes('gone raw'));
    node.answer = (_kind, value) => ({ value });
    expect(await isAnswered(other, 1)).toBe(true);
    other.end();
    hanging.resolve({ value: 'too late' });
  });

  it('for text, and for more bytes than any message has', async () => {
    for (const message of ['text' as unknown as Uint8Array, new Uint8Array(300_000)]) {
      const raw = await proven('raw');
      raw.send(message);
      await raw.closed();
    }
  });

  it('for calls without reading their answers', async () => {
    const time = TestTime.standing();
    const net = new Net({ time });
    const heard: string[] = [];
    const link = linkOn(net, time, 'node', heard, () => new Uint8Array(1000));
    const raw = await provenOn(net, time, link.url);
    net.clog('node', 'raw');
    const callsFrom = (id: number) =>
      Buffer.concat(
        Array.from({ length: 2000 }, (_, i) => pack([CALL, id + i, 60_000, 'k', null])),
      );
    let sentCount = 0;
    for (; !heard.includes('gone raw') && sentCount < 1_000_000; sentCount += 2000) {
      raw.send(callsFrom(sentCount + 1));
      await nextTurn();
      await nextTurn();
    }
    expect(heard).toEqual(['gone raw']);
    // As many as may wait are answered, and refusals take their place.
    expect(sentCount).toBeGreaterThan((8 * MIB) / 1000);
    await link.close();
  });
});

/** A node over a net in memory, which answers every call with the same. */
function linkOn(net: Net, time: TestTime, process: string, heard: string[], value: () => unknown) {
  return new LinkDouble(net, {
    ...{ process, key: TEST_KEY, time, random: systemRandom, log: createLog('silent') },
    handlers: {
      called: async () => ({ value: value() }),
      noted: () => {},
      drained: () => {},
      clientGone: (client) => heard.push(`gone ${client.process}`),
      received: () => {},
      pingValue: () => null,
      pinged: () => {},
      up: (of) => heard.push(`up ${of}`),
      down: (of) => heard.push(`down ${of}`),
    },
  });
}

/** A connection of a process named raw, whose answers nobody takes. */
async function provenOn(net: Net, time: TestTime, url: string): Promise<LinkSocket> {
  const handshake = new DiallerHandshake(TEST_KEY, 'raw', 'node', systemRandom);
  let isProven = false;
  const socket = net.of('raw').dial(url, {
    opened: () => socket.send(handshake.hello()),
    message: (bytes) => {
      if (isProven) return;
      const answer = handshake.receive(bytes);
      if (answer === undefined) isProven = true;
      else socket.send(answer);
    },
    drained: () => {},
    closed: () => {},
  });
  while (!isProven) await time.advance(1);
  return socket;
}
