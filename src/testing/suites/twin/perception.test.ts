import { expect, test } from 'vitest';
import { until } from '../../rigs/until.ts';
import { useTwin, vinOf } from './api.ts';
import { Stream } from './stream-client.ts';
import type { Schemas, Snapshot, World } from './wire.ts';

type Detection = Schemas['Perception']['detections'][number];

const api = useTwin();

/** To the nearest point of a car, m. */
const RANGES_M = { front_camera: 120, front_radar: 100, corner_radars: 80 };
const ALL_SENSORS = Object.keys(RANGES_M);
/** Half a car and half a tram, m. */
const BODIES_M = 18;
/** Faster than anything moves. */
const MPS_MAX = 40;
/** Longer than a sensor remembers what it no longer sees, s. */
const REMEMBERED_S = 1;

const makeWorld = () => api.makeWorld({ seed: 31, city: 'mixed-town', start_tick: 3000 });
const perceivedBy = (vin: string) => api.vehicle('Perception', vin, '/perception');
const stateOf = (world: World) => api.world('Snapshot', world, '/state');

/** What each car of a world perceives, between two states of that world. */
async function* perceptions(world: World) {
  for (const { vin } of world.fleet) {
    const before = await stateOf(world);
    const perceived = await perceivedBy(vin);
    yield { vin, before, perceived, after: await stateOf(world) };
  }
}

function distanceM(a: { x: number; y: number } | undefined, b: { x: number; y: number }): number {
  return a === undefined ? Number.POSITIVE_INFINITY : Math.hypot(a.x - b.x, a.y - b.y);
}

/** How far ahead of a car something is that it knows. */
function aheadM(own: Snapshot['vehicles'][number] | undefined, known: Detection | undefined) {
  if (own === undefined || known === undefined) return Number.NaN;
  const { x, y, heading } = own;
  return (known.x - x) * Math.cos(heading) + (known.y - y) * Math.sin(heading);
}

/** Where a state has what was detected. */
function placeOf({ vehicles, hazards }: Snapshot, { vin, hazard }: Detection) {
  return vin === null
    ? hazards.find(({ id }) => id === hazard)
    : vehicles.find((each) => each.vin === vin);
}

test('[W40] what a car perceives is there, and within the range of the sensors that know it', async () => {
  const world = await makeWorld();
  const spots = new Map(world.hazards.map(({ id, kind }) => [id, kind]));
  const sensors = new Set<string>();
  await until('something that each sensor knows', async () => {
    for await (const { vin, before, perceived, after } of perceptions(world)) {
      expect(perceived.vin).toBe(vin);
      const movedM = (after.time - before.time) * MPS_MAX;
      const own = before.vehicles.find((each) => each.vin === vin);
      for (const each of perceived.detections) {
        expect(each.vin).not.toBe(vin);
        expect(each.kind).toBe(each.vin === null ? spots.get(each.hazard ?? '') : 'vehicle');
        const awayM = [before, after].map((state) => distanceM(placeOf(state, each), each));
        expect(Math.min(...awayM)).toBeLessThanOrEqual(movedM);
        for (const name of each.sensors) {
          expect(distanceM(own, each)).toBeLessThan(RANGES_M[name] + BODIES_M + movedM);
          sensors.add(name);
        }
      }
    }
    return sensors.size === ALL_SENSORS.length;
  });
});

test('[W40] what a car follows, evades or brakes for is something that it knows', async () => {
  const world = await makeWorld();
  await until('a car that follows another one', async () => {
    let followed = 0;
    for await (const { vin, before, perceived } of perceptions(world)) {
      const { intent, detections } = perceived;
      if (intent.vin === null && intent.hazard === null) continue;
      expect(['following', 'evading', 'emergency_braking']).toContain(intent.action);
      const known = detections.find((d) => d.vin === intent.vin && d.hazard === intent.hazard);
      const own = before.vehicles.find((each) => each.vin === vin);
      expect(aheadM(own, known)).toBeGreaterThan(0);
      if (intent.action === 'following') followed += 1;
    }
    return followed > 0;
  });
});

test('[W40] a sensor that is off knows nothing, and the others go on', async () => {
  const world = await makeWorld();
  for (const { vin } of world.fleet) await api.patch(vin, { front_radar: false });
  const { time: offS } = await stateOf(world);
  const others = new Set<string>();
  await until('something that each other sensor knows', async () => {
    for await (const { before, perceived } of perceptions(world)) {
      if (before.time < offS + REMEMBERED_S) continue;
      const names = perceived.detections.flatMap((each) => each.sensors);
      expect(names).not.toContain('front_radar');
      for (const name of names) others.add(name);
    }
    return others.size === ALL_SENSORS.length - 1;
  });
});

test('[W40] a car whose sensors are all off perceives nothing, whatever the others see', async () => {
  const world = await makeWorld();
  const blind = vinOf(world, 0);
  await api.patch(blind, { front_camera: false, front_radar: false, corner_radars: false });
  const { time: offS } = await stateOf(world);
  await until('that it was asked after all is forgotten, and others see something', async () => {
    let seen = 0;
    let isAsked = false;
    for await (const { vin, before, perceived } of perceptions(world)) {
      if (vin !== blind) seen += perceived.detections.length;
      else if (before.time >= offS + REMEMBERED_S) {
        expect(perceived.detections).toEqual([]);
        isAsked = true;
      }
    }
    return isAsked && seen > 0;
  });
});

test('[T7] what a car perceives is as new as any other answer, also while its world is watched', async () => {
  const world = await makeWorld();
  for (const isWatched of [false, true]) {
    const stream = isWatched ? await Stream.open(world.stream_url) : undefined;
    const { tick: startTick } = await stateOf(world);
    await until('some time has passed', async () => {
      for await (const { before, perceived, after } of perceptions(world)) {
        expect(perceived.tick).toBeGreaterThanOrEqual(before.tick);
        expect(after.tick).toBeGreaterThanOrEqual(perceived.tick);
      }
      return (await stateOf(world)).tick >= startTick + 50;
    });
    await stream?.close();
  }
});
