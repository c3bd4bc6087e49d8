import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { TwinError } from '../../src/errors.ts';
import type { StateImage } from '../../src/shard/protocol.ts';
import { fleetOf } from '../../src/twin/fleet.ts';
import { parseWorldId } from '../../src/twin/ids.ts';
import { type Change, unpackChanges } from '../../src/twin/journal.ts';
import type { WorldStart } from '../../src/twin/lockstep.ts';
import type { FleetEntry } from '../../src/twin/wire.ts';
import { parseWorldOptions } from '../../src/twin/world-options.ts';
import { CityModel } from './city-model.ts';
import type { ContactLog } from './contact-log.ts';
import type { EventLog } from './event-log.ts';
import type { GivenWorld, NewLocalWorld } from './given-world.ts';
import type { ImageLadder } from './image-ladder.ts';
import { LivedJournal } from './lived-journal.ts';
import { type Platform, systemPlatform } from './platform.ts';

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

/** What a local world has besides its parts; a fork begins with some of it. */
export interface Life {
  /** Its state; by default the first that is known. */
  now?: StateImage;
  ladder: ImageLadder;
  events: EventLog;
  contacts: ContactLog;
}

const NOWHERE = '0000000000';
const SEED_END = 2 ** 32;

/** The parts of a new world. Rejects with TwinError. */
export async function newParts(options: NewLocalWorld): Promise<WorldParts> {
  const { assets, id = NOWHERE, isFollower = false, platform = systemPlatform } = options;
  const known = options.journal?.city ?? options.city ?? CITIES[0]?.name ?? '';
  const { city = known, changes, ...given } = parseGiven(options, [known]);
  const { seed = Math.floor(platform.random() * SEED_END) } = given;
  const number = parseWorldId(id);
  if (number === undefined) throw new TwinError('unknown_world', 'This is no id of a world.');
  const model = await CityModel.of(await assets(city));
  const from = { tick: 0, seq: 0, masks: new Array<number>(CAR_COUNT).fill(F_ALL) };
  const numbered = changes.map((change, i) => ({ ...change, seq: i + 1 }));
  const journal = new LivedJournal(from.seq, numbered);
  const fleet = fleetOf(seed, number);
  return { model, id, seed, fleet, from, image: undefined, journal, isFollower, platform };
}

/** Checks as `POST /api/v1/worlds` does. Throws TwinError. */
function parseGiven(
  { city, seed, journal }: GivenWorld,
  cities: readonly string[],
): { city: string | undefined; seed: number | undefined; changes: Change[] } {
  const given = Object.entries({ city, seed, journal });
  const body = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const parsed = parseWorldOptions(body, cities);
  const changes = parsed.journal === undefined ? [] : unpackChanges(parsed.journal.changes);
  return { city: parsed.city, seed: parsed.seed, changes };
}
