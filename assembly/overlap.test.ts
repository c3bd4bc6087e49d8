import { describe, expect, test } from 'vitest';
import { loadProbe } from '../src/testing/rigs/probe.ts';

const probe = loadProbe();

describe('two boxes', () => {
  const place = (box: 'firstBox' | 'secondBox', x: number, y: number, angle: number) =>
    probe[box](x, y, Math.cos(angle), Math.sin(angle), 2.25, 0.9);

  /** Place and angle of the second, least overlap, common area. */
  const CASES = [
    [4, 0, 0, 0.5, 0.9],
    [4.6, 0, 0, -0.1, 0],
    [3, 1.6, 0, 0.2, 0.3],
    [3, 1.9, 0, -0.1, 0],
    [2.9, 1.9, Math.PI / 4, 1.083273811042197, 1.080704550672276],
  ] as const;

  test.each(CASES)(
    'at (%d, %d), turned by %d, overlap as worked out by hand',
    (x, y, angle, depth, area) => {
      place('firstBox', 0, 0, 0);
      place('secondBox', x, y, angle);
      expect(probe.boxOverlap()).toBeCloseTo(depth, 12);
      expect(probe.commonArea()).toBeCloseTo(area, 12);
    },
  );

  test('have their contact in the middle of what both cover, the normal from the first on', () => {
    place('firstBox', 0, 0, 0);
    place('secondBox', 4, 1, 0);
    probe.boxOverlap();
    probe.commonArea();
    expect([probe.normalX(), probe.normalY()]).toEqual([1, 0]);
    expect(probe.commonX()).toBeCloseTo(2, 12);
    expect(probe.commonY()).toBeCloseTo(0.5, 12);
    place('secondBox', 1, -1.7, 0);
    probe.boxOverlap();
    expect(probe.normalX()).toBeCloseTo(0, 12);
    expect(probe.normalY()).toBeCloseTo(-1, 12);
  });

  test('overlap on all four axes exactly where they share an area', () => {
    let shared = 0;
    for (let i = 0; i < 4000; i++) {
      place('firstBox', 100, -50, i * 0.7);
      place('secondBox', 100 + 4.5 * Math.sin(i * 1.3), -50 + 4.5 * Math.cos(i * 2.1), i * 0.31);
      const depth = probe.boxOverlap();
      const area = probe.commonArea();
      if (Math.abs(depth) < 1e-6) continue;
      expect(area > 1e-12).toBe(depth > 0);
      if (depth > 0) shared++;
    }
    expect(shared).toBeGreaterThan(500);
  });
});
