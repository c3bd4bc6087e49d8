import { expect, test } from 'vitest';
import { type OpenApi, Published } from '../../src/testing/rigs/published.ts';
import { allowedEffects, answersIn, checkAnswers } from './answers.ts';
import type { Input } from './input.ts';

const inputOf = (text: string): Input => ({ service: 'twin', parts: [text], leaves: false });
const answerOf = (status: string, body: string, more = '') =>
  `HTTP/1.1 ${status}\r\nX-Request-Id: a\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const statuses = (text: string, isHeadAsked = false) =>
  answersIn(Buffer.from(text, 'latin1'), isHeadAsked).map(({ status }) => status);

test('answers are told apart by their lengths, chunks and methods', () => {
  expect(statuses(answerOf('200 OK', '{}') + answerOf('404 Not Found', '{}'))).toEqual([200, 404]);
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
  expect(statuses(chunked + answerOf('200 OK', ''))).toEqual([200, 200]);
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n';
  expect(statuses(head + head, true)).toEqual([200, 200]);
  expect(statuses(answerOf('200 OK', '{}').slice(0, -1))).toEqual([200]);
  const refusal = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';
  expect(statuses(chunked.slice(0, -7) + refusal)).toEqual([200, 400]);
});

test.each([
  'HTTP/1.1 2000 OK\r\n\r\n',
  'x\r\n\r\n',
  'HTTP/1.1 200 OK\r\na b: c\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
])('%j is no HTTP', (text) => {
  expect(() => statuses(text)).toThrow();
});

test.each([
  [answerOf('500 Internal Server Error', '{"error":"internal_error","hint":"x"}'), 'status 500'],
  [answerOf('418 I am', '{"error":"x","hint":"x"}'), 'status 418'],
  [answerOf('404 Not Found', '{"message":"x"}'), '404 with'],
  ['HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', 'X-Request-Id'],
  [`HTTP/1.1 101 Switching Protocols\r\n\r\n\x88\x02\x03\xed`, 'closed with 1005'],
])('%j is no answer of a node', (text, fault) => {
  const answers = answersIn(Buffer.from(text, 'latin1'), false);
  const published = new Published<OpenApi>({ paths: {}, components: { schemas: {} } });
  expect(() => checkAnswers(inputOf(''), published, answers)).toThrow(fault);
});

test.each([
  ['an accepted change', 'POST', '/x', answerOf('200 OK', ''), 1],
  ['a refused change', 'POST', '/x', answerOf('400 Bad Request', ''), 0],
  ['a change whose client is gone', 'POST', '/x', '', 1],
  [
    'what a broken request behind it ends',
    'POST',
    '/x',
    'HTTP/1.1 431 x\r\nConnection: close\r\n\r\n',
    1,
  ],
  ['a read', 'GET', '/x', answerOf('200 OK', ''), 0],
  ['a visit', 'GET', '/?a', answerOf('303 See Other', ''), 1],
])('%s has effects or none', (_, method, path, text, most) => {
  const answers = answersIn(Buffer.from(text, 'latin1'), false);
  const input = inputOf(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const { accepted, unanswered } = allowedEffects(input, answers);
  expect(accepted + unanswered).toBe(most);
});
