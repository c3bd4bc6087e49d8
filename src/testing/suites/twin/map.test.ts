import { beforeAll, describe, expect, test } from 'vitest';
import { useTwin } from './api.ts';
import type { CityMap, Point, World } from './wire.ts';

const api = useTwin();
let world: World;
let map: CityMap;
let path: string;
beforeAll(async () => {
  world = await api.makeWorld();
  path = `/api/v1/worlds/${world.id}/map`;
  map = await api.get('CityMap', path);
});

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);

describe('the catalogue of cities', () => {
  test('[W17] names each city once, and first the default', async () => {
    const { cities } = await api.get('Cities', '/api/v1/cities');
    expect(cities.map(({ name }) => name)).toEqual(['grid', 'old-town', 'mixed-town']);
    expect(world.city).toBe('grid');
  });
});

describe('the map of a world', () => {
  test('[W18] names everything once', () => {
    const lights = map.junctions.flatMap((junction) => junction.lights);
    const { roads, junctions, lanes, blocks, bodies, zones, hazards } = map;
    for (const records of [roads, junctions, lanes, blocks, bodies, zones, hazards, lights]) {
      expect(new Set(idsOf(records)).size).toBe(records.length);
    }
    // A car is on a road or in a junction, so that one name must not mean both.
    expect(new Set([...idsOf(roads), ...idsOf(junctions)]).size).toBe(
      roads.length + junctions.length,
    );
  });

  test('has each lane on a road or in a junction, which the road knows too', () => {
    for (const { lanes } of map.roads) expect(lanes).not.toEqual([]);
    for (const { id, road, junction, width } of map.lanes) {
      expect(width).toBeGreaterThan(0);
      expect([road === null, junction === null].toSorted()).toEqual([false, true]);
      const of = map.roads.filter(({ lanes }) => lanes.includes(id));
      expect(idsOf(of)).toEqual(road === null ? [] : [road]);
      if (junction !== null) expect(idsOf(map.junctions)).toContain(junction);
    }
  });

  test('[W19] ends each lane where the lanes begin that follow it', () => {
    const byId = new Map(map.lanes.map((lane) => [lane.id, lane]));
    for (const { polyline, next } of map.lanes) {
      expect(new Set(next).size).toBe(next.length);
      for (const id of next) expect(byId.get(id)?.polyline[0]).toEqual(polyline.at(-1));
    }
    const followed = map.lanes.filter(({ next }) => next.length > 0);
    expect(followed.length).toBeGreaterThan(map.lanes.length / 2);
  });

  test('[W20] has lights at junctions with signals, and only there, for lanes of the map', () => {
    for (const { control, lights } of map.junctions) {
      expect(lights.length > 0).toBe(control === 'signals');
      for (const { lanes } of lights) {
        expect(lanes).not.toEqual([]);
        expect(idsOf(map.lanes)).toEqual(expect.arrayContaining([...lanes]));
      }
    }
  });

  test('[W18] lies within its bounds, to the centimetre', () => {
    const { min_x, min_y, max_x, max_y } = map.bounds;
    const points: Point[] = [
      ...map.lanes.flatMap(({ polyline }) => polyline),
      ...map.roads.flatMap(({ centerline }) => centerline),
      ...map.junctions.flatMap(({ polygon }) => polygon),
      ...map.blocks.flatMap(({ polygon }) => polygon),
      ...map.bodies.map(({ x, y }): Point => [x, y]),
      ...map.hazards.map(({ x, y }): Point => [x, y]),
    ];
    expect(points.length).toBeGreaterThan(1000);
    for (const [x, y] of points) {
      expect(x >= min_x && x <= max_x && y >= min_y && y <= max_y).toBe(true);
      expect([Number(x.toFixed(2)), Number(y.toFixed(2))]).toEqual([x, y]);
    }
  });

  test('has hazard spots at roads of the map', () => {
    for (const { road } of map.hazards) expect(idsOf(map.roads)).toContain(road);
  });

  test('[W43] has what stands beside the lane at some of its hazard spots', () => {
    expect(map.bodies.length).toBeGreaterThan(20);
    const kinds = map.bodies.map(({ kind }) => kind);
    expect([...new Set(kinds)].toSorted()).toEqual(['bollard', 'hedge', 'hoarding', 'parked car']);
    for (const { hazard } of map.bodies) expect(idsOf(map.hazards)).toContain(hazard);
  });

  test('[W21] is the same for every world of the city', async () => {
    const other = await api.makeWorld({ city: world.city });
    expect(await api.world('CityMap', other, '/map')).toEqual(map);
  });
});

describe('the tag of a map', () => {
  const tagOf = async (as: { msgpack?: boolean } = {}) => {
    const { headers } = await api.ask(path, as);
    return headers.get('ETag') ?? '';
  };
  const ask = (tags: string, as: { msgpack?: boolean } = {}) =>
    api.ask(path, { ...as, headers: { 'If-None-Match': tags } });

  test('[W22] is strong, stays, and is the same for every world of the city', async () => {
    const tag = await tagOf();
    const other = await api.makeWorld({ city: world.city });
    const { headers } = await api.ask(`/api/v1/worlds/${other.id}/map`);
    expect(headers.get('ETag')).toBe(tag);
    expect(tag).toMatch(/^"[^"]+"$/);
    expect(await tagOf()).toBe(tag);
  });

  test('[W22] makes 304 of an answer that the client has, with no body', async () => {
    const tag = await tagOf();
    for (const tags of [tag, `"x", ${tag}`, `${tag},"x"`, `W/${tag}`, '*']) {
      const { status, bytes, headers } = await ask(tags);
      expect([status, bytes.length]).toEqual([304, 0]);
      expect(headers.get('ETag')).toBe(tag);
      expect(headers.get('Vary')?.split(', ')).toContain('Accept');
    }
  });

  test('makes nothing of other tags', async () => {
    const tag = await tagOf();
    for (const tags of ['"x"', 'W/"x"', tag.replaceAll('"', ''), '']) {
      const { status, bytes } = await ask(tags);
      expect(status).toBe(200);
      expect(bytes.length).toBeGreaterThan(1000);
    }
  });

  test('is another one for each encoding', async () => {
    const [json, msgpack] = [await tagOf(), await tagOf({ msgpack: true })];
    expect(msgpack).not.toBe(json);
    expect((await ask(msgpack, { msgpack: true })).status).toBe(304);
    expect((await ask(json, { msgpack: true })).status).toBe(200);
    expect((await ask(msgpack)).status).toBe(200);
  });

  test('does not hide that a world is gone', async () => {
    const headers = { 'If-None-Match': await tagOf() };
    const { status } = await api.ask('/api/v1/worlds/0000000000/map', { headers });
    expect(status).toBe(404);
  });
});
