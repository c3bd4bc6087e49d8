import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { nearestRoad } from '../../../city/place.ts';
import type { City } from '../../../city/types.ts';
import type { FrameEncoder } from '../../../codec/frame-encoder.ts';
import type { Slab } from '../../../kernel/kernel.ts';
import { worldEncoder } from '../../../shard/world-encoder.ts';
import { type ContactRecord, groupByIncident } from '../../../twin/contact-records.ts';
import { EVENTS_SHOWN, eventOf } from '../../../twin/events.ts';
import { fleetOf } from '../../../twin/fleet.ts';
import { parseWorldId } from '../../../twin/ids.ts';
import { incidentOf } from '../../../twin/incidents.ts';
import type { Change } from '../../../twin/journal.ts';
import type { EventRecord, FleetEntry, Incident } from '../../../twin/wire.ts';
import { cities, makeKernel, makeWorld } from '../../rigs/kernel.ts';
import {
  changesOf,
  eventsOf,
  incidentsOf,
  journalOf,
  stateOf,
  tickOf,
  type World,
} from './client.ts';

const SLABS = 4;

const kernel = makeKernel(SLABS);

type Origin = Pick<World, 'id' | 'seed' | 'city'>;

/**
 * A world lived in one go, tick by tick from its beginning, in a kernel of its own: what the same
 * world must be however a node lived it, in pieces, from images, or again after a crash.
 */
export class Reference {
  readonly worldId: string;
  readonly fleet: readonly FleetEntry[];
  readonly records: ContactRecord[] = [];
  readonly #slab: Slab;
  readonly #encoder: FrameEncoder;
  readonly #changes: readonly Change[];
  readonly #city: City;
  #applied = 0;

  constructor({ id, seed, city }: Origin, changes: readonly Change[]) {
    const cityIndex = cities.cities.findIndex(({ name }) => name === city);
    this.worldId = id;
    this.fleet = fleetOf(seed, parseWorldId(id) ?? 0);
    this.#changes = changes;
    this.#city = at(cities.cities, cityIndex);
    this.#encoder = worldEncoder(parseWorldId(id) ?? 0, at(cities.names, cityIndex));
    this.#slab = makeWorld(kernel, seed, cityIndex);
    this.#applyUpTo(0);
  }

  get tick(): number {
    return kernel.tick(this.#slab);
  }

  #applyUpTo(tick: number): void {
    for (;;) {
      const change = this.#changes[this.#applied];
      if (change === undefined || change.tick > tick) return;
      kernel.apply(this.#slab, change.tick, change.car, change.touched, change.values);
      this.#applied++;
    }
  }

  /** Steps to a tick, one tick after the other. Ticks behind it cannot be had again. */
  to(tick: number): this {
    if (tick < this.tick) throw new RangeError(`is at ${this.tick}, not to be taken to ${tick}`);
    while (this.tick < tick) {
      this.#applyUpTo(this.tick + 1);
      kernel.step(this.#slab, 1);
      this.records.push(...kernel.records(this.#slab, this.records.length));
    }
    return this;
  }

  /** The snapshot of now in JSON. */
  snapshot(): string {
    return Buffer.from(this.#encoder.encode('json', kernel.pack(this.#slab))).toString();
  }

  events(): EventRecord[] {
    const events = kernel.events(this.#slab).slice(-EVENTS_SHOWN);
    const context = { fleet: this.fleet, hazards: this.#city.hazards };
    return events.map((raw) => eventOf(raw, context));
  }

  /** The reports of so many of the records. */
  incidents(count: number = this.records.length): Incident[] {
    return groupByIncident(this.records.slice(0, count)).map((chain) => {
      const [{ x, y }] = chain;
      const { id: road, name: street } = nearestRoad(this.#city, x, y);
      const { worldId, fleet } = this;
      const { hazards } = this.#city;
      return incidentOf(chain, { worldId, fleet, hazards, place: { road, street } });
    });
  }

  hash(): bigint {
    return kernel.hash(this.#slab);
  }

  free(): void {
    kernel.release(this.#slab);
  }
}

/** The hash of the world that a state image holds. */
export function hashOfImage(bytes: Uint8Array): bigint {
  const slab = kernel.acquire();
  if (slab === undefined) throw new Error('no room');
  kernel.restore(slab, bytes);
  const hash = kernel.hash(slab);
  kernel.release(slab);
  return hash;
}

/** Snapshots that a node has shown of one world must be those of the world lived in one go. */
export function expectLived(
  world: Origin,
  changes: readonly Change[],
  snapshots: readonly string[],
): void {
  const reference = new Reference(world, changes);
  try {
    for (const shown of snapshots.toSorted((a, b) => tickOf(a) - tickOf(b))) {
      const lived = reference.to(tickOf(shown)).snapshot();
      if (shown !== lived) expect(JSON.parse(shown)).toEqual(JSON.parse(lived));
    }
  } finally {
    reference.free();
  }
}

/**
 * Reads all there is of a world that nobody changes meanwhile: each part must be that of the world
 * lived in one go with its journal. Returns the tick of the snapshot.
 */
export async function expectWhole(base: string, world: World): Promise<number> {
  const journal = await journalOf(base, world);
  const incidents = await incidentsOf(base, world);
  const events = await eventsOf(base, world);
  const shown = await stateOf(base, world);
  const reference = new Reference(world, changesOf(journal));
  try {
    const state = reference.to(tickOf(shown)).snapshot();
    if (shown !== state) expect(JSON.parse(shown)).toEqual(JSON.parse(state));
    expectReports(journal.tick, incidents.map(facts), reference);
    // The ring has turned a little between the two answers.
    const kept = reference.events().filter(({ seq }) => seq >= (events[0]?.seq ?? 0));
    const first = kept[0]?.seq ?? 0;
    const told = events.filter(({ seq }) => seq >= first);
    const counts = new Map(told.map(({ seq, count }) => [seq, count]));
    // What has repeated since an event was told adds to its count.
    const lived = kept.map((event) => {
      const count = Math.min(event.count, counts.get(event.seq) ?? event.count);
      return { ...event, count };
    });
    expectUpTo(journal.tick, told, lived);
  } finally {
    reference.free();
  }
  return tickOf(shown);
}

/** What was told are the reports of the records up to some tick, not before `tick`. */
function expectReports(tick: number, told: readonly object[], reference: Reference): void {
  const { records } = reference;
  let count = records.filter((record) => record.tick <= tick).length;
  const lived = () => reference.incidents(count).map(facts);
  while (count < records.length && !isDeepStrictEqual(told, lived())) count++;
  expect(told).toEqual(lived());
}

/** What was told is a beginning of what was lived, with all that was lived up to `tick`. */
function expectUpTo<Record extends { tick: number }>(
  tick: number,
  told: readonly Record[],
  lived: readonly Record[],
): void {
  expect(told).toEqual(lived.slice(0, told.length));
  expect(lived.slice(told.length).filter((record) => record.tick <= tick)).toEqual([]);
}

/** A report without its explanation, which comes in its own time. */
function facts({ explained: _, failures: __, ...rest }: Incident) {
  return rest;
}
