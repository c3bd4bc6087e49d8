import { beforeAll, describe, expect, test } from 'vitest';
import { useTwin, vinOf } from './api.ts';
import { Stream } from './stream-client.ts';
import type { CityMap, Point, Snapshot, World } from './wire.ts';

const api = useTwin();
let world: World;
let map: CityMap;
beforeAll(async () => {
  world = await api.makeWorld({ seed: 12, start_tick: 1500 });
  map = await api.world('CityMap', world, '/map');
});

const stateOf = (of: World) => api.world('Snapshot', of, '/state');
const places = () => [...map.roads, ...map.junctions].map(({ id }) => id);

/** Metres from a point to the nearest of a line's stretches. */
function awayM([x, y]: Point, line: readonly Point[]): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const [i, [bx, by]] of line.entries()) {
    const [ax, ay] = line[i - 1] ?? [bx, by];
    const [dx, dy] = [bx - ax, by - ay];
    const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
    const share = Math.min(1, Math.max(0, along));
    nearest = Math.min(nearest, Math.hypot(x - ax - share * dx, y - ay - share * dy));
  }
  return nearest;
}

function lengthM(line: readonly Point[]): number {
  return line.slice(1).reduce((sum, [x, y], i) => {
    const [ax, ay] = line[i] ?? [x, y];
    return sum + Math.hypot(x - ax, y - ay);
  }, 0);
}

describe('the state of a world', () => {
  test('[W29] has every car, light and hazard, in the order of fleet and map', async () => {
    const { world: id, vehicles, lights, hazards } = await stateOf(world);
    expect(id).toBe(world.id);
    expect(vehicles.map(({ vin }) => vin)).toEqual(world.fleet.map(({ vin }) => vin));
    const heads = map.junctions.flatMap((junction) => junction.lights.map(({ id }) => id));
    expect(lights.map(({ id }) => id)).toEqual(heads);
    const spots = world.hazards.map(({ id, kind }) => ({ id, kind }));
    expect(hazards.map(({ id, kind }) => ({ id, kind }))).toEqual(spots);
  });

  test('[W29] has metres to the centimetre, on roads and junctions of the map', async () => {
    const { vehicles } = await stateOf(world);
    for (const { x, y, speed, gap, road } of vehicles) {
      for (const value of [x, y, speed, gap ?? 0]) expect(Number(value.toFixed(2))).toBe(value);
      expect(places()).toContain(road);
    }
  });

  test('[T6] goes on with the clock, watched or not', async () => {
    const first = await stateOf(world);
    let second = await stateOf(world);
    while (second.tick < first.tick + 10) second = await stateOf(world);
    expect(second.vehicles).not.toEqual(first.vehicles);
  });

  test('[S5] is a frame of the stream while the world is watched, in either encoding', async () => {
    const stream = await Stream.open(world.stream_url);
    await stream.hello();
    const frames = new Map<number, Snapshot>();
    const collect = async (count: number) => {
      for (const frame of await stream.frames(count)) frames.set(frame.tick, frame);
    };
    await collect(3);
    for (const msgpack of [false, true]) {
      const ask = { msgpack };
      const states: Snapshot[] = [];
      // What is asked for in between frames is answered with the newest of them.
      for (let i = 0; i < 6; i++) {
        states.push(await api.world('Snapshot', world, '/state', ask));
        await collect(1);
      }
      await collect(3);
      const shown = states.filter(({ tick }) => tick % 4 === 0 && frames.has(tick));
      expect(shown.length).toBeGreaterThan(0);
      for (const state of shown) expect(state).toEqual(frames.get(state.tick));
    }
    await stream.close();
  });

  test('[W30] has lights of which crossing ones are never green together', async () => {
    const junctions = map.junctions.filter(({ lights }) => lights.length > 0);
    const seen = new Set<string>();
    for (let start_tick = 0; start_tick < 6000; start_tick += 300) {
      const { lights } = await stateOf(await api.makeWorld({ seed: 12, start_tick }));
      const states = new Map(lights.map(({ id, state }) => [id, state]));
      for (const state of states.values()) seen.add(state);
      for (const junction of junctions) {
        const [first, ...others] = junction.lights.filter(({ id }) => states.get(id) === 'green');
        // Along one axis, in either direction: the sine of the angle between is 0.
        for (const { heading } of others) {
          expect(Math.abs(Math.sin(heading - (first?.heading ?? 0)))).toBeLessThan(0.5);
        }
      }
    }
    expect(seen).toContain('green');
    expect(seen).toContain('red');
  });
});

describe('the telemetry of a car', () => {
  test('[W31] says of the car what the state says at the same tick', async () => {
    for (const car of [0, 7, 19]) {
      const vin = vinOf(world, car);
      for (let attempt = 0, met = false; !met; attempt++) {
        expect(attempt).toBeLessThan(500);
        const [state, telemetry] = await Promise.all([
          stateOf(world),
          api.vehicle('Telemetry', vin, '/telemetry'),
        ]);
        met = state.tick === telemetry.tick;
        if (!met) continue;
        const { position, acceleration: _, steering: __, lane: ___, ...rest } = telemetry;
        const { braking: ____, ...shown } = state.vehicles[car] ?? { braking: false };
        const { world: id, tick, time } = state;
        expect({ ...rest, ...position }).toEqual({ ...shown, world: id, tick, time });
      }
    }
  });

  test('[W31] has the car within its lane, and the lane on the road', async () => {
    const lanes = new Map(map.lanes.map((lane) => [lane.id, lane]));
    for (const { vin } of world.fleet) {
      const { lane: id, road, position } = await api.vehicle('Telemetry', vin, '/telemetry');
      const lane = lanes.get(id);
      expect(lane?.road ?? lane?.junction).toBe(road);
      expect(awayM([position.x, position.y], lane?.polyline ?? [])).toBeLessThan(2);
    }
  });

  test('is part of everything about the car, beside its identity', async () => {
    const [entry] = world.fleet;
    const vin = vinOf(world, 0);
    const vehicle = await api.vehicle('Vehicle', vin);
    const { model, plate, colour, telemetry } = vehicle;
    expect({ vin: vehicle.vin, model, plate, colour }).toEqual(entry);
    expect([vehicle.world, telemetry.world, telemetry.vin]).toEqual([world.id, world.id, vin]);
    expect(telemetry.time).toBe(telemetry.tick / 50);
  });

  test('[C6] shows a car without throttle and brakes coasting from then on', async () => {
    const other = await api.makeWorld({ seed: 13, start_tick: 100 });
    const { vehicles } = await stateOf(other);
    const fastest = vehicles.reduce((a, b) => (a.speed > b.speed ? a : b));
    await api.patch(fastest.vin, { throttle: false, brakes: false });
    const change = (await api.world('Journal', other, '/journal')).changes[0];
    const read = () => api.vehicle('Telemetry', fastest.vin, '/telemetry');
    let now = await read();
    while (now.tick < (change?.tick ?? 0) + 25) now = await read();
    expect(now.acceleration).toBeLessThan(0);
    expect(now.acceleration).toBeGreaterThan(-1.5);
  });
});

describe('the route of a car', () => {
  test('[W32] is a closed loop of lanes, each leading to the following one', async () => {
    const lanes = new Map(map.lanes.map((lane) => [lane.id, lane]));
    for (const { vin } of world.fleet) {
      const route = await api.vehicle('Route', vin, '/route');
      expect(route.vin).toBe(vin);
      for (const [i, id] of route.lanes.entries()) {
        const following = route.lanes[(i + 1) % route.lanes.length] ?? '';
        expect(lanes.get(id)?.next).toContain(following);
      }
    }
  });

  test('[W32] has the length of its lanes and passes the streets in their order', async () => {
    const lanes = new Map(map.lanes.map((lane) => [lane.id, lane]));
    const names = new Map(map.roads.map(({ id, name }) => [id, name]));
    for (const { vin } of world.fleet) {
      const route = await api.vehicle('Route', vin, '/route');
      const driven = route.lanes.map((id) => lanes.get(id));
      const summedM = driven.reduce((sum, lane) => sum + lengthM(lane?.polyline ?? []), 0);
      // Points on the wire are rounded to the centimetre.
      expect(Math.abs(route.length - summedM)).toBeLessThan(1);
      const passed = driven.flatMap((lane) => names.get(lane?.road ?? '') ?? []);
      expect(new Set(route.streets)).toEqual(new Set(passed));
      for (const [i, street] of route.streets.entries()) {
        expect(street).not.toBe(route.streets.at(i - 1));
      }
    }
  });
});
