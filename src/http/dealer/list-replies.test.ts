import { expect, test } from 'vitest';
import { isStreamed, type Reply } from '../server/reply.ts';
import { ListReplies } from './list-replies.ts';

const ASKED = { ifNoneMatch: '', query: {} };
const ENTRY = JSON.stringify('x'.repeat(998));

function listOf(count: number, tag = 'a') {
  const made = { batches: 0 };
  async function* batches() {
    for (let i = 0; i < count; i += 10) {
      made.batches++;
      yield Array<string>(Math.min(10, count - i)).fill(ENTRY);
    }
  }
  return { list: { tag, count, batches: batches() }, made };
}

async function piecesOf({ body }: Reply): Promise<string[]> {
  if (typeof body === 'string' || body instanceof Uint8Array) return [String(body)];
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(String(piece));
  return pieces;
}

test.each([0, 1, 9, 10, 11, 30, 41, 42, 100, 1000])(
  'a list of %i is one JSON array',
  async (count) => {
    const { reply } = await new ListReplies().of(ASKED, listOf(count).list, () => {});
    const pieces = await piecesOf(reply);
    expect(JSON.parse(pieces.join(''))).toHaveLength(count);
  },
);

test('[H24] a long list is made piece by piece, while it is sent', async () => {
  const { list, made } = listOf(1000);
  const { reply } = await new ListReplies().of(ASKED, list, () => {});
  expect(isStreamed(reply)).toBe(true);
  expect(made.batches).toBeLessThan(6);
  const pieces = await piecesOf(reply);
  expect(pieces.length).toBeGreaterThan(50);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(65_536);
});

test('[L20] a list is paid for when it is made, not when it is at hand', async () => {
  const replies = new ListReplies();
  let paid = 0;
  const ask = async (count: number, tag: string, ifNoneMatch = '', query = {}) => {
    const { list } = listOf(count, tag);
    const { reply } = await replies.of({ ifNoneMatch, query }, list, () => paid++);
    return reply.status;
  };
  expect([await ask(5, 'a'), await ask(5, 'a'), paid]).toEqual([200, 200, 1]);
  expect([await ask(5, 'a', '"a"'), paid]).toEqual([304, 1]);
  expect([await ask(5, 'b', '"a"'), paid]).toEqual([200, 2]);
  expect([await ask(5, 'b', '', { limit: 5 }), paid]).toEqual([200, 3]);
  expect([await ask(500, 'c'), await ask(500, 'c'), paid]).toEqual([200, 200, 5]);
});

test('what cannot be paid is not made', async () => {
  const { list, made } = listOf(5);
  const refuse = () => {
    throw new Error('over budget');
  };
  await expect(new ListReplies().of(ASKED, list, refuse)).rejects.toThrow('over budget');
  expect(made.batches).toBe(0);
});
