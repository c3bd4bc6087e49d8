import { expect, test } from 'vitest';
import type { Answer } from '../../bench/common/response-parser.ts';
import { AnswerTally } from './answer-tally.ts';
import { Mix } from './mix.ts';
import type { Asked } from './users.ts';
import { judgeOverload, type Measured } from './verdict.ts';

const URL_OF_NODE = new URL('http://127.0.0.1:1');
const worlds = ['a', 'b', 'c'].map((id) => ({ id, vins: [`${id}1`, `${id}2`], createdAtMs: 0 }));
const mix = new Mix(URL_OF_NODE, worlds);

function answer(status: number, ...headers: string[]): Answer {
  const head = [`HTTP/1.1 ${status} Any`, ...headers].join('\r\n');
  return { status, head, body: Buffer.alloc(0) };
}

test('of ten requests seven read states, two are calls of cars and one is a change', () => {
  const requests = Array.from({ length: 600 }, (_, i) => mix.request(i).toString());
  const count = (start: string) => requests.filter((text) => text.startsWith(start)).length;
  expect(count('GET /api/v1/worlds/')).toBe(420);
  expect(count('GET /api/v1/vehicle/')).toBe(120);
  expect(count('PATCH /api/v1/vehicle/features')).toBe(60);
  // Each world is read, each car changed, and back again.
  expect(new Set(requests).size).toBe(3 + 2 * 6 + 2 * 6);
});

test('answers are sorted into accepted, refused and failed ones', () => {
  const tally = new AnswerTally(mix);
  const change = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find((i) => mix.kindOf(i) === 'change') ?? 0;
  tally.add(0, answer(200), 1);
  tally.add(change, answer(200), 7);
  tally.add(0, answer(503, 'Retry-After: 1'), 3);
  tally.add(0, answer(429, 'retry-after: 20', 'Vary: Origin'), 3);
  for (const wrong of ['0', '1.5', '-1', 'soon']) {
    tally.add(0, answer(503, `Retry-After: ${wrong}`), 3);
  }
  tally.add(0, answer(503), 3);
  tally.add(0, answer(500), 3);
  tally.add(0, undefined, 3);
  const { accepted, refused, withoutRetryAfter, failed } = tally.summary();
  expect(accepted.state.count).toBe(1);
  expect(accepted.change.count).toBe(1);
  expect(refused.count).toBe(7);
  expect(withoutRetryAfter).toBe(5);
  expect(failed).toBe(2);
});

const none = { count: 0, meanMs: 0, p50Ms: 0, p90Ms: 0, p99Ms: 0, p999Ms: 0, maxMs: 0 };

function asked(okPerS: number, p99Ms: number, others: Partial<Asked> = {}): Asked {
  const accepted = { state: none, vehicle: none, change: none };
  const result = { seconds: 1, sent: okPerS, ok: okPerS, okPerS, failures: {}, sendDelay: none };
  const rest = { accepted, refused: none, withoutRetryAfter: 0, failed: 0, unsent: 0 };
  return { ...result, latency: { ...none, p99Ms }, ...rest, ...others };
}

const kept: Measured = {
  highestPerS: 1000,
  unloaded: asked(100, 10),
  overloaded: asked(800, 250, { refused: { ...none, p99Ms: 50 }, unsent: 900 }),
  machine: { gapP99Ms: 80, readP99Ms: 5 },
  recoveredS: 5,
  rssBytes: { before: 100, after: 110 },
};

const missed = (measured: Measured) =>
  judgeOverload(measured)
    .filter(({ target }) => target?.met === false)
    .map(({ name }) => name);

test('a node that keeps the promise to the letter passes', () => {
  expect(missed(kept)).toEqual([]);
});

test.each<[name: string, change: Partial<Measured>]>([
  ['accepted requests, p99', { overloaded: asked(800, 251) }],
  ['accepted requests', { overloaded: asked(799, 40) }],
  ['refused requests, p99', { overloaded: asked(800, 40, { refused: { ...none, p99Ms: 51 } }) }],
  ['refused without Retry-After', { overloaded: asked(800, 40, { withoutRetryAfter: 1 }) }],
  ['neither accepted nor refused', { overloaded: asked(800, 40, { failed: 1 }) }],
  ['as before after', { recoveredS: 6 }],
  ['memory afterwards', { rssBytes: { before: 100, after: 111 } }],
  ['memory afterwards', { rssBytes: { before: 100, after: Number.NaN } }],
])('%s: past its bound', (name, change) => {
  expect(missed({ ...kept, ...change })).toEqual([name]);
});

test('what delays users of a server that does nothing too is no fault of the node', () => {
  const machine = { gapP99Ms: 80, readP99Ms: 200 };
  const slow = asked(800, 300, { refused: { ...none, p99Ms: 300 } });
  expect(missed({ ...kept, machine, overloaded: slow })).toEqual([]);
});

test('a p99 of four times what it is without load is kept, however long that is', () => {
  const unloaded = asked(100, 80);
  expect(missed({ ...kept, unloaded, overloaded: asked(800, 320) })).toEqual([]);
  expect(missed({ ...kept, unloaded, overloaded: asked(800, 321) })).toHaveLength(1);
});
