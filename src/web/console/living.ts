/** How cars of a fleet drive at the moment, as the twin has it. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CityMap, Events, Incident, Snapshot } from '../../../build/api/twin.d.ts';
import { request } from '../common/request.ts';
import { whileVisible } from '../common/visible.ts';
import { TWIN_URL } from './settings.ts';
import type { Car } from './types.ts';

const REFRESH_MS = 4000;
/** A request that takes longer is aborted. */
const TIMEOUT_MS = 10_000;
/** Cities that are asked for at a time: each costs three requests, and asking keeps it alive. */
const WORLDS_MAX = 5;
/** Collisions of a city that are looked at. */
const CRASHES_MAX = 8;
const KMH_PER_MPS = 3.6;
const TICKS_PER_S = 50;

export interface Living {
  kmh: number;
  /** Null at a junction. */
  street: string | null;
  status: Snapshot['vehicles'][number]['status'];
  /** The last collision among the latest events of its city. */
  crash: { incident: string; agoS: number } | null;
}

/** By VIN: how those cars drive that are in a city. Read again every few seconds. */
export function useLiving(cars: readonly Car[]): ReadonlyMap<string, Living> {
  const worlds = [...new Set(cars.flatMap(({ world }) => world ?? []))].slice(0, WORLDS_MAX);
  const [living, setLiving] = useState<ReadonlyMap<string, Living>>(new Map());
  const known = useMemo(() => new KnownOfCities(), []);
  useEffect(() => {
    if (worlds.length === 0) return;
    return whileVisible(REFRESH_MS, async () => {
      const read = await Promise.all(worlds.map((world) => livingIn(world, known)));
      setLiving(new Map(read.flat()));
    });
  }, [worlds.join()]);
  return living;
}

const ask = <T>(path: string): Promise<T> =>
  request<T>(`${TWIN_URL}/api/v1${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });

/** Empty where the city does not answer: it may have ended. */
async function livingIn(world: string, known: KnownOfCities): Promise<[vin: string, Living][]> {
  try {
    const [state, events, nameOf] = await Promise.all([
      ask<Snapshot>(`/worlds/${world}/state`),
      ask<Events>(`/worlds/${world}/events`),
      known.streetsOf(world),
    ]);
    const crashes = await Promise.all(latestCrashes(events).map((id) => known.incident(world, id)));
    return state.vehicles.map((vehicle) => {
      const { vin, speed, road, status } = vehicle;
      // An event names only the car that struck.
      const last = crashes.find(({ vehicles }) => vehicles.some((each) => each.vin === vin));
      const crash = last
        ? { incident: last.id, agoS: Math.max(0, (state.tick - last.tick) / TICKS_PER_S) }
        : null;
      return [vin, { kmh: speed * KMH_PER_MPS, street: nameOf(road), status, crash }];
    });
  } catch {
    return [];
  }
}

/** The last collisions, newest first. */
function latestCrashes(events: Events): string[] {
  const ids = events.flatMap(({ incident }) => incident ?? []);
  return [...new Set(ids.toReversed())].slice(0, CRASHES_MAX);
}

/** What never changes: the names of streets, and who took part in a collision. */
class KnownOfCities {
  readonly #streets = new Map<string, ReadonlyMap<string, string>>();
  readonly #incidents = new Map<string, Incident>();

  async streetsOf(world: string): Promise<(road: string | null) => string | null> {
    let streets = this.#streets.get(world);
    if (streets === undefined) {
      const { roads } = await ask<CityMap>(`/worlds/${world}/map`);
      streets = new Map(roads.map(({ id, name }) => [id, name]));
      this.#streets.set(world, streets);
    }
    return (road) => streets.get(road ?? '') ?? null;
  }

  async incident(world: string, id: string): Promise<Incident> {
    const key = `${world} ${id}`;
    const known = this.#incidents.get(key);
    if (known !== undefined) return known;
    const incident = await ask<Incident>(`/worlds/${world}/incidents/${encodeURIComponent(id)}`);
    // A chain may still grow by another car for a moment.
    if (incident.explained) this.#incidents.set(key, incident);
    return incident;
  }
}
