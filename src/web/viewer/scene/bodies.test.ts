import { describe, expect, it } from 'vitest';
import { CAR_TYPES } from '../../../twin/fleet.ts';
import { carOf } from '../live/playback.ts';
import { BODY_PLANS, carBody } from './car-body.ts';
import { enlargement, interventionOf } from './fleet-view.ts';
import { hazardBody } from './hazard-bodies.ts';
import type { MeshBuilder } from './mesh-builder.ts';

/** From the lowest to the highest coordinate, each way. */
function extentOf({ positions }: MeshBuilder) {
  const along = (axis: number) => positions.filter((_, i) => i % 3 === axis);
  const [xs, ys, zs] = [along(0), along(1), along(2)];
  return {
    length: Math.max(...xs) - Math.min(...xs),
    width: Math.max(...ys) - Math.min(...ys),
    low: Math.min(...zs),
    high: Math.max(...zs),
  };
}

/** Six times the volume that triangles enclose which show their outsides counter-clockwise. */
function volumeOf({ positions, indices }: MeshBuilder): number {
  const at = (index: number, axis: number) => positions[3 * index + axis] ?? Number.NaN;
  let total = 0;
  for (let i = 0; i < indices.length; i += 3) {
    const [a = 0, b = 0, c = 0] = indices.slice(i, i + 3);
    total +=
      at(a, 0) * (at(b, 1) * at(c, 2) - at(b, 2) * at(c, 1)) +
      at(a, 1) * (at(b, 2) * at(c, 0) - at(b, 0) * at(c, 2)) +
      at(a, 2) * (at(b, 0) * at(c, 1) - at(b, 1) * at(c, 0));
  }
  return total / 6;
}

describe('the bodies of cars', () => {
  it.each(CAR_TYPES)(
    '$model has the length and width of its car type',
    ({ model, lengthM, widthM }) => {
      const plan = BODY_PLANS[model];
      expect(plan).toMatchObject({ lengthM, widthM });
      if (!plan) return;
      const { length, width, low, high } = extentOf(carBody(plan));
      expect(length).toBeGreaterThan(lengthM - 0.01);
      expect(length).toBeLessThan(lengthM + 0.15);
      // Mirrors stand out.
      expect(width).toBeGreaterThan(widthM - 0.01);
      expect(width).toBeLessThan(widthM + 0.35);
      expect(low).toBeGreaterThan(-0.01);
      expect(high).toBeCloseTo(plan.roofM, 6);
    },
  );

  it('has faces that point outwards', () => {
    for (const plan of Object.values(BODY_PLANS)) {
      // A family car encloses some eight cubic metres; turned inside out it would be less than none.
      expect(volumeOf(carBody(plan))).toBeGreaterThan(4);
    }
  });
});

describe('the bodies of hazards', () => {
  it.each([
    ['tram_crossing', 20, 2.4],
    ['red_light_lorry', 10, 2.5],
    ['cut_in', 5.9, 2],
    ['deer_crossing', 1.1, 0.35],
    ['parked_row_child', 0.5, 0.5],
    ['fog_stall', 4.5, 1.8],
    ['a kind of tomorrow', 4.5, 1.8],
  ])('%s has a body about its size', (kind, lengthM, widthM) => {
    const body = hazardBody(kind);
    if (!body) throw new Error('it has a body');
    const { length, width } = extentOf(body.mesh);
    const [stretched, widened] = [lengthM / body.lengthM, widthM / body.widthM];
    expect(length * stretched).toBeLessThan(lengthM * 1.6);
    expect(length * stretched).toBeGreaterThan(lengthM * 0.6);
    expect(width * widened).toBeGreaterThan(widthM * 0.6);
  });

  it('there is none where the road itself is the hazard', () => {
    expect(hazardBody('ice_bend')).toBeNull();
    expect(hazardBody('sharp_bend')).toBeNull();
  });
});

describe('cars on display', () => {
  it('are enlarged only far away, up to a limit', () => {
    expect(enlargement(4, 0.1)).toBe(1);
    // 15 px of half a metre are 7.5 m.
    expect(enlargement(4, 0.5)).toBeCloseTo(7.5 / 4, 12);
    expect(enlargement(4, 100)).toBe(9);
  });

  it('show the intervention', () => {
    const car = carOf({ vin: '', model: 'Lumen City', colour: 'teal', plate: '' });
    expect(interventionOf(car)).toBeNull();
    expect(interventionOf({ ...car, esc: true })?.word).toBe('ESC');
    expect(interventionOf({ ...car, esc: true, aeb: true })?.word).toBe('AEB');
    expect(interventionOf({ ...car, evasive: true, aeb: true })?.word).toBe('EVADING');
  });
});
