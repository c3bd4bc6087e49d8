import { describe, expect, test } from 'vitest';
import { generateCity } from './catalogue.ts';
import { at, lengthOf } from './geometry.ts';
import { createRandom } from './random.ts';
import { planRoutes } from './routes.ts';
import type { Lane } from './types.ts';

describe.each([20_251_120, 1, 2])('The routes through the grid of seed %i', (seed) => {
  const { routes, lanes, roads, junctions } = generateCity('grid', seed);

  test('are twenty closed loops in which each lane leads to the following one.', () => {
    expect(routes).toHaveLength(20);
    for (const route of routes) {
      for (const [i, lane] of route.entries()) {
        expect(at(lanes, lane).next).toContain(at(route, (i + 1) % route.length));
      }
    }
  });

  test('use no lane twice.', () => {
    for (const route of routes) expect(new Set(route).size).toBe(route.length);
  });

  test('are between 0.8 and 2.5 km long, and not all alike.', () => {
    const lengthsM = routes.map((route) =>
      route.reduce((sum, lane) => sum + lengthOf(at(lanes, lane).polyline), 0),
    );
    expect(Math.min(...lengthsM)).toBeGreaterThanOrEqual(800);
    expect(Math.max(...lengthsM)).toBeLessThanOrEqual(2500);
    expect(Math.max(...lengthsM) - Math.min(...lengthsM)).toBeGreaterThan(100);
  });

  test('begin on twenty different lanes of roads, each at least 70 m long.', () => {
    const firsts = routes.map((route) => at(route, 0));
    expect(new Set(firsts).size).toBe(20);
    for (const first of firsts) {
      expect(at(lanes, first).road).toBeGreaterThanOrEqual(0);
      expect(lengthOf(at(lanes, first).polyline)).toBeGreaterThanOrEqual(70);
    }
  });

  test('come by every signalised junction and along nearly every road.', () => {
    const used = new Set(routes.flat());
    const passed = new Set([...used].map((lane) => at(lanes, lane).junction));
    for (const [index, { control }] of junctions.entries()) {
      if (control === 'signals') expect(passed).toContain(index);
    }
    const driven = roads.filter((road) => road.lanes.some((lane) => used.has(lane)));
    expect(driven.length).toBeGreaterThanOrEqual(roads.length - 2);
  });
});

test('A network without loops of the wanted length has no routes.', () => {
  const ring = (road: number, next: number): Lane => ({
    id: `l${road}`,
    road,
    junction: -1,
    widthM: 3,
    speedLimitMps: 10,
    polyline: [
      [0, 0],
      [100, 0],
    ],
    next: [next],
  });
  const lanes = [ring(0, 1), ring(1, 0)];
  const network = { roads: [], lanes, junctions: [], lights: [] };
  expect(() => planRoutes(network, [], createRandom(1, 1))).toThrow(
    'no loops of the wanted length',
  );
});
