/** How cars of a fleet drive at the moment, as the twin has it. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CityMap, Events, Snapshot } from '../../../build/api/twin.d.ts';
import { request } from '../common/request.ts';
import { whileVisible } from '../common/visible.ts';
import { TWIN_URL } from './settings.ts';
import type { Car } from './types.ts';

const REFRESH_MS = 4000;
/** A request that takes longer is aborted. */
const TIMEOUT_MS = 10_000;
/** Cities that are asked for at a time: each costs three requests, and asking keeps it alive. */
const WORLDS_MAX = 5;
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
  const streets = useMemo(() => new Streets(), []);
  useEffect(() => {
    if (worlds.length === 0) return;
    return whileVisible(REFRESH_MS, async () => {
      const read = await Promise.all(worlds.map((world) => livingIn(world, streets)));
      setLiving(new Map(read.flat()));
    });
  }, [worlds.join()]);
  return living;
}

const ask = <T>(path: string): Promise<T> =>
  request<T>(`${TWIN_URL}/api/v1${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });

/** Empty where the city does not answer: it may have ended. */
async function livingIn(world: string, streets: Streets): Promise<[vin: string, Living][]> {
  try {
    const [state, events, nameOf] = await Promise.all([
      ask<Snapshot>(`/worlds/${world}/state`),
      ask<Events>(`/worlds/${world}/events`),
      streets.of(world),
    ]);
    return state.vehicles.map((vehicle) => {
      const { vin, speed, road, status } = vehicle;
      const last = events.findLast((each) => each.vin === vin && each.incident !== null);
      const crash = last?.incident
        ? { incident: last.incident, agoS: Math.max(0, (state.tick - last.tick) / TICKS_PER_S) }
        : null;
      return [vin, { kmh: speed * KMH_PER_MPS, street: nameOf(road), status, crash }];
    });
  } catch {
    return [];
  }
}

/** The names of streets, which never change. */
class Streets {
  readonly #known = new Map<string, ReadonlyMap<string, string>>();

  async of(world: string): Promise<(road: string | null) => string | null> {
    const known = this.#known.get(world);
    if (known !== undefined) return (road) => known.get(road ?? '') ?? null;
    const { roads } = await ask<CityMap>(`/worlds/${world}/map`);
    this.#known.set(world, new Map(roads.map(({ id, name }) => [id, name])));
    return this.of(world);
  }
}
