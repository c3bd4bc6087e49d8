import { beforeAll, describe, expect, test } from 'vitest';
import { recomputed } from '../../rigs/recomputed-report.ts';
import { useTwin, vinOf } from './api.ts';
import { NEEDS_BRAKES_OR_STEERING, recklessJournal } from './reckless.ts';
import {
  type Events,
  FEATURES,
  type Incident,
  type IncidentVehicle,
  type Snapshot,
  type World,
} from './wire.ts';

/** Two minutes of traffic that can neither brake nor steer, but for car 0. */
const TICKS = 6000;
const journal = recklessJournal(1);
const OFF = ['steering', 'brakes'];
const MASS_KG: Record<string, number> = {
  'Lumen City': 1180,
  'Aurora Vela': 1390,
  'Corvane S4': 1520,
  'Halden Terra': 1690,
  'Solis Meridian': 1820,
};

const api = useTwin();
let world: World;
let incidents: Incident[];
beforeAll(async () => {
  world = await api.makeWorld({ journal, start_tick: TICKS });
  incidents = (await api.world('Incidents', world, '/incidents')).filter(
    ({ tick }) => tick <= TICKS,
  );
  expect(incidents.length).toBeGreaterThan(10);
});

/** The greatest impulse for a closing speed: restitution 0.3 and, across it, friction 0.5. */
const IMPULSE_MAX = 1.3 * Math.hypot(1, 0.5);

/** The incidents that are of two cars and nothing else. */
function pairs(): Incident[] {
  return incidents.filter(
    ({ kind, vehicles, other }) =>
      kind === 'vehicle' && vehicles.length === 2 && other.length === 0,
  );
}

/** The two cars of a collision of cars. */
function pairOf({ vehicles }: Incident): [IncidentVehicle, IncidentVehicle] {
  const [a, b] = vehicles;
  if (a === undefined || b === undefined) throw new Error('two cars were involved');
  return [a, b];
}

/** The same traffic at the tick of an incident, or just after it. */
async function sceneOf({ tick }: Incident): Promise<{ again: World; scene: Snapshot }> {
  const again = await api.makeWorld({ journal, start_tick: tick });
  return { again, scene: await api.world('Snapshot', again, '/state') };
}

describe('collision reports', () => {
  test('[I1] are of cars, of buildings and of what spots send out, slight and serious, in order of tick', () => {
    const kinds = new Set(incidents.map(({ kind }) => kind));
    expect(kinds.has('vehicle') && kinds.has('building')).toBe(true);
    expect(incidents.some(({ other }) => other.some(({ hazard }) => hazard !== null))).toBe(true);
    const ticks = incidents.map(({ tick }) => tick);
    expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
    expect(new Set(incidents.map(({ id }) => id)).size).toBe(incidents.length);
    expect(new Set(incidents.map(({ earned }) => earned.severity)).size).toBeGreaterThan(1);
  });

  test('[I2] name the world, the time and the cars as the fleet has them', () => {
    for (const { world: id, tick, time, vehicles } of incidents) {
      expect([id, time]).toEqual([world.id, tick / 50]);
      for (const { vin, model, plate } of vehicles) {
        const entry = world.fleet.find((car) => car.vin === vin);
        expect([model, plate]).toEqual([entry?.model, entry?.plate]);
      }
    }
  });

  test('[I3] name the systems that were off, and what that degraded', () => {
    for (const { vin, off, degraded } of incidents.flatMap(({ vehicles }) => vehicles)) {
      const whole = vin === vinOf(world, 0);
      expect([off, degraded]).toEqual(whole ? [[], []] : [OFF, NEEDS_BRAKES_OR_STEERING]);
    }
  });

  test('[I2] name the nearest road of the map and its street', async () => {
    const { roads } = await api.world('CityMap', world, '/map');
    for (const { place } of incidents) {
      const road = roads.find(({ id }) => id === place.road);
      expect(road?.name).toBe(place.street);
    }
  });

  test('[I4] have two parties or more, and beside cars buildings and what is at a spot', () => {
    const spots = new Set(world.hazards.map(({ id }) => id));
    for (const { kind, vehicles, other } of incidents) {
      expect(vehicles.length).toBeGreaterThanOrEqual(1);
      expect(vehicles.length + other.length).toBeGreaterThanOrEqual(2);
      expect(new Set(vehicles.map(({ vin }) => vin)).size).toBe(vehicles.length);
      for (const stranger of other) {
        if (stranger.hazard === null) expect(stranger.kind).toBe('building');
        else expect(spots).toContain(stranger.hazard);
      }
      if (kind !== 'vehicle') expect(other).not.toEqual([]);
    }
  });

  test('[I5] call striking whoever closed the gap, and any car that hit what is no vehicle', () => {
    for (const { kind, vehicles, other } of incidents) {
      const roles = vehicles.map(({ role }) => role);
      if (kind !== 'vehicle') expect(roles[0]).toBe('striking');
      else if (other.length === 0) {
        expect(roles.slice(0, 2).toSorted()).toEqual(['striking', 'struck']);
      }
    }
    const standing = pairs()
      .map(pairOf)
      .filter((pair) => pair.filter(({ speed }) => speed === 0).length === 1);
    for (const pair of standing) {
      expect(pair.find(({ speed }) => speed === 0)?.role).toBe('struck');
    }
  });

  test('[I6] have two cars change speed by the mass of the other', () => {
    expect(pairs().length).toBeGreaterThan(0);
    for (const [a, b] of pairs().map(pairOf)) {
      const [massA = 0, massB = 0] = [MASS_KG[a.model], MASS_KG[b.model]];
      expect(Math.abs(a.delta_v * massA - b.delta_v * massB)).toBeLessThan(0.006 * (massA + massB));
    }
  });

  test('[I6] give a car that hit a building no more delta-v than its speed with restitution and friction', () => {
    const walls = incidents.filter(({ kind, vehicles }) => kind === 'building' && !vehicles[1]);
    expect(walls.length).toBeGreaterThan(0);
    for (const { vehicles } of walls) {
      for (const { delta_v, speed } of vehicles) {
        expect(delta_v).toBeLessThanOrEqual(IMPULSE_MAX * (speed + 0.005) + 0.005);
      }
    }
  });

  test('[I11] claim no failure before they are explained', () => {
    for (const { explained, failures } of incidents) {
      expect([explained, failures]).toEqual([false, []]);
    }
  });

  test('[I9] are to be had one by one, and for each car that was involved', async () => {
    for (const incident of incidents.slice(0, 5)) {
      const one = await api.world('Incident', world, `/incidents/${incident.id}`);
      expect({ ...one, explained: true, failures: [] }).toEqual({
        ...incident,
        explained: true,
        failures: [],
      });
    }
    for (const { vin } of world.fleet) {
      const of = await api.vehicle('Incidents', vin, '/incidents');
      const mine = incidents.filter(({ vehicles }) => vehicles.some((car) => car.vin === vin));
      const ids = of.filter(({ tick }) => tick <= TICKS).map(({ id }) => id);
      expect(ids).toEqual(mine.map(({ id }) => id));
      const listed = (await api.vehicle('Vehicle', vin)).incidents;
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed.slice(0, ids.length)).toEqual(ids);
    }
  });

  test('[I10] show the cars as crashed where and when it happened', async () => {
    for (const incident of incidents.slice(0, 6)) {
      const { again, scene } = await sceneOf(incident);
      // Those that came into it later are driving yet.
      for (const { plate } of incident.vehicles.slice(0, incident.kind === 'vehicle' ? 2 : 1)) {
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

/** What a car's own turning may add to the closing speed at the contact. */
const TURNING_MPS = 1;

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

/** From the centre of gravity, which is what is shown, forward to the middle of the body, m. */
const CENTRE_M: Record<string, number> = {
  'Lumen City': -0.24,
  'Aurora Vela': -0.22,
  'Corvane S4': -0.07,
  'Halden Terra': -0.13,
  'Solis Meridian': 0.02,
};

/**
 * On which side a car was hit: where the place of contact lies, seen from the middle of the car.
 * Undefined where that is too close to the corner for a car that is shown up to a tick later.
 */
function areaOf({ place }: Incident, { heading, model }: IncidentVehicle, x: number, y: number) {
  const centre = CENTRE_M[model] ?? 0;
  const dx = place.x - x - centre * Math.cos(heading);
  const dy = place.y - y - centre * Math.sin(heading);
  const bearing = Math.atan2(dy, dx) - heading;
  const angle = Math.abs(Math.atan2(Math.sin(bearing), Math.cos(bearing))) * (180 / Math.PI);
  if (Math.abs(angle - 45) < 15 || Math.abs(angle - 135) < 15) return undefined;
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

/** What two cars, or a car alone, could lose of their motion towards each other, kJ. */
function energyKjMax({ kind, vehicles }: Incident): number {
  const [a = 0, b = 0] = vehicles.map(({ model }) => MASS_KG[model] ?? 0);
  const mass = kind === 'building' ? a : (a * b) / (a + b);
  const speed = vehicles.reduce((sum, vehicle) => sum + vehicle.speed + 0.005, 0);
  return (mass * speed * speed) / 2 / 1000;
}

describe('what a collision earned', () => {
  test('[I8] is risk, severity, points and repair by the published formulas', async () => {
    let [checked, otherSides] = [0, 0];
    const seen = new Set<Area>();
    // Of what came out at a spot the report does not tell the mass.
    const single = incidents.filter(({ kind, vehicles, other }) =>
      kind === 'vehicle'
        ? vehicles.length === 2 && other.length === 0
        : kind === 'building' && vehicles.length === 1,
    );
    const some = single.slice(0, 24);
    for (const incident of some) {
      const areas = await areasOf(incident);
      if (areas.includes(undefined)) continue;
      // A later push of the same crash may have met another side of the car, and harder.
      if (incident.vehicles.some(({ impact_area }, i) => impact_area !== areas[i])) {
        otherSides++;
        continue;
      }
      checked++;
      const { earned, vehicles } = incident;
      const risks = (side: keyof Bounds) =>
        vehicles.map(({ delta_v }, i) => {
          const area = areas[i] ?? 'front';
          seen.add(area);
          return occupantRisk(around(delta_v, 0.005)[side], area);
        });
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

      expectWithin(earned.injury_risk, {
        least: Math.max(...risks('least')) - 0.000_05,
        most: Math.max(...risks('most')) + 0.000_05,
      });
      expect(earned.severity).toBe(severityOf(earned.injury_risk));
      // Ten points for each m/s of closing speed: enough of it for the impulse, no more than there was.
      const closing = earned.points - Math.round(1000 * sum(risks('most'))) + 1;
      const change = sum(vehicles.map(({ delta_v }) => delta_v - 0.005));
      expect(closing / 10).toBeGreaterThanOrEqual(change / IMPULSE_MAX);
      const speeds = sum(vehicles.map(({ speed }) => speed + 0.005));
      const least = earned.points - Math.round(1000 * sum(risks('least'))) - 1;
      expect(least / 10).toBeLessThanOrEqual(speeds + TURNING_MPS);
      expectWithin(earned.repair_cost, { least: 0, most: 250 * energyKjMax(incident) + 0.005 });
    }
    expect(otherSides).toBeLessThan(some.length / 6);
    expect(checked).toBeGreaterThan(some.length * 0.7);
    expect(seen).toContain('front');
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('what a report shows', () => {
  test('[I40] is all that is needed to compute again what the collision earned', () => {
    for (const incident of incidents) expect(recomputed(incident)).toEqual(incident.earned);
  });

  test('[I41] is what a client can check: masses of the models, none of what is fixed', () => {
    for (const { vehicles, other, closing_speed, deformation_energy } of incidents) {
      for (const { model, mass } of vehicles) expect(mass).toBe(MASS_KG[model]);
      for (const { kind, mass, delta_v } of other) {
        if (kind === 'building') expect([mass, delta_v]).toEqual([null, 0]);
      }
      expect(closing_speed).toBeGreaterThanOrEqual(0);
      expect(deformation_energy).toBeGreaterThanOrEqual(0);
    }
  });
});

// ── events ────────────────────────────────────────────────────────────────────────────────────

const eventsOf = (world: World) => api.world('Events', world, '/events');

function expectInOrder(events: Events): void {
  const [first] = events;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => (first?.seq ?? 0) + i));
  const ticks = events.map(({ tick }) => tick);
  expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
  for (const { tick, time, vin, feature } of events) {
    expect(time).toBe(tick / 50);
    expect([null, ...FEATURES]).toContain(feature);
    if (vin !== null) expect(vin).toMatch(/^[0-9A-HJ-NPR-Z]{17}$/);
  }
}

describe('the events of a world', () => {
  test('are none where nothing has happened', async () => {
    expect(await eventsOf(await api.makeWorld({ seed: 40 }))).toEqual([]);
  });

  test('[I28] are one for each feature that changed, oldest first', async () => {
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
    await api.vehicle('FeatureState', vin, '/features/reset', { method: 'POST' });
    const features = (await eventsOf(world)).map(({ feature }) => feature);
    const order = ['brakes', 'throttle', 'front_radar'];
    expect(features).toEqual([...order, ...order]);
  });

  test('[I28] are the last sixty', async () => {
    const world = await api.makeWorld({ seed: 43 });
    const off = Object.fromEntries(FEATURES.map((name) => [name, false]));
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

  test('[I29] tell of collisions with the id of the report', async () => {
    const world = await api.makeWorld({ journal, start_tick: 2500 });
    const events = (await eventsOf(world)).filter(({ tick }) => tick <= 2500);
    expectInOrder(events);
    const told = events.filter(({ kind }) => kind === 'collision');
    const incidents = (await api.world('Incidents', world, '/incidents')).filter(
      ({ tick }) => tick <= 2500,
    );
    expect(incidents.length).toBeGreaterThan(3);
    const firsts = told.filter(
      ({ incident }, i) => told.findIndex((other) => other.incident === incident) === i,
    );
    // Sixty events do not reach back to the first collisions.
    const oldest = events[0]?.tick ?? 0;
    const shown = incidents.filter(({ tick }) => tick > oldest);
    expect(shown.length).toBeGreaterThan(3);
    const ids = new Set(shown.map(({ id }) => id));
    expect(
      firsts.flatMap(({ incident, tick }) => (ids.has(incident ?? '') ? [[incident, tick]] : [])),
    ).toEqual(shown.map(({ id, tick }) => [id, tick]));
    for (const { vin, incident } of told) {
      const report = incidents.find(({ id }) => id === incident);
      expect(report?.vehicles.map((vehicle) => vehicle.vin)).toContain(vin);
    }
  });

  test('[I29] are there as soon as the change is answered', async () => {
    const world = await api.makeWorld({ seed: 44 });
    for (const { vin } of world.fleet.slice(0, 10)) {
      await api.patch(vin, { throttle: false });
      expect(await eventsOf(world)).toContainEqual(
        expect.objectContaining({ vin, feature: 'throttle' }),
      );
    }
  });
});
