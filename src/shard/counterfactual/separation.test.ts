import { describe, expect, it } from 'vitest';
import { boxCorners, separation } from './separation.ts';

const car = (x: number, y: number, angle = 0) =>
  boxCorners(x, y, Math.cos(angle), Math.sin(angle), 4, 2);

describe('the distance of two bodies', () => {
  it('is bumper to bumper for cars in a row', () => {
    expect(separation(car(0, 0), car(10, 0))).toBeCloseTo(6, 12);
  });

  it('is side to side for cars beside each other', () => {
    expect(separation(car(0, 0), car(1, 3.5))).toBeCloseTo(1.5, 12);
  });

  it('is corner to corner across: 3 m and 4 m are 5 m', () => {
    expect(separation(car(0, 0), car(7, 6))).toBeCloseTo(5, 12);
  });

  it('is corner to side for a car that is turned', () => {
    // Half a diagonal square of side 2: its corner reaches √2 from its middle.
    const turned = boxCorners(5, 0, Math.SQRT1_2, Math.SQRT1_2, 2, 2);
    expect(separation(car(0, 0), turned)).toBeCloseTo(5 - 2 - Math.SQRT2, 12);
  });

  it('is nothing where they touch, overlap, or one is within the other', () => {
    expect(separation(car(0, 0), car(4, 0))).toBe(0);
    expect(separation(car(0, 0), car(1, 1, 0.7))).toBe(0);
    expect(separation(boxCorners(0, 0, 1, 0, 20, 20), car(1, 1, 0.3))).toBe(0);
  });

  it('is the same whichever comes first, and whichever way round the corners go', () => {
    const block = [10, -3, 20, -3, 15, 4];
    const reversed = [15, 4, 20, -3, 10, -3];
    const expected = separation(car(3, 0), block);
    expect(expected).toBeGreaterThan(5);
    expect(separation(block, car(3, 0))).toBeCloseTo(expected, 12);
    expect(separation(car(3, 0), reversed)).toBeCloseTo(expected, 12);
  });
});
