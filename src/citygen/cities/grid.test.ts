import { describe, expect, test } from 'vitest';
import { at } from '../../city/geometry.ts';
import { grid as city } from '../../testing/rigs/cities.ts';

describe('The grid', () => {
  test('has six streets by six, bends in three corners, and a four-lane arterial.', () => {
    expect(city.junctions).toHaveLength(33);
    expect(city.roads).toHaveLength(24);
    const arterials = city.roads.filter((road) => road.class === 'arterial');
    expect(arterials).toHaveLength(2);
    for (const { lanes, centerline } of arterials) {
      expect(lanes).toHaveLength(4 * (centerline.length - 1));
    }
  });

  test('has roads of all three classes.', () => {
    expect(new Set(city.roads.map((road) => road.class)).size).toBe(3);
  });

  test('has blocks of unequal lengths, 105 to 150 m between the centres of junctions.', () => {
    const xs = [...new Set(city.junctions.map(({ x }) => x))].sort((a, b) => a - b);
    const lengths = xs.slice(1).map((x, i) => x - at(xs, i));
    expect(new Set(lengths).size).toBeGreaterThan(2);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(105);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(150);
  });

  test('is planned in whole centimetres.', () => {
    for (const { x, y } of city.junctions) {
      expect(x).toBe(Math.round(x * 100) / 100);
      expect(y).toBe(Math.round(y * 100) / 100);
    }
  });

  test('numbers everything from one with a letter before.', () => {
    const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);
    const numbered = (letter: string, items: readonly unknown[]) =>
      items.map((_, i) => `${letter}${i + 1}`);
    expect(idsOf(city.roads)).toEqual(numbered('r', city.roads));
    expect(idsOf(city.lanes)).toEqual(numbered('l', city.lanes));
    expect(idsOf(city.junctions)).toEqual(numbered('j', city.junctions));
    expect(idsOf(city.lights)).toEqual(numbered('s', city.lights));
    expect(idsOf(city.blocks)).toEqual(numbered('b', city.blocks));
  });
});
