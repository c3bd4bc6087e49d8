import { beforeEach, expect, test } from 'vitest';
import { nextTurn } from '../testing/doubles/test-time.ts';
import { messagesIn } from '../testing/suites/link/mutations.ts';
import { systemTime } from '../time.ts';
import type { LinkSocket } from './net.ts';
import { Outbox } from './outbox.ts';
import { ABORT, CHUNK_BYTES, NOTE, PART, PING, pack } from './wire.ts';

/** A socket that writes down what it gets, and holds it while it is full. */
class FakeSocket implements LinkSocket {
  readonly got: Uint8Array[] = [];
  isFull = false;
  bufferedBytes = 0;

  send(message: Uint8Array): void {
    this.got.push(new Uint8Array(message));
    if (this.isFull) this.bufferedBytes += message.length;
  }

  end(): void {}
}

let socket: FakeSocket;
let outbox: Outbox;
let relievedCount: number;
beforeEach(() => {
  socket = new FakeSocket();
  relievedCount = 0;
  outbox = new Outbox(socket, systemTime, () => {
    relievedCount += 1;
  });
});

const note = (text: string) => pack([NOTE, 'n', text]);
const long = (chunkCount: number) =>
  pack([NOTE, 'n', new Uint8Array(chunkCount * CHUNK_BYTES - 100)]);
/** First fields of what the socket has got. */
const kinds = () => socket.got.flatMap(messagesIn).map(([kind, second]) => [kind, second]);

test('short messages of one turn go as one', async () => {
  const sendings = ['a', 'b', 'c'].map((text) => outbox.send(note(text)));
  expect(socket.got).toEqual([]);
  expect(sendings.map(({ isSent }) => isSent)).toEqual([false, false, false]);
  expect(outbox.waitingBytes).toBe(3 * note('a').length);
  await nextTurn();
  expect(socket.got).toHaveLength(1);
  expect(messagesIn(socket.got[0] as Uint8Array)).toEqual(
    ['a', 'b', 'c'].map((text) => [NOTE, 'n', text]),
  );
  expect(sendings.map(({ isSent }) => isSent)).toEqual([true, true, true]);
  expect([outbox.waitingBytes, relievedCount]).toEqual([0, 1]);
});

test('more than a chunk does not wait for the end of the turn', () => {
  const text = 'x'.repeat(CHUNK_BYTES / 4);
  for (let i = 0; i < 10; i += 1) outbox.send(note(text));
  expect(socket.got).toHaveLength(2);
});

test('long messages take turns, and short ones overtake them', async () => {
  const sendings = [outbox.send(long(4)), outbox.send(long(4)), outbox.send(pack([PING, 'p', 1]))];
  await nextTurn();
  await nextTurn();
  expect(kinds()).toEqual([
    [PING, 'p'],
    ...[1, 2, 1, 2, 1, 2, 1, 2].map((stream) => [PART, stream]),
  ]);
  expect(sendings.every(({ isSent }) => isSent)).toBe(true);
  expect(outbox.waitingBytes).toBe(0);
});

test('chunks wait while the socket is full, short messages do not', async () => {
  socket.isFull = true;
  const sending = outbox.send(long(5));
  for (let i = 0; i < 5; i += 1) await nextTurn();
  expect(socket.got).toHaveLength(2);
  outbox.send(note('short'));
  await nextTurn();
  expect(kinds().at(-1)).toEqual([NOTE, 'n']);
  expect(sending.isSent).toBe(false);
  const before = outbox.waitingBytes;
  socket.isFull = false;
  socket.bufferedBytes = 0;
  outbox.drained();
  await nextTurn();
  expect(socket.got).toHaveLength(6);
  expect([sending.isSent, outbox.waitingBytes]).toEqual([true, 0]);
  expect(before).toBeGreaterThan(5 * CHUNK_BYTES - 200);
});

test('a long message can be stopped, also midway', async () => {
  socket.isFull = true;
  const begun = outbox.send(long(5));
  await nextTurn();
  const waiting = outbox.send(long(5));
  expect([waiting.stop(), begun.stop()]).toEqual([true, true]);
  await nextTurn();
  expect(kinds()).toEqual([
    [PART, 1],
    [PART, 1],
    [ABORT, 1],
  ]);
  expect(outbox.waitingBytes).toBe(socket.bufferedBytes);
  socket.bufferedBytes = 0;
  outbox.drained();
  await nextTurn();
  expect(socket.got).toHaveLength(3);
  const sent = outbox.send(note('sent'));
  expect(sent.stop()).toBe(false);
});

test('messages in order keep it', async () => {
  const texts = ['1', `2${'x'.repeat(3 * CHUNK_BYTES)}`, '3', '4'];
  for (const text of texts) outbox.sendInOrder(note(text));
  expect(outbox.waitingBytes).toBeGreaterThan(3 * CHUNK_BYTES);
  for (let i = 0; i < 3; i += 1) await nextTurn();
  expect(kinds().map(([kind]) => kind)).toEqual([NOTE, PART, PART, PART, PART, NOTE, NOTE]);
  expect(outbox.waitingBytes).toBe(0);
});

test('nothing is sent once it has ended', async () => {
  const sending = outbox.send(note('never'));
  outbox.send(long(3));
  outbox.end();
  await nextTurn();
  expect([socket.got.length, sending.isSent]).toEqual([0, false]);
});
