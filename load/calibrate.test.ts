import { expect, test } from 'vitest';
import { judge } from './calibrate.ts';

const CEILING = { what: 'requests', perS: 10_000 } as const;

test('the server limits a run far below the ceiling with an idle client', () => {
  const verdict = judge(CEILING, 2000, 0.3);
  expect(verdict.serverLimits).toBe(true);
  expect(verdict.text).toContain('client ceiling 10000 requests/s, reached 2000/s');
});

test('the client may limit a run near the ceiling or with a busy client', () => {
  expect(judge(CEILING, 9000, 0.3).serverLimits).toBe(false);
  expect(judge(CEILING, 2000, 0.95).text).toContain('THE CLIENT MAY HAVE BEEN THE LIMIT');
});
