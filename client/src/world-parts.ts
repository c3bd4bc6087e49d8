import type { StateImage } from '../../src/shard/protocol.ts';
import { type Change, unpackChanges } from '../../src/twin/journal.ts';
import type { WorldStart } from '../../src/twin/lockstep.ts';
import type { FleetEntry } from '../../src/twin/wire.ts';
import { parseWorldOptions } from '../../src/twin/world-options.ts';
import type { CityModel } from './city-model.ts';
import type { LivedJournal } from './lived-journal.ts';
import type { Platform } from './platform.ts';

/** What a local world consists of. */
export interface WorldParts {
  readonly model: CityModel;
  readonly id: string;
  readonly seed: number;
  readonly fleet: readonly FleetEntry[];
  /** Its beginning under this kernel. */
  readonly from: WorldStart;
  /** The first state that is known, if that is a later one. */
  readonly image: StateImage | undefined;
  /** After that. */
  readonly journal: LivedJournal;
  /** Changes may come a little late: there are images of every fourth tick lately. */
  readonly isFollower: boolean;
  readonly platform: Platform;
}

/** What matters of a journal as `GET /api/v1/worlds/{id}/journal` returns it. */
export interface GivenJournal {
  seed: number;
  city: string;
  changes: readonly { tick: number; car: number; features: Partial<Record<string, boolean>> }[];
}

/** What a new world is to be. */
export interface GivenWorld {
  /** By default that of the journal, else the first of the catalogue. */
  city?: string | undefined;
  seed?: number | undefined;
  /** The changes apply as the world comes to their ticks. Leave out seed and city then. */
  journal?: GivenJournal | undefined;
}

/** Checks as `POST /api/v1/worlds` does. Throws TwinError. */
export function parseGiven(
  { city, seed, journal }: GivenWorld,
  cities: readonly string[],
): { city: string | undefined; seed: number | undefined; changes: Change[] } {
  const given = Object.entries({ city, seed, journal });
  const body = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const parsed = parseWorldOptions(body, cities);
  const changes = parsed.journal === undefined ? [] : unpackChanges(parsed.journal.changes);
  return { city: parsed.city, seed: parsed.seed, changes };
}
