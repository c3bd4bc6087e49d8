import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestNode, type TestNode } from '../testing/node.ts';
import { Api, vinOf } from './client.ts';
import type { Incident, IncidentVehicle, Snapshot, World, WorldEvent } from './wire.ts';

/** Two minutes of traffic that can neither brake nor steer, but for car 0. */
const TICKS = 6000;
const changes = Array.from({ length: 19 }, (_, i) => ({
  tick: 0,
  car: i + 1,
  features: { brakes: false, steering: false },
}));
const journal = { seed: 7, city: 'grid', changes };
const OFF = ['steering', 'brakes'];
const DEGRADED = [
  'aeb',
  'evasive_steering',
  'traffic_light_recognition',
  'intersection_assist',
  'esc',
];
const MASS_KG: Record<string, number> = {
  'Lumen City': 1180,
  'Aurora Vela': 1390,
  'Corvane S4': 1520,
  'Halden Terra': 1690,
  'Solis Meridian': 1820,
};

let node: TestNode;
let api: Api;
let world: World;
let incidents: Incident[];
beforeAll(async () => {
  node = await startTestNode();
  api = new Api(node.twinUrl);
  world = await api.makeWorld({ journal, start_tick: TICKS });
  incidents = (await api.world('incidents', world, '/incidents')).filter(
    ({ tick }) => tick <= TICKS,
  );
});
afterAll(() => node.discard());

/** The two cars of a collision of cars. */
function pairOf({ vehicles }: Incident): [IncidentVehicle, IncidentVehicle] {
  const [a, b] = vehicles;
  if (a === undefined || b === undefined) throw new Error('two cars were involved');
  return [a, b];
}

/** The same traffic at the tick of an incident, or just after it. */
async function sceneOf({ tick }: Incident): Promise<{ again: World; scene: Snapshot }> {
  const again = await api.makeWorld({ journal, start_tick: tick });
  return { again, scene: await api.world('snapshot', again, '/state') };
}

describe('collision reports', () => {
  test('are of cars and of buildings here, slight and serious, in order of tick', () => {
    expect(incidents.length).toBeGreaterThan(10);
    const kinds = new Set(incidents.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['vehicle', 'building']));
    const ticks = incidents.map(({ tick }) => tick);
    expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
    expect(new Set(incidents.map(({ id }) => id)).size).toBe(incidents.length);
    expect(new Set(incidents.map(({ earned }) => earned.severity)).size).toBeGreaterThan(1);
  });

  test('name the world, the time and the cars as the fleet has them', () => {
    for (const { world: id, tick, time, vehicles } of incidents) {
      expect([id, time]).toEqual([world.id, tick / 50]);
      for (const { vin, model, plate } of vehicles) {
        const entry = world.fleet.find((car) => car.vin === vin);
        expect([model, plate]).toEqual([entry?.model, entry?.plate]);
      }
    }
  });

  test('name the systems that were off, and what that degraded', () => {
    for (const { vin, off, degraded } of incidents.flatMap(({ vehicles }) => vehicles)) {
      const whole = vin === vinOf(world, 0);
      expect([off, degraded]).toEqual(whole ? [[], []] : [OFF, DEGRADED]);
    }
  });

  test('name the nearest road of the map and its street', async () => {
    const { roads } = await api.world('map', world, '/map');
    for (const { place } of incidents) {
      const road = roads.find(({ id }) => id === place.road);
      expect(road?.name).toBe(place.street);
    }
  });

  test('have two cars where cars met, and one where it met a building', () => {
    for (const { kind, vehicles, other } of incidents) {
      expect(vehicles).toHaveLength(kind === 'vehicle' ? 2 : 1);
      for (const stranger of other) expect(stranger).toEqual({ kind: 'building', hazard: null });
      if (kind === 'vehicle') expect(other).toEqual([]);
    }
  });

  test('call striking whoever closed the gap, and any car that hit what is no vehicle', () => {
    for (const incident of incidents) {
      const roles = incident.vehicles.map(({ role }) => role);
      if (incident.kind === 'building') expect(roles).toEqual(['striking']);
      else expect(roles.toSorted()).toEqual(['striking', 'struck']);
    }
    const standing = incidents
      .filter(({ kind }) => kind === 'vehicle')
      .map(pairOf)
      .filter((pair) => pair.filter(({ speed }) => speed === 0).length === 1);
    for (const pair of standing) {
      expect(pair.find(({ speed }) => speed === 0)?.role).toBe('struck');
    }
  });

  test('share the closing speed between two cars by the mass of the other', () => {
    for (const [a, b] of incidents.filter(({ kind }) => kind === 'vehicle').map(pairOf)) {
      const [massA = 0, massB = 0] = [MASS_KG[a.model], MASS_KG[b.model]];
      const closing = a.delta_v + b.delta_v;
      expect(Math.abs(a.delta_v - (closing * massB) / (massA + massB))).toBeLessThan(0.011);
      expect(closing).toBeLessThanOrEqual(a.speed + b.speed + 0.02);
    }
  });

  test('give a car that hit a building no more delta-v than it had speed', () => {
    for (const { vehicles } of incidents.filter(({ kind }) => kind === 'building')) {
      for (const { delta_v, speed } of vehicles) expect(delta_v).toBeLessThanOrEqual(speed);
    }
  });

  test('claim no failure before they are explained', () => {
    for (const { explained, failures } of incidents) {
      if (!explained) expect(failures).toEqual([]);
    }
  });

  test('are to be had one by one, and for each car that was involved', async () => {
    for (const incident of incidents.slice(0, 5)) {
      const one = await api.world('incident', world, `/incidents/${incident.id}`);
      expect({ ...one, explained: true, failures: [] }).toEqual({
        ...incident,
        explained: true,
        failures: [],
      });
    }
    for (const { vin } of world.fleet) {
      const of = await api.vehicle('incidents', vin, '/incidents');
      const mine = incidents.filter(({ vehicles }) => vehicles.some((car) => car.vin === vin));
      const ids = of.filter(({ tick }) => tick <= TICKS).map(({ id }) => id);
      expect(ids).toEqual(mine.map(({ id }) => id));
      const listed = (await api.vehicle('vehicle', vin)).incidents;
      expect(listed.slice(0, ids.length)).toEqual(ids);
    }
  });

  test('show the cars as crashed where and when it happened', async () => {
    for (const incident of incidents.slice(0, 6)) {
      const { again, scene } = await sceneOf(incident);
      for (const { plate } of incident.vehicles) {
        const car = again.fleet.findIndex((entry) => entry.plate === plate);
        const { x = 0, y = 0, status } = scene.vehicles[car] ?? {};
        expect(status).toBe('crashed');
        expect(Math.hypot(x - incident.place.x, y - incident.place.y)).toBeLessThan(6);
      }
    }
  });
});

// ── what a collision earned, by the formulas ──────────────────────────────────────────────────

const AREA = { front: 0, side: 0.244, rear: -0.431 };
type Area = keyof typeof AREA;

/** MAIS 3+ of an occupant with four areas, less what it says of no collision at all. */
function occupantRisk(deltaV: number, area: Area): number {
  const probability = (dv: number) => 1 / (1 + Math.exp(-(-4.457 + 0.177 * dv + AREA[area])));
  return (probability(deltaV) - probability(0)) / (1 - probability(0));
}

interface Bounds {
  least: number;
  most: number;
}

/** Delta-v as it may have been before it was rounded to the centimetre a second. */
const around = (value: number, half: number): Bounds => ({
  least: Math.max(0, value - half),
  most: value + half,
});

function expectWithin(value: number, { least, most }: Bounds): void {
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(most);
}

/** Severity by its bounds: serious from 5 %, severe from 10 %. */
const severityOf = (risk: number) => (risk < 0.05 ? 'slight' : risk < 0.1 ? 'serious' : 'severe');

/**
 * On which side a car was hit: where the place of contact lies, seen from the car. Undefined where
 * that is too close to the corner for the centimetres shown.
 */
function areaOf(incident: Incident, vehicle: IncidentVehicle, x: number, y: number) {
  const { place } = incident;
  const bearing = Math.atan2(place.y - y, place.x - x) - vehicle.heading;
  const angle = Math.abs(Math.atan2(Math.sin(bearing), Math.cos(bearing))) * (180 / Math.PI);
  if (Math.abs(angle - 45) < 6 || Math.abs(angle - 135) < 6) return undefined;
  return angle < 45 ? 'front' : angle > 135 ? 'rear' : 'side';
}

async function areasOf(incident: Incident): Promise<(Area | undefined)[]> {
  const { again, scene } = await sceneOf(incident);
  return incident.vehicles.map((vehicle) => {
    const car = again.fleet.findIndex(({ plate }) => plate === vehicle.plate);
    const { x = 0, y = 0 } = scene.vehicles[car] ?? {};
    return areaOf(incident, vehicle, x, y);
  });
}

/** Deformation energy in kJ: what a central plastic impact takes out of the motion. */
function energyKj({ kind, vehicles }: Incident, closing: number): number {
  const [a = 0, b = 0] = vehicles.map(({ model }) => MASS_KG[model] ?? 0);
  const mass = kind === 'building' ? a : (a * b) / (a + b);
  return (mass * closing * closing) / 2 / 1000;
}

describe('what a collision earned', () => {
  test('is risk, severity, points and repair by the published formulas', async () => {
    let checked = 0;
    const seen = new Set<Area>();
    const some = incidents.slice(0, 24);
    for (const incident of some) {
      const areas = await areasOf(incident);
      if (areas.includes(undefined)) continue;
      checked++;
      const { earned, vehicles } = incident;
      const risks = (side: keyof Bounds) =>
        vehicles.map(({ delta_v }, i) => {
          const area = areas[i] ?? 'front';
          seen.add(area);
          return occupantRisk(around(delta_v, 0.005)[side], area);
        });
      const closing = (side: keyof Bounds) =>
        vehicles.reduce((sum, { delta_v }) => sum + around(delta_v, 0.005)[side], 0);
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
      const bounds = (of: (side: keyof Bounds) => number): Bounds => ({
        least: of('least'),
        most: of('most'),
      });

      const risk = bounds((side) => Math.max(...risks(side)));
      expectWithin(earned.injury_risk, {
        least: risk.least - 0.000_05,
        most: risk.most + 0.000_05,
      });
      expect(earned.severity).toBe(severityOf(earned.injury_risk));
      const points = bounds((side) => Math.round(1000 * sum(risks(side))) + 10 * closing(side));
      expectWithin(earned.points, { least: points.least - 0.005, most: points.most + 0.005 });
      const cost = bounds((side) => 250 * energyKj(incident, closing(side)));
      expectWithin(earned.repair_cost, { least: cost.least - 0.005, most: cost.most + 0.005 });
    }
    expect(checked).toBeGreaterThan(some.length / 2);
    expect(seen).toContain('front');
    expect(seen.size).toBeGreaterThan(1);
  });
});

// ── events ────────────────────────────────────────────────────────────────────────────────────

const eventsOf = (world: World) => api.world('events', world, '/events');

function expectInOrder(events: WorldEvent[]): void {
  const [first] = events;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => (first?.seq ?? 0) + i));
  const ticks = events.map(({ tick }) => tick);
  expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
  for (const { tick, time } of events) expect(time).toBe(tick / 50);
}

describe('the events of a world', () => {
  test('are none where nothing has happened', async () => {
    expect(await eventsOf(await api.makeWorld({ seed: 40 }))).toEqual([]);
  });

  test('are one for each feature that changed, oldest first', async () => {
    const world = await api.makeWorld({ seed: 41 });
    const vin = vinOf(world, 3);
    await api.patch(vin, { esc: false, steering: false, aeb: true });
    await api.patch(vin, { esc: true, steering: false });
    const events = await eventsOf(world);
    expectInOrder(events);
    expect(events.map(({ seq, kind, feature }) => [seq, kind, feature])).toEqual([
      [1, 'configuration', 'steering'],
      [2, 'configuration', 'esc'],
      [3, 'configuration', 'esc'],
    ]);
    const [entry] = world.fleet.slice(3);
    for (const { vin: of, hazard, incident, message } of events) {
      expect([of, hazard, incident]).toEqual([vin, null, null]);
      expect(message).toContain(entry?.plate);
    }
    expect(events.map(({ message }) => / (on|off)\b/.exec(message)?.[1])).toEqual([
      'off',
      'off',
      'on',
    ]);
  });

  test('are as many as features where a reset switches them all', async () => {
    const world = await api.makeWorld({ seed: 42 });
    const vin = vinOf(world, 0);
    await api.patch(vin, { brakes: false, throttle: false, front_radar: false });
    await api.vehicle('featureState', vin, '/features/reset', { method: 'POST' });
    const features = (await eventsOf(world)).map(({ feature }) => feature);
    const order = ['brakes', 'throttle', 'front_radar'];
    expect(features).toEqual([...order, ...order]);
  });

  test('are the last sixty', async () => {
    const world = await api.makeWorld({ seed: 43 });
    const all = [
      ...['steering', 'brakes', 'throttle', 'front_camera', 'front_radar', 'corner_radars', 'aeb'],
      ...['animal_detection', 'evasive_steering', 'traffic_light_recognition'],
      ...['intersection_assist', 'esc'],
    ];
    const off = Object.fromEntries(all.map((name) => [name, false]));
    for (const { vin } of world.fleet.slice(0, 5)) await api.patch(vin, off);
    expect((await eventsOf(world)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
    await api.patch(vinOf(world, 5), { aeb: false, esc: false });
    const events = await eventsOf(world);
    expectInOrder(events);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, i) => i + 3));
    expect(events.slice(-2).map(({ feature }) => feature)).toEqual(['aeb', 'esc']);
  });

  test('tell of collisions with the id of the report', async () => {
    const world = await api.makeWorld({ journal, start_tick: 2500 });
    const events = (await eventsOf(world)).filter(({ tick }) => tick <= 2500);
    expectInOrder(events);
    const told = events.filter(({ kind }) => kind === 'collision');
    const incidents = (await api.world('incidents', world, '/incidents')).filter(
      ({ tick }) => tick <= 2500,
    );
    expect(incidents.length).toBeGreaterThan(3);
    expect(told.map(({ incident, tick }) => [incident, tick])).toEqual(
      incidents.map(({ id, tick }) => [id, tick]),
    );
    for (const [i, { vin }] of told.entries()) {
      expect(incidents[i]?.vehicles.map((vehicle) => vehicle.vin)).toContain(vin);
    }
  });

  test('are there as soon as the change is answered', async () => {
    const world = await api.makeWorld({ seed: 44 });
    for (const { vin } of world.fleet.slice(0, 10)) {
      await api.patch(vin, { throttle: false });
      expect((await eventsOf(world)).at(-1)).toMatchObject({ vin, feature: 'throttle' });
    }
  });
});
