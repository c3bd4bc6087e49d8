import { describe, expect, test } from 'vitest';
import { EVENT_COLLISION } from '../../../assembly/layout.ts';
import { CITIES } from '../../city/catalogue.ts';
import { at } from '../../city/geometry.ts';
import { mapOf } from '../../city/map.ts';
import type { Point } from '../../city/types.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { eventOf } from '../../twin/events.ts';
import type { CityMap } from '../../twin/wire.ts';
import { bodyBlocksOf } from './hazard-table.ts';

/** Half the last digit of a place and of a size, and what that of a heading makes of 13 m. */
const ROUNDED_M = 0.02;

function cornersOf({ x, y, heading, length, width }: CityMap['bodies'][number]): Point[] {
  const [hx, hy] = [Math.cos(heading), Math.sin(heading)];
  const corner = (ahead: number, left: number): Point => [
    x + (hx * ahead * length - hy * left * width) / 2,
    y + (hy * ahead * length + hx * left * width) / 2,
  ];
  return [corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)];
}

describe.each(CITIES)('The map of $name', ({ name, seed }) => {
  const city = cityOf(name, seed);
  const { bodies } = mapOf(city);

  test('[W43] lists the bodies at hazard spots at which the kernel is solid, and no others.', () => {
    const solid = bodyBlocksOf(city);
    expect(solid.length).toBeGreaterThan(20);
    expect(bodies.map(({ id, hazard, height }) => [id, hazard, height])).toEqual(
      solid.map(({ block, spot }) => [block.id, at(city.hazards, spot).id, block.heightM]),
    );
    for (const [i, body] of bodies.entries()) {
      const { polygon } = at(solid, i).block;
      for (const [corner, [x, y]] of cornersOf(body).entries()) {
        const [solidX, solidY] = at(polygon, corner);
        expect(Math.hypot(x - solidX, y - solidY)).toBeLessThan(ROUNDED_M);
      }
    }
  });

  test('[W43] names each body as events do.', () => {
    for (const { hazard, kind } of bodies) {
      const spot = city.hazards.findIndex(({ id }) => id === hazard);
      const raw = { seq: 1, tick: 1, kind: EVENT_COLLISION, car: 0, feature: 1, arg: 0, other: -1 };
      const { message } = eventOf({ ...raw, hazard: spot }, { fleet: [], hazards: city.hazards });
      expect(message).toMatch(new RegExp(`hit a ${kind}\\.$`));
    }
  });
});
