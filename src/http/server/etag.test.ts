import { expect, test } from 'vitest';
import { matchesEtag } from './etag.ts';

test.each([
  ['"abc"', true],
  ['W/"abc"', true],
  ['"x", "abc"', true],
  ['"x",W/"abc" , "y"', true],
  ['*', true],
  ['', false],
  ['abc', false],
  ['"ABC"', false],
  ['"x"', false],
])('If-None-Match: %s', (header, matches) => {
  expect(matchesEtag(header, '"abc"')).toBe(matches);
});
