import { describe, expect, it } from 'vitest';
import { pauseMs } from './backoff.ts';

describe('the pause before the next try', () => {
  it('is zero after a restart of the node, but only once', () => {
    expect(pauseMs(1, 1012, 1)).toBe(0);
    expect(pauseMs(2, 1012, 1)).toBe(1000);
  });

  it('doubles from half a second to a quarter of a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 50].map((failures) => pauseMs(failures, 1006, 1))).toEqual([
      500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000,
    ]);
  });

  it('is random between a half and the whole of it', () => {
    expect([0, 0.5, 1].map((chance) => pauseMs(3, 1006, chance))).toEqual([1000, 1500, 2000]);
  });

  it('is longer where the node is overloaded', () => {
    expect(pauseMs(1, 1013, 1)).toBe(2000);
  });
});
