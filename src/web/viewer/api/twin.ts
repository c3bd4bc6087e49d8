/** The calls to the twin. All throw as `request` does. */
import { request } from '../../common/request.ts';
import type { CityMap } from '../api/types.ts';
import type {
  City,
  Feature,
  FeatureState,
  Incident,
  Journal,
  Perception,
  Replay,
  Route,
  Snapshot,
  VehicleOutlook,
  World,
  WorldEvent,
  WorldOptions,
  WorldOutlook,
} from './types.ts';

const API = '/api/v1';

interface Ask {
  method?: 'POST' | 'PATCH';
  /** The car of the request. */
  vin?: string;
  body?: unknown;
}

function ask<Body>(path: string, { vin, ...options }: Ask = {}): Promise<Body> {
  const headers: Record<string, string> = vin === undefined ? {} : { 'X-VIN': vin };
  return request<Body>(path, { ...options, headers });
}

const worldPath = (world: string, rest = '') => `${API}/worlds/${encodeURIComponent(world)}${rest}`;

export const readWorld = (world: string) => ask<World>(worldPath(world));
export const readMap = (world: string) => ask<CityMap>(worldPath(world, '/map'));
export const readState = (world: string) => ask<Snapshot>(worldPath(world, '/state'));
export const readEvents = (world: string) => ask<WorldEvent[]>(worldPath(world, '/events'));
export const readIncidents = (world: string) => ask<Incident[]>(worldPath(world, '/incidents'));
/** Of collisions up to a tick. If that is not after the start of the world, this does not step it. */
export const readIncidentsUntil = (world: string, tick: number) =>
  ask<Incident[]>(worldPath(world, `/incidents?until=${tick}`));

export const readPerception = (vin: string) =>
  ask<Perception>(`${API}/vehicle/perception`, { vin });

export const readOutlook = (world: string) => ask<WorldOutlook>(worldPath(world, '/outlook'));
export const readCarOutlook = (vin: string) =>
  ask<VehicleOutlook>(`${API}/vehicle/outlook`, { vin });

export const readIncident = (world: string, id: string) =>
  ask<Incident>(worldPath(world, `/incidents/${encodeURIComponent(id)}`));

/** @param features switched on for the counterfactual; empty: the replay of what happened */
export function readReplay(world: string, id: string, features: readonly string[]) {
  const query = features.length === 0 ? '' : `?with=${features.join(',')}`;
  return ask<Replay>(worldPath(world, `/incidents/${encodeURIComponent(id)}/replay${query}`));
}

export const readCatalogue = async () =>
  (await ask<{ features: Feature[] }>(`${API}/features`)).features;

export const readCities = async () => (await ask<{ cities: City[] }>(`${API}/cities`)).cities;

export const makeWorld = (city: string) =>
  ask<World>(`${API}/worlds`, { method: 'POST', body: { city } });

/** A world that equals another one up to a tick and then has its own changes. */
export const forkWorld = (fork: NonNullable<WorldOptions['fork']>) =>
  ask<World>(`${API}/worlds`, { method: 'POST', body: { fork } });

export const readJournal = (world: string) => ask<Journal>(worldPath(world, '/journal'));

export const readFeatures = (vin: string) => ask<FeatureState>(`${API}/vehicle/features`, { vin });
export const readRoute = (vin: string) => ask<Route>(`${API}/vehicle/route`, { vin });

export const changeFeatures = (vin: string, body: Record<string, boolean>) =>
  ask<FeatureState>(`${API}/vehicle/features`, { method: 'PATCH', vin, body });

export const resetFeatures = (vin: string) =>
  ask<FeatureState>(`${API}/vehicle/features/reset`, { method: 'POST', vin });
