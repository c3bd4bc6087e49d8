import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { at, lengthOf } from '../../city/geometry.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { covers, isConvex, pointAlong } from '../geometry.ts';

describe.each(CITIES)('The zones of $name', ({ name, seed }) => {
  const { zones, hazards, lanes } = cityOf(name, seed);

  test('[W26] are of all four kinds, at most 32.', () => {
    expect(new Set(zones.map(({ kind }) => kind))).toEqual(new Set(['ice', 'wet', 'fog', 'dusk']));
    expect(zones.length).toBeLessThanOrEqual(32);
    expect(zones.map(({ id }) => id)).toEqual(zones.map((_, i) => `z${i + 1}`));
  });

  test('are convex and counter-clockwise, with at most eight corners.', () => {
    for (const { polygon } of zones) {
      expect(polygon.length).toBeGreaterThanOrEqual(3);
      expect(polygon.length).toBeLessThanOrEqual(8);
      expect(isConvex(polygon)).toBe(true);
    }
  });

  test('have low friction only if wet or icy.', () => {
    const slippery: Partial<Record<string, number>> = { wet: 0.55, ice: 0.2 };
    for (const { kind, friction } of zones) expect(friction).toBe(slippery[kind] ?? 0.95);
  });

  test.each([
    ['ice_bend', 'ice'],
    ['wet_crest', 'wet'],
    ['fog_stall', 'fog'],
    ['deer_crossing', 'dusk'],
  ] as const)('around the %s are %s.', (hazard, kind) => {
    const spot = hazards.find((one) => one.kind === hazard);
    if (!spot) throw new Error(`no ${hazard}`);
    const around = zones.filter((zone) => covers(zone.polygon, [spot.x, spot.y]));
    expect(around.map((zone) => zone.kind)).toContain(kind);
  });

  test('keep the fog dry.', () => {
    const fogs = zones.filter(({ kind }) => kind === 'fog');
    for (const { site } of hazards.filter(({ kind }) => kind === 'fog_stall')) {
      const { polyline } = at(lanes, at(site.lanes, -1));
      for (let stationM = 0; stationM <= site.stationM; stationM += 2) {
        const point = pointAlong(polyline, stationM);
        if (!fogs.some((fog) => covers(fog.polygon, point))) continue;
        expect(zones.some((zone) => zone.kind === 'wet' && covers(zone.polygon, point))).toBe(
          false,
        );
      }
    }
  });

  test('have 25 m of the lane in the ice.', () => {
    const ice = zones.filter(({ kind }) => kind === 'ice');
    const bends = hazards.filter(({ kind }) => kind === 'ice_bend');
    expect(bends).toHaveLength(2);
    for (const bend of bends) {
      const icyM = bend.site.lanes.map((index) => {
        const { polyline } = at(lanes, index);
        const steps = Math.floor(lengthOf(polyline) / 0.1);
        const inside = Array.from({ length: steps }, (_, i) =>
          pointAlong(polyline, i * 0.1),
        ).filter((point) => ice.some((zone) => covers(zone.polygon, point)));
        return inside.length * 0.1;
      });
      expect(icyM.reduce((sum, lengthM) => sum + lengthM, 0)).toBeGreaterThan(24);
      expect(icyM.reduce((sum, lengthM) => sum + lengthM, 0)).toBeLessThan(27);
    }
  });
});
