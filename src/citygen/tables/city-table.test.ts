import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as layout from '../../../assembly/layout.ts';
import { CITIES } from '../../city/catalogue.ts';
import { profilesOf } from '../../city/table/lane-profile.ts';
import type { City, Point } from '../../city/types.ts';
import { loadCities } from '../../load-cities.ts';
import { grid as city } from '../../testing/rigs/cities.ts';
import { covers } from '../geometry.ts';
import { packCity } from './city-table.ts';

const SHA256_OF_CITIES: Readonly<Record<string, string>> = {
  grid: 'e078f91c4b8b62f25d16e76eddcf89f8e1d0baf2f83e213ece4bdb58e77b20ca',
  'old-town': '901510da464932431fc490c95aaf4eade8ce22780e49405faa0f80048339ae66',
  'mixed-town': 'f295579e46c2812156971753a027add80df6f2561eb8f4c2550ffc048b3b0494',
};

const BODY_REACH_M = 2.6;
const TWO_TICKS_M = 1.8;

const buffer = packCity(city);
const view = new DataView(buffer);
const int = (offset: number): number => view.getInt32(offset, true);
const float = (offset: number): number => view.getFloat64(offset, true);
const single = (offset: number): number => view.getFloat32(offset, true);
const laneAt = (lane: number): number => int(layout.T_LANES) + lane * layout.LANE_BYTES;
const pointAt = (point: number): number => int(layout.T_POINTS) + point * layout.POINT_BYTES;

/** Where parts of a car may be: at most 5 m from the lane, a body's reach around that, two ticks later. */
function placesBeside([x, y]: Point, [tx, ty]: Point): Point[] {
  const [reachM, wayM] = [BODY_REACH_M + layout.ZONE_OFFSET_M, BODY_REACH_M + TWO_TICKS_M];
  return [-reachM, 0, reachM].flatMap((aside) =>
    [-wayM, 0, wayM].map((along): Point => {
      return [x + along * tx - aside * ty, y + along * ty + aside * tx];
    }),
  );
}

describe('The table of a city', () => {
  // main.test.ts proves that the built tables are up to date.
  test('is frozen to the bit.', () => {
    const hashOf = (table: ArrayBuffer) =>
      createHash('sha256').update(new Uint8Array(table)).digest('hex');
    const hashes = loadCities().tables.map((table, i) => [CITIES[i]?.name, hashOf(table)]);
    expect(Object.fromEntries(hashes)).toEqual(SHA256_OF_CITIES);
  });

  test('has consecutive, aligned sections inside the buffer.', () => {
    const sections = [
      layout.T_LANES,
      layout.T_POINTS,
      layout.T_JUNCTIONS,
      layout.T_ROUTES,
      layout.T_ROUTE_LANES,
      layout.T_BLOCKS,
      layout.T_LIGHTS,
      layout.T_HAZARDS,
    ].map(int);
    expect(sections).toEqual(sections.toSorted((a, b) => a - b));
    expect(sections[0]).toBeGreaterThanOrEqual(layout.T_HEADER_BYTES);
    for (const start of sections) expect(start % layout.SLAB_ALIGN).toBe(0);
    const hazardsEnd = int(layout.T_HAZARDS) + city.hazards.length * layout.HAZARD_SPOT_BYTES;
    expect(hazardsEnd).toBeLessThanOrEqual(buffer.byteLength);
    expect(buffer.byteLength % layout.SLAB_ALIGN).toBe(0);
  });

  test('has the counts of the city.', () => {
    expect(int(layout.T_LANE_COUNT)).toBe(city.lanes.length);
    expect(int(layout.T_JUNCTION_COUNT)).toBe(city.junctions.length);
    const bodies = city.hazards.flatMap(({ site }) => site.bodies);
    expect(int(layout.T_BLOCK_COUNT)).toBe(city.blocks.length + bodies.length);
    expect(int(layout.T_LIGHT_COUNT)).toBe(city.lights.length);
    expect(int(layout.T_HAZARD_COUNT)).toBe(city.hazards.length);
  });

  test('has the lanes with the points between their ends.', () => {
    let points = 0;
    for (const [index, lane] of city.lanes.entries()) {
      const at = laneAt(index);
      expect(int(at + layout.L_POINT_FIRST)).toBe(points);
      const count = int(at + layout.L_POINT_COUNT);
      const length = float(at + layout.L_LENGTH);
      expect(float(at + layout.L_SPACING) * (count - 1)).toBeCloseTo(length, 9);
      const [first, last] = [pointAt(points), pointAt(points + count - 1)];
      const placeOf = (at: number) => [single(at + layout.PT_X), single(at + layout.PT_Y)];
      expect(placeOf(first)).toEqual(lane.polyline[0]?.map(Math.fround));
      expect(placeOf(last)).toEqual(lane.polyline.at(-1)?.map(Math.fround));
      points += count;
    }
    expect(pointAt(points)).toBeLessThanOrEqual(int(layout.T_JUNCTIONS));
  });

  test('has the place and the rules of each lane.', () => {
    for (const [index, lane] of city.lanes.entries()) {
      const at = laneAt(index);
      expect(int(at + layout.L_ROAD)).toBe(lane.road);
      expect(int(at + layout.L_JUNCTION)).toBe(lane.junction);
      expect(float(at + layout.L_SPEED_LIMIT)).toBe(lane.speedLimitMps);
      expect(float(at + layout.L_HALF_WIDTH)).toBe(lane.widthM / 2);
      expect(int(at + layout.L_LIGHT)).toBe(lane.connector?.light ?? -1);
      expect(int(at + layout.L_MUST_STOP)).toBe(lane.connector?.mustStop ? 1 : 0);
    }
  });

  test.each([
    ['less friction than a dry road has', layout.L_SLIP_FROM, layout.DRY_FRICTION],
    ['any zone', layout.L_ZONE_FROM, Number.POSITIVE_INFINITY],
  ])('says from where to where a car can be on %s.', (_, field, friction) => {
    const polygons = city.zones.filter((zone) => zone.friction < friction);
    let inside = 0;
    for (const [index, { points, spacingM }] of profilesOf(city).entries()) {
      const [fromM, toM] = [single(laneAt(index) + field), single(laneAt(index) + field + 4)];
      for (const [i, { position, tangent }] of points.entries()) {
        const isIn = placesBeside(position, tangent).some((place) =>
          polygons.some(({ polygon }) => covers(polygon, place)),
        );
        if (!isIn) continue;
        inside += 1;
        expect(i * spacingM).toBeGreaterThan(fromM);
        expect(i * spacingM).toBeLessThan(toM);
      }
    }
    expect(inside).toBeGreaterThan(0);
  });

  test('has a bit for each connector of a junction, and its conflicts by those bits.', () => {
    for (const junction of city.junctions.keys()) {
      const own = [...city.lanes.keys()].filter((i) => city.lanes[i]?.junction === junction);
      const bits = own.map((lane) => int(laneAt(lane) + layout.L_CONNECTOR));
      expect(bits).toEqual(own.map((_, i) => i));
      for (const lane of own) {
        const mask = view.getUint32(laneAt(lane) + layout.L_CONFLICTS, true);
        const named = own.filter((_, bit) => (mask >>> bit) & 1);
        expect(named).toEqual(city.lanes[lane]?.connector?.conflicts);
      }
    }
  });

  test('gives roads no bit and no conflicts.', () => {
    for (const [index, lane] of city.lanes.entries()) {
      if (lane.connector) continue;
      expect(int(laneAt(index) + layout.L_CONNECTOR)).toBe(-1);
      expect(int(laneAt(index) + layout.L_CONFLICTS)).toBe(0);
    }
  });

  test('has speeds up to the limit and to 2 m/s² of lateral acceleration, with room to brake.', () => {
    for (const [index, { speedLimitMps }] of city.lanes.entries()) {
      const at = laneAt(index);
      const spacing = float(at + layout.L_SPACING);
      const points = Array.from({ length: int(at + layout.L_POINT_COUNT) }, (_, i) =>
        pointAt(int(at + layout.L_POINT_FIRST) + i),
      );
      const speeds = points.map((point) => single(point + layout.PT_SPEED));
      for (const [i, speed] of speeds.entries()) {
        const curvature = single((points[i] ?? 0) + layout.PT_CURVATURE);
        expect(speed).toBeLessThanOrEqual(Math.fround(speedLimitMps));
        expect(speed * speed * Math.abs(curvature)).toBeLessThan(2.00001);
        const next = speeds[i + 1] ?? speed;
        expect(speed * speed - next * next).toBeLessThanOrEqual(2 * 1.5 * spacing + 1e-3);
      }
    }
  });

  test('has consecutive routes, slow enough at the end of each lane for the next one.', () => {
    for (const [car, route] of city.routes.entries()) {
      const first = int(int(layout.T_ROUTES) + car * 8);
      const count = int(int(layout.T_ROUTES) + car * 8 + 4);
      const entries = Array.from(
        { length: count },
        (_, i) => int(layout.T_ROUTE_LANES) + (first + i) * layout.ROUTE_LANE_BYTES,
      );
      expect(entries.map((entry) => int(entry + layout.RL_LANE))).toEqual(route);
      for (const [i, entry] of entries.entries()) {
        const next = laneAt(route[(i + 1) % count] ?? 0);
        const entrySpeed = single(pointAt(int(next + layout.L_POINT_FIRST)) + layout.PT_SPEED);
        expect(single(entry + layout.RL_EXIT_SPEED)).toBeLessThanOrEqual(entrySpeed);
      }
    }
  });

  test('has the blocks with their bounds.', () => {
    for (const [index, { polygon, solid }] of city.blocks.entries()) {
      const at = int(layout.T_BLOCKS) + index * layout.BLOCK_BYTES;
      expect(int(at + layout.B_CORNERS)).toBe(polygon.length);
      expect(int(at + layout.B_SOLID)).toBe(solid ? 1 : 0);
      for (const [i, [x, y]] of polygon.entries()) {
        expect(float(at + layout.B_CORNER + i * 16)).toBe(x);
        expect(float(at + layout.B_CORNER + i * 16 + 8)).toBe(y);
        expect(x).toBeGreaterThanOrEqual(float(at + layout.B_MIN_X));
        expect(x).toBeLessThanOrEqual(float(at + layout.B_MAX_X));
        expect(y).toBeGreaterThanOrEqual(float(at + layout.B_MIN_Y));
        expect(y).toBeLessThanOrEqual(float(at + layout.B_MAX_Y));
      }
    }
  });

  test('has the lights, the cycles they belong to, and the hazard spots.', () => {
    for (const [index, light] of city.lights.entries()) {
      const at = int(layout.T_LIGHTS) + index * layout.LIGHT_BYTES;
      const { LT_JUNCTION, LT_GREEN_FROM, LT_GREEN, LT_AMBER, LT_RED_AMBER } = layout;
      const fields = [LT_JUNCTION, LT_GREEN_FROM, LT_GREEN, LT_AMBER, LT_RED_AMBER];
      expect(fields.map((field) => int(at + field))).toEqual([
        light.junction,
        light.greenFromTick,
        light.greenTicks,
        light.amberTicks,
        light.redAmberTicks,
      ]);
    }
    for (const [index, { cycleTicks }] of city.junctions.entries()) {
      const at = int(layout.T_JUNCTIONS) + index * layout.JUNCTION_BYTES;
      expect(int(at + layout.J_CYCLE)).toBe(cycleTicks);
    }
    for (const [index, { x, y }] of city.hazards.entries()) {
      const at = int(layout.T_HAZARDS) + index * layout.HAZARD_SPOT_BYTES;
      expect([float(at + layout.HS_X), float(at + layout.HS_Y)]).toEqual([x, y]);
    }
  });
});

describe('A city is refused', () => {
  const times = <Item>(item: Item | undefined, count: number): Item[] => {
    if (item === undefined) throw new Error('nothing to repeat');
    return Array.from({ length: count }, () => item);
  };
  const block = { id: 'b1', kind: 'park', heightM: 0, solid: false } as const;
  const corners = Array.from({ length: 9 }, (_, i): [number, number] => [i, i * i]);
  const connector = city.lanes.find((lane) => lane.connector);
  const cases: [why: string, change: Partial<City>, message: RegExp][] = [
    ['with 65 junctions', { junctions: times(city.junctions[0], 65) }, /65 junctions/],
    ['with 161 lights', { lights: times(city.lights[0], 161) }, /161 lights/],
    ['with 17 hazard spots', { hazards: times(city.hazards[0], 17) }, /17 hazard spots/],
    ['with 33 connectors at a junction', { lanes: times(connector, 33) }, /33 connectors/],
    ['with a block of nine corners', { blocks: [{ ...block, polygon: corners }] }, /9 corners of/],
    ['with 19 routes', { routes: city.routes.slice(1) }, /20 routes/],
    ['with an empty route', { routes: [[], ...city.routes.slice(1)] }, /20 routes/],
    ['with a route along no lane', { routes: [[9999], ...city.routes.slice(1)] }, /lane 9999/],
  ];

  test.each(cases)('%s.', (_, change, message) => {
    expect(() => packCity({ ...city, ...change })).toThrow(message);
  });
});
