import { expect, test } from 'vitest';
import { AnswerCounter } from './answer-counter.ts';

const ANSWERS =
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' +
  'HTTP/1.1 304 Not Modified\r\n\r\n' +
  'HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nin p\r\nA\r\nieces, all\r\n0\r\n\r\n' +
  'HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n\r\nno';

function statusesOf(bytes: Buffer, chunkBytes: number): number[] {
  const statuses: number[] = [];
  const counter = new AnswerCounter((status) => statuses.push(status));
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    counter.push(bytes.subarray(at, at + chunkBytes));
  }
  return statuses;
}

test('answers are counted however the stream is cut', () => {
  const bytes = Buffer.from(ANSWERS);
  for (const chunkBytes of [1, 7, 40, bytes.length]) {
    expect(statusesOf(bytes, chunkBytes)).toEqual([200, 304, 206, 429]);
  }
});

test('an answer counts when its body has come completely', () => {
  const bytes = Buffer.from(ANSWERS);
  expect(statusesOf(bytes.subarray(0, bytes.indexOf('hello') + 4), 16)).toEqual([]);
});

test('an answer to HEAD has a length and no body', () => {
  const statuses: number[] = [];
  const counter = new AnswerCounter((status) => statuses.push(status));
  counter.isHeadAsked = true;
  counter.push(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'));
  expect(statuses).toEqual([200]);
});

test('behind an upgrade nothing is an answer', () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
  expect(statusesOf(Buffer.from(upgrade + ANSWERS), 16)).toEqual([101]);
});
