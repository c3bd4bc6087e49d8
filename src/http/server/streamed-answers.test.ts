import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TwinError } from '../../errors.ts';
import { ask, sendRaw } from '../../testing/doubles/test-front.ts';
import { TestServer } from '../../testing/doubles/test-server.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { until } from '../../testing/rigs/until.ts';
import { StreamedAnswers } from './streamed-answers.ts';

const PIECE = Buffer.alloc(60_000, 'abc');
const GET = 'GET /pieces HTTP/1.1\r\nHost: a\r\n\r\n';

let site: TestServer;
let made = 0;
let begunCount = 0;
let endedCount = 0;

beforeEach(() => {
  site = new TestServer();
  made = 0;
  begunCount = 0;
  endedCount = 0;
  site.pieces = () => pieces(Number.POSITIVE_INFINITY);
});

afterEach(() => site.server.end());

async function* pieces(count: number) {
  begunCount++;
  try {
    for (let i = 0; i < count; i++, made++) yield PIECE;
  } finally {
    endedCount++;
  }
}

/** A client that asks and does not read. */
function silent(): Socket {
  const socket = connect(site.port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(GET);
  return socket;
}

/** The number of pieces after which the production stands. */
async function stoodAt(): Promise<number> {
  await until('a production that stands', async () => {
    const before = made;
    for (let i = 0; i < 10; i++) await ask(`${site.url}/`);
    return made > 0 && made === before;
  });
  return made;
}

test('an answer in pieces is complete, and the connection serves the next request', async () => {
  site.pieces = () => pieces(50);
  const response = await fetch(`${site.url}/pieces`);
  expect(response.headers.get('transfer-encoding')).toBe('chunked');
  const body = Buffer.from(await response.arrayBuffer());
  expect(body.equals(Buffer.concat(Array(50).fill(PIECE)))).toBe(true);
  site.pieces = async function* () {
    yield '';
    yield '"one"';
  };
  expect((await ask(`${site.url}/pieces`)).body).toBe('one');
});

test('HEAD of an answer in pieces has its headers and makes one piece', async () => {
  const { status, headers } = await fetch(`${site.url}/pieces`, { method: 'HEAD' });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  await until('the end of the production', () => endedCount === 1);
  expect(made).toBe(0);
});

test('[H25] pieces are made as fast as the client reads, and no more when it is gone', async () => {
  const socket = silent();
  const stood = await stoodAt();
  // What the operating system buffers on both sides of a connection.
  expect(stood * PIECE.length).toBeLessThan(20_000_000);
  socket.resume();
  await until('more pieces', () => made > stood + 100);
  expect(endedCount).toBe(0);
  socket.destroy();
  await until('the end of the production', () => endedCount === 1);
});

test('[H25] a client that takes nothing for 30 s is disconnected', async () => {
  const socket = silent();
  const isClosed = new Promise((resolve) => socket.once('close', resolve));
  await stoodAt();
  await site.time.advance(30_000);
  socket.resume();
  await isClosed;
  expect(endedCount).toBe(1);
});

test.each(['GET', 'HEAD'])('%s: what the first piece throws becomes the answer', async (method) => {
  site.pieces = async function* () {
    yield '';
    throw new TwinError('store_unavailable');
  };
  const { status, headers } = await fetch(`${site.url}/pieces`, { method });
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
});

test('an error after the first piece ends the connection', async () => {
  site.pieces = async function* () {
    yield PIECE;
    throw new Error('secret 123');
  };
  const answer = await sendRaw(site.port, GET);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).not.toContain('\r\n0\r\n\r\n');
  expect(site.logLines).toHaveLength(1);
  expect(site.server.openCount).toBe(0);
});

test('nothing is written to a client that leaves before the producer says that it is done', async () => {
  const done = Promise.withResolvers<void>();
  site.pieces = async function* () {
    yield PIECE;
    await done.promise;
  };
  const socket = connect(site.port, '127.0.0.1');
  socket.write(GET);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await until('a client that is gone', () => site.server.openCount === 0);
  done.resolve();
  for (let i = 0; i < 10; i++) await ask(`${site.url}/`);
  expect(site.logLines).toEqual([]);
});

test('the deadline of 5 s is that of the first piece', async () => {
  const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  site.pieces = async function* () {
    for (const { promise } of steps) {
      await promise;
      yield PIECE;
    }
  };
  const late = ask(`${site.url}/pieces`);
  await until('a request that waits', () => site.server.openCount === 1);
  await site.time.advance(5_000);
  expect(await late).toMatchObject({ status: 503, body: { error: 'overloaded' } });
  const begun = fetch(`${site.url}/pieces`);
  steps[0]?.resolve();
  const response = await begun;
  await site.time.advance(6_000);
  steps[1]?.resolve();
  expect((await response.arrayBuffer()).byteLength).toBe(2 * PIECE.length);
});

test('[L21] an address gets 32 answers in pieces at the same time', async () => {
  const sockets = Array.from({ length: 32 }, silent);
  await until('answers under way', () => begunCount === 32);
  const refused = await ask(`${site.url}/pieces`);
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  for (const socket of sockets) socket.destroy();
  await until('the end of the productions', () => endedCount === 32);
  expect((await fetch(`${site.url}/pieces`, { method: 'HEAD' })).status).toBe(200);
});

test('a production that has begun at another node ends where its answer cannot begin', async () => {
  const streamed = new StreamedAnswers(TestTime.standing());
  let returnedCount = 0;
  const begun = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => {}),
      return: async () => {
        returnedCount++;
        return { done: true as const, value: undefined };
      },
    }),
  };
  const exchange = {
    ...{ isOpen: true, isGone: false, addressKey: () => 'a' },
    ...{ endPieces: () => {}, disconnect: () => {} },
  };
  const send = (isOpen: boolean) => streamed.send({ ...exchange, isOpen }, begun, () => undefined);
  await send(false);
  expect(returnedCount).toBe(1);
  for (let i = 0; i < 32; i++) void send(true);
  await expect(send(true)).rejects.toThrow('rate_limited');
  expect(returnedCount).toBe(2);
});
