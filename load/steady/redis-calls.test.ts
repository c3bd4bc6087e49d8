import { expect, test } from 'vitest';
import { calledBy } from './redis-calls.ts';

test('calls of clients are told from what their scripts do', () => {
  expect(calledBy('+1700000000.000001 [0 127.0.0.1:40000] "EVALSHA" "a1" "1" "k"')).toBe('evalsha');
  expect(calledBy('+1700000000.000002 [0 lua] "GET" "dt:{p00}:lease"')).toBeUndefined();
  expect(calledBy('+OK')).toBeUndefined();
});
