/** How cars drive at the moment, as the twin has it. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { CityMap, Events, Incident, Snapshot, World } from '../../../build/api/twin.d.ts';
import { KMH_PER_MPS, TICKS_PER_S } from '../common/units.ts';
import { whileVisible } from '../common/visible.ts';

/** A city is read again so long after its last answer, and later where it gave none. */
const REFRESH_MS = 4000;
const RETRY_MS = 20_000;
/** So often it is looked which cities are due. */
const TURN_MS = 500;
/** Cities that are read at a time. */
const AT_ONCE = 4;
/** Collisions of a city that are looked at: the latest ones, and none older than ten minutes. */
const CRASHES_MAX = 8;
const CRASH_AGO_S = 600;
/** Who takes part in a collision is settled by then. */
const SETTLED_S = 20;

export interface Living {
  kmh: number;
  /** Null at a junction. */
  street: string | null;
  status: Snapshot['vehicles'][number]['status'];
  /** The last collision of the last ten minutes. */
  crash: { incident: string; agoS: number } | null;
}

/** The cars of a city by VIN; null where it does not answer, undefined before it was read. */
export type CityCars = ReadonlyMap<string, Living> | null | undefined;

/** Requests JSON from the twin, below its API's base. */
export type Ask = <T>(path: string) => Promise<T>;

interface City {
  world: string;
  /** Which city it is; undefined until it is known. */
  name: string | undefined;
  cars: Signal<CityCars>;
  /** How many of its cars are on the screen. */
  shownCount: number;
  isReading: boolean;
  dueMs: number;
  /** By incident: what is settled of a collision. */
  settled: ReadonlyMap<string, Collision>;
}

type Collision = Pick<Incident, 'id' | 'tick'> & { vins: readonly string[] };

/** A junction has no name. */
type Streets = ReadonlyMap<string | null, string>;

/**
 * Reads the cities whose cars are on the screen, those first that have waited longest. So many cities cost no more
 * than some: they are read less often.
 */
export class LivingCities {
  readonly #ask: Ask;
  readonly #cities = new Map<string, City>();
  /** By name of a city, which many worlds share. */
  readonly #streets = new Map<string, Streets>();
  /** Ends the turns; undefined while no car is on the screen. */
  #end: (() => void) | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  carsOf(world: string): ReadonlySignal<CityCars> {
    return this.#cityOf(world).cars;
  }

  /** One of its cars is on the screen. Returns what ends that. */
  show(world: string): () => void {
    const city = this.#cityOf(world);
    city.shownCount++;
    this.#end ??= whileVisible(TURN_MS, async () => this.#takeTurn());
    return () => {
      city.shownCount--;
      if ([...this.#cities.values()].some(({ shownCount }) => shownCount > 0)) return;
      this.#end?.();
      this.#end = undefined;
    };
  }

  #cityOf(world: string): City {
    let city = this.#cities.get(world);
    if (city === undefined) {
      city = {
        ...{ world, name: undefined, cars: signal<CityCars>(undefined), settled: new Map() },
        ...{ shownCount: 0, isReading: false, dueMs: 0 },
      };
      this.#cities.set(world, city);
    }
    return city;
  }

  #takeTurn(): void {
    const cities = [...this.#cities.values()];
    const readingCount = cities.filter(({ isReading }) => isReading).length;
    const nowMs = performance.now();
    const due = cities
      .filter(({ shownCount, isReading, dueMs }) => shownCount > 0 && !isReading && dueMs <= nowMs)
      .toSorted((a, b) => a.dueMs - b.dueMs);
    for (const city of due.slice(0, AT_ONCE - readingCount)) void this.#read(city);
  }

  async #read(city: City): Promise<void> {
    city.isReading = true;
    // It may have ended.
    city.cars.value = await this.#livingIn(city).catch(() => null);
    city.isReading = false;
    city.dueMs = performance.now() + (city.cars.peek() === null ? RETRY_MS : REFRESH_MS);
  }

  async #livingIn(city: City): Promise<ReadonlyMap<string, Living>> {
    const path = `/worlds/${city.world}`;
    const [{ tick, vehicles }, events, streets] = await Promise.all([
      this.#ask<Snapshot>(`${path}/state`),
      this.#ask<Events>(`${path}/events`),
      this.#streetsOf(city),
    ]);
    const collisions = await this.#collisions(city, events, tick);
    return new Map(
      vehicles.map(({ vin, speed, road, status }) => {
        // An event names only the car that struck.
        const last = collisions.find(({ vins }) => vins.includes(vin));
        const crash = last ? { incident: last.id, agoS: secondsAgo(last, tick) } : null;
        const street = streets.get(road) ?? null;
        return [vin, { kmh: speed * KMH_PER_MPS, street, status, crash }];
      }),
    );
  }

  /** The last collisions, newest first. One that cannot be read is left out. */
  async #collisions(city: City, events: Events, nowTick: number): Promise<Collision[]> {
    const recent = events.filter((event) => secondsAgo(event, nowTick) <= CRASH_AGO_S);
    const ids = [...new Set(recent.toReversed().flatMap(({ incident }) => incident ?? []))];
    const read = await Promise.allSettled(
      ids.slice(0, CRASHES_MAX).map(async (id) => {
        return city.settled.get(id) ?? (await this.#readCollision(city.world, id));
      }),
    );
    const all = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const settled = all.filter((each) => secondsAgo(each, nowTick) > SETTLED_S);
    city.settled = new Map(settled.map((each) => [each.id, each]));
    return all;
  }

  async #readCollision(world: string, incident: string): Promise<Collision> {
    const path = `/worlds/${world}/incidents/${encodeURIComponent(incident)}`;
    const { id, tick, vehicles } = await this.#ask<Incident>(path);
    return { id, tick, vins: vehicles.map(({ vin }) => vin) };
  }

  /** They never change. */
  async #streetsOf(city: City): Promise<Streets> {
    city.name ??= (await this.#ask<World>(`/worlds/${city.world}`)).city;
    let streets = this.#streets.get(city.name);
    if (streets === undefined) {
      const { roads } = await this.#ask<CityMap>(`/worlds/${city.world}/map`);
      streets = new Map(roads.map(({ id, name }) => [id, name]));
      this.#streets.set(city.name, streets);
    }
    return streets;
  }
}

const secondsAgo = ({ tick }: { tick: number }, nowTick: number): number =>
  Math.max(0, (nowTick - tick) / TICKS_PER_S);
