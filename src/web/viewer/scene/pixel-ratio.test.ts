import { describe, expect, it } from 'vitest';
import { PixelRatio } from './pixel-ratio.ts';

/** Counts frames of a rate for some seconds; returns how often the ratio changed. */
function play(ratio: PixelRatio, perS: number, seconds: number): number {
  let changes = 0;
  for (let frame = 0; frame < perS * seconds; frame++) if (ratio.count(1 / perS)) changes++;
  return changes;
}

describe('the pixel ratio', () => {
  it('is that of the screen, but two at most, while frames come fast', () => {
    const ratio = new PixelRatio();
    expect(play(ratio, 60, 60)).toBe(0);
    expect([1, 1.5, 3].map((screen) => ratio.of(screen))).toEqual([1, 1.5, 2]);
    expect(ratio.of(0)).toBe(1);
  });

  it('falls step by step to one where they do not', () => {
    const ratio = new PixelRatio();
    expect(play(ratio, 10, 5)).toBe(1);
    expect(ratio.of(2)).toBe(1.5);
    expect(play(ratio, 10, 60)).toBe(1);
    expect(ratio.of(2)).toBe(1);
  });

  it('ignores what is slow for a moment only', () => {
    const ratio = new PixelRatio();
    for (let i = 0; i < 5; i++) {
      expect(play(ratio, 4, 2)).toBe(0);
      expect(play(ratio, 60, 6)).toBe(0);
    }
    expect(ratio.of(2)).toBe(2);
  });
});
