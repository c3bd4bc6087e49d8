import { describe, expect, test } from 'vitest';
import { generateCity } from './catalogue.ts';
import { at, distance, distanceToPath } from './geometry.ts';
import type { City, HazardSpot } from './types.ts';

const city = generateCity('grid', 20_251_120);

const spotOf = (kind: string): HazardSpot => {
  const spot = city.hazards.find((hazard) => hazard.kind === kind);
  if (!spot) throw new Error(`no ${kind}`);
  return spot;
};

const controlNear = ({ junctions }: City, { x, y }: HazardSpot): string =>
  junctions.reduce((best, some) =>
    distance([some.x, some.y], [x, y]) < distance([best.x, best.y], [x, y]) ? some : best,
  ).control;

describe('Hazard spots', () => {
  test('are of fourteen different kinds.', () => {
    expect(city.hazards.map(({ id }) => id)).toEqual(city.hazards.map((_, i) => `h${i + 1}`));
    expect(new Set(city.hazards.map(({ kind }) => kind)).size).toBe(14);
    for (const { kind } of city.hazards) expect(kind).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  test('lie on a lane that a route uses, of the road that they name.', () => {
    const used = new Set(city.routes.flat());
    for (const { x, y, road } of city.hazards) {
      const lanes = at(city.roads, road).lanes.filter((lane) => used.has(lane));
      const nearestM = lanes.map((lane) => distanceToPath([x, y], at(city.lanes, lane).polyline));
      expect(Math.min(...nearestM)).toBeLessThan(1e-6);
    }
  });

  test('keep 60 m from one another.', () => {
    for (const [i, a] of city.hazards.entries()) {
      for (const b of city.hazards.slice(i + 1)) {
        expect(distance([a.x, a.y], [b.x, b.y])).toBeGreaterThanOrEqual(60);
      }
    }
  });

  test('have one sentence each that says what may happen.', () => {
    const sentences = city.hazards.map(({ description }) => description);
    expect(new Set(sentences).size).toBe(sentences.length);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z][^.]{20,90}\.$/);
  });

  test('lie where their kind makes sense.', () => {
    expect(at(city.roads, spotOf('fog_stall').road).class).toBe('arterial');
    expect(at(city.roads, spotOf('sharp_bend').road).class).toBe('collector');
    expect(controlNear(city, spotOf('red_light_lorry'))).toBe('signals');
    expect(controlNear(city, spotOf('downhill_stop'))).toBe('stop');
    expect(controlNear(city, spotOf('blind_crossing'))).toBe('none');
    const deer = spotOf('deer_crossing');
    const parks = city.blocks.filter(({ kind }) => kind === 'park');
    const nearestM = parks.map(({ polygon }) => distanceToPath([deer.x, deer.y], polygon));
    expect(Math.min(...nearestM)).toBeLessThan(16);
  });

  test('for left turns lie where signals let oncoming traffic go at the same time.', () => {
    const { x, y, road } = spotOf('left_turn_oncoming');
    const approach = at(city.roads, road).lanes.find((lane) => {
      const { polyline } = at(city.lanes, lane);
      return distance(at(polyline, -1), [x, y]) < 1e-6;
    });
    const own = city.lights.find(({ lanes }) => lanes.some((lane) => lane === approach));
    const oncoming = city.lights.filter(
      ({ junction, heading, greenFromTick }) =>
        junction === own?.junction &&
        Math.cos(heading - own.heading) < -0.9 &&
        greenFromTick === own.greenFromTick,
    );
    expect(oncoming).toHaveLength(1);
  });
});
