import { expect, test } from 'vitest';
import { freshReply } from './etag.ts';
import { bodyless } from './reply.ts';

const TAGGED = { etag: '"abc"', whole: bodyless(200), notModified: bodyless(304) };

test.each([
  ['"abc"', 304],
  ['W/"abc"', 304],
  ['"x", "abc"', 304],
  ['"x",W/"abc" , "y"', 304],
  ['*', 304],
  ['', 200],
  ['abc', 200],
  ['"ABC"', 200],
  ['"x"', 200],
])('If-None-Match: %s gets %d', (header, status) => {
  expect(freshReply(TAGGED, header).status).toBe(status);
});
