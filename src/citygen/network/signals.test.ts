import { describe, expect, test } from 'vitest';
import { at, distance } from '../../city/geometry.ts';
import type { Light } from '../../city/types.ts';
import { grid as city } from '../../testing/rigs/cities.ts';

const signalised = city.junctions.filter(({ control }) => control === 'signals');

/** Whether the light shows green or amber at a tick of its cycle. */
function mayGoAt({ greenFromTick, greenTicks, amberTicks }: Light, tick: number): boolean {
  const sinceGreen = tick - greenFromTick;
  return sinceGreen >= 0 && sinceGreen < greenTicks + amberTicks;
}

/** Ticks from the stop line to the one beyond and 5 m more, at the speed limit, by way of the map. */
function clearingTicks(light: Light): number {
  const from = at(light.lanes, 0);
  const across = city.lanes.find(
    ({ connector }) => connector?.from === from && connector.turn === 'straight',
  );
  if (!across) return 50;
  const wayM = distance(at(across.polyline, 0), at(across.polyline, -1)) + 5;
  return (wayM / at(city.lanes, from).speedLimitMps) * 50;
}

const lightsOf = (indices: readonly number[]): Light[] =>
  indices.map((light) => at(city.lights, light));

/** Every pair of approaches of which the traffic going straight on or turning right crosses. */
function crossingPairs(lights: readonly Light[]): [Light, Light][] {
  const cross = (a: Light, b: Light): boolean => Math.abs(Math.sin(a.heading - b.heading)) > 0.5;
  return lights.flatMap((a, i) =>
    lights.slice(i + 1).flatMap((b): [Light, Light][] => (cross(a, b) ? [[a, b]] : [])),
  );
}

describe('Signals', () => {
  test('stand at three junctions of the arterial, one light an approach.', () => {
    expect(signalised).toHaveLength(3);
    for (const { lights } of signalised) {
      const lanes = lightsOf(lights).flatMap((light) => light.lanes);
      expect(new Set(lanes).size).toBe(lanes.length);
    }
  });

  test('of one light serve one junction, and every connector obeys that of its approach.', () => {
    for (const { junction, connector } of city.lanes) {
      if (!connector) continue;
      const { lights } = at(city.junctions, junction);
      if (lights.length === 0) {
        expect(connector.light).toBe(-1);
        continue;
      }
      expect(lights).toContain(connector.light);
      expect(at(city.lights, connector.light).lanes).toContain(connector.from);
      expect(at(city.lights, connector.light).junction).toBe(junction);
    }
  });

  test('[W30] never let crossing traffic go at the same time, and let the junction clear between.', () => {
    for (const { lights, cycleTicks } of signalised) {
      const pairs = crossingPairs(lightsOf(lights));
      expect(pairs.length).toBeGreaterThan(0);
      for (const [a, b] of pairs) {
        let goTick = -1000;
        let going: Light | undefined;
        let ticksOfBoth = 0;
        for (let tick = 0; tick < 2 * cycleTicks; tick++) {
          const mayGo = [a, b].filter((light) => mayGoAt(light, tick % cycleTicks));
          if (mayGo.length > 1) ticksOfBoth++;
          const next = mayGo[0];
          if (!next) continue;
          if (going && next !== going) expect(tick - goTick).toBeGreaterThan(clearingTicks(going));
          going = next;
          goTick = tick;
        }
        expect(ticksOfBoth).toBe(0);
      }
    }
  });

  test('show red and amber for one second right before green, within the cycle.', () => {
    for (const light of city.lights) {
      const { cycleTicks } = at(city.junctions, light.junction);
      expect(light.redAmberTicks).toBe(50);
      expect(light.greenFromTick).toBeGreaterThanOrEqual(50);
      const endTick = light.greenFromTick + light.greenTicks + light.amberTicks;
      expect(endTick).toBeLessThan(cycleTicks);
    }
  });

  test('are green for 16 to 25 seconds and amber for as long as the speed asks.', () => {
    for (const light of city.lights) {
      expect(light.greenTicks).toBeGreaterThanOrEqual(16 * 50);
      expect(light.greenTicks).toBeLessThanOrEqual(25 * 50);
      const { speedLimitMps } = at(city.lanes, at(light.lanes, 0));
      expect(light.amberTicks).toBe(speedLimitMps > 14 ? 200 : 150);
    }
  });

  test('stand beside the stop line on the right and face the traffic that arrives.', () => {
    for (const { x, y, heading, lanes } of city.lights) {
      const rightmost = at(city.lanes, at(lanes, 0));
      const [stopX, stopY] = at(rightmost.polyline, -1);
      const ahead = (x - stopX) * Math.cos(heading) + (y - stopY) * Math.sin(heading);
      const right = (x - stopX) * Math.sin(heading) - (y - stopY) * Math.cos(heading);
      expect(ahead).toBeCloseTo(0, 6);
      expect(right).toBeCloseTo(rightmost.widthM / 2 + 0.8, 6);
    }
  });
});
