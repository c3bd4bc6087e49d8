import { beforeAll, describe, expect, test } from 'vitest';
import { useNodes } from '../../rigs/nodes.ts';
import { Api, useTwin, vinOf } from './api.ts';
import { bare, pairsOfNew } from './lockstep.ts';
import type { World } from './wire.ts';

/** Clocks of nodes that have just started differ by at most this, however slow the machine is. */
const CLOCKS_MS = 500;

const api = useTwin();
const nodes = useNodes();

/** Check digit of a North American VIN, by the published table and weights. */
function checkDigit(vin: string): string {
  const value: Record<string, number> = {
    ...{ A: 1, B: 2, C: 3, D: 4, E: 5, F: 6, G: 7, H: 8 },
    ...{ J: 1, K: 2, L: 3, M: 4, N: 5, P: 7, R: 9 },
    ...{ S: 2, T: 3, U: 4, V: 5, W: 6, X: 7, Y: 8, Z: 9 },
  };
  const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
  const sum = weights.reduce((total, weight, i) => {
    const character = vin.charAt(i);
    return total + weight * (value[character] ?? Number(character));
  }, 0);
  return sum % 11 === 10 ? 'X' : String(sum % 11);
}

function differences(a: string, b: string): number {
  return [...a].filter((character, i) => character !== b.charAt(i)).length;
}

describe('a new world', () => {
  let world: World;
  beforeAll(async () => {
    world = await api.makeWorld();
  });

  test('[W1] is made without a body and answered with 201 and its address', async () => {
    const answer = await api.ask('/api/v1/worlds', { method: 'POST' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('Content-Type')).toBe('application/json');
    const { id } = answer.body as World;
    const location = new URL(answer.headers.get('Location') ?? '', `${api.url}/api/v1/worlds`);
    expect(location.href).toBe(`${api.url}/api/v1/worlds/${id}`);
  });

  test('[W1] is made from an empty object too', async () => {
    const made = await api.makeWorld({});
    expect(made.watchers).toBe(0);
    expect(Object.hasOwn(made, 'exact')).toBe(false);
  });

  test('[W2] is given back the same by its id', async () => {
    const again = await api.world('World', world);
    expect(again.tick).toBeGreaterThanOrEqual(world.tick);
    expect({ ...again, tick: 0 }).toEqual({ ...world, tick: 0 });
  });

  test('[W3] has the addresses of its viewer and of its stream on the public address', () => {
    expect(world.viewer_url).toBe(`${api.url}/worlds/${world.id}`);
    expect(world.stream_url).toBe(`${api.url}/ws/worlds/${world.id}`.replace('http', 'ws'));
  });

  test('[W4] was at tick 0 at the moment that created_at names', async () => {
    const beginMs = api.node.time.wallMs();
    const [young, old] = [await api.makeWorld(), await api.makeWorld({ start_tick: 90_000 })];
    const spentMs = api.node.time.wallMs() - beginMs;
    const bornMs = ({ created_at }: World) => Date.parse(created_at);
    expect(new Date(bornMs(young)).toISOString()).toBe(young.created_at);
    const apartMs = bornMs(young) - bornMs(old);
    // Half an hour, but for the moment between the two requests, and what clocks of nodes differ by.
    expect(apartMs).toBeLessThanOrEqual(1_800_000 + CLOCKS_MS);
    expect(apartMs).toBeGreaterThanOrEqual(1_800_000 - spentMs - CLOCKS_MS);
    const later = await api.world('World', old);
    expect(later.created_at).toBe(old.created_at);
    expect(later.tick).toBeGreaterThanOrEqual(90_000);
  });

  test('[W5] shares neither id nor a VIN with another', async () => {
    const other = await api.makeWorld({ seed: world.seed });
    expect(other.id).not.toBe(world.id);
    const vins = new Set([...world.fleet, ...other.fleet].map(({ vin }) => vin));
    expect(vins.size).toBe(40);
  });

  test('[W6] has twenty cars with plates of their own', () => {
    expect(new Set(world.fleet.map(({ plate }) => plate)).size).toBe(20);
  });

  test('[W7] has VINs with the check digit at position nine', () => {
    for (const { vin } of world.fleet) expect(vin.charAt(8)).toBe(checkDigit(vin));
  });

  test('[W7] has VINs of one maker, model year and plant', async () => {
    const other = await api.makeWorld();
    const fixed = (vin: string) => vin.slice(0, 3) + vin.slice(9, 11);
    const all = [...world.fleet, ...other.fleet].map(({ vin }) => fixed(vin));
    expect(new Set(all).size).toBe(1);
  });

  test('[W8] has no two VINs that one wrong character makes of each other', () => {
    const vins = world.fleet.map(({ vin }) => vin);
    const pairsOfVins = vins.flatMap((a, i) => vins.slice(i + 1).map((b) => differences(a, b)));
    expect(pairsOfVins).toHaveLength(190);
    expect(Math.min(...pairsOfVins)).toBeGreaterThan(1);
  });

  test('[W8] knows no car by a VIN with any one character changed', async () => {
    const vin = vinOf(world, 4);
    for (let at = 0; at < 17; at++) {
      const wrong = vin.slice(0, at) + (vin.charAt(at) === '7' ? '5' : '7') + vin.slice(at + 1);
      const refusal = await api.refusal('/api/v1/vehicle/features', { vin: wrong });
      expect(refusal).toEqual([401, 'unknown_vin']);
    }
  });

  test('[W23] lists the same hazard spots as its map', async () => {
    const map = await api.world('CityMap', world, '/map');
    expect(world.hazards.length).toBeGreaterThan(0);
    expect(map.hazards).toEqual(world.hazards);
    expect(map.city).toBe(world.city);
  });

  test('[W11] has its cars on their routes and rolling at road speed when it begins', async () => {
    const fresh = await api.makeWorld({ seed: 11 });
    const { vehicles } = await api.world('Snapshot', fresh, '/state');
    const map = await api.world('CityMap', fresh, '/map');
    const limit = Math.max(...map.roads.map(({ speed_limit }) => speed_limit));
    for (const { vin, speed, status } of vehicles) {
      expect(status).toBe('driving');
      expect(speed).toBeGreaterThan(1);
      expect(speed).toBeLessThanOrEqual(limit * 1.1);
      const { lane } = await api.vehicle('Telemetry', vin, '/telemetry');
      expect((await api.vehicle('Route', vin, '/route')).lanes).toContain(lane);
    }
  });
});

describe.concurrent('time in a world', () => {
  test('[T8] in seconds is the tick over fifty', async () => {
    const world = await api.makeWorld({ start_tick: 1234 });
    const snapshot = await api.world('Snapshot', world, '/state');
    expect(snapshot.tick).toBeGreaterThanOrEqual(1234);
    expect(snapshot.time).toBe(snapshot.tick / 50);
  });
});

describe.concurrent('equal options', () => {
  test('[T2] give worlds that are equal but for id, VINs and addresses', async () => {
    const options = { seed: 4_000_000_000, city: 'grid', start_tick: 700 };
    const [a, b] = [await api.makeWorld(options), await api.makeWorld(options)];
    const own = { id: '', viewer_url: '', stream_url: '', created_at: '', tick: 0, fleet: [] };
    expect({ ...a, ...own }).toEqual({ ...b, ...own });
    const looks = ({ fleet }: World) => fleet.map(({ vin: _, ...rest }) => rest);
    expect(looks(a)).toEqual(looks(b));
    const routes = ({ fleet }: World) =>
      Promise.all(fleet.map(({ vin }) => api.vehicle('Route', vin, '/route')));
    const bareRoutes = async (world: World) =>
      (await routes(world)).map(({ vin: _, ...route }) => route);
    expect(await bareRoutes(a)).toEqual(await bareRoutes(b));
  });

  test('[T2] give worlds that are equal tick by tick, to the last digit shown', async () => {
    const options = { seed: 77, start_tick: 700 };
    const seen = await pairsOfNew(api, options, options, 12);
    for (const [a, b] of seen) expect(bare(a)).toEqual(bare(b));
  });

  test('[W14] but for start_tick give the same world at another time', async () => {
    const options = { seed: 78, start_tick: 800 };
    const seen = await pairsOfNew(api, { ...options, start_tick: 830 }, options, 6);
    for (const [a, b] of seen) expect(bare(a)).toEqual(bare(b));
  });

  test('[T2] but for the seed give another world', async () => {
    const options = { seed: 79, start_tick: 300 };
    const seen = await pairsOfNew(api, options, { ...options, seed: 80 }, 1);
    for (const [a, b] of seen) expect(bare(a).vehicles).not.toEqual(bare(b).vehicles);
  });

  test('[W13] without a seed are not equal: each world gets one of its own', async () => {
    const seeds = [await api.makeWorld(), await api.makeWorld(), await api.makeWorld()];
    expect(new Set(seeds.map(({ seed }) => seed)).size).toBe(3);
  });
});

describe('the public address', () => {
  test('[W3] is what viewer and stream addresses are built from where it is set', async () => {
    const { twinUrl } = await nodes.inProcess({ PUBLIC_TWIN_URL: 'https://twin.example.org' });
    const world = await new Api(twinUrl).makeWorld();
    expect(world.viewer_url).toBe(`https://twin.example.org/worlds/${world.id}`);
    expect(world.stream_url).toBe(`wss://twin.example.org/ws/worlds/${world.id}`);
  });
});
