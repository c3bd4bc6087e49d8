import { CAR_COUNT } from '../../assembly/layout.ts';
import { TwinError } from '../errors.ts';
import { featureBit } from './catalogue.ts';
import { type Change, JOURNAL_MAX, packChanges } from './journal.ts';
import type { WorldStart } from './lockstep.ts';

/** Options of a new world. The server chooses an absent seed or city. */
export interface WorldOptions {
  /** 0 to 2^32 − 1. */
  seed?: number;
  /** A name in the catalogue of cities. */
  city?: string;
  /** The world begins as if it had been created this many ticks ago. */
  startTick: number;
  journal?: {
    /** See `packChanges`. */
    changes: Int32Array;
    /** Hash of the kernel that recorded it, if given. */
    kernel: string | undefined;
  };
  /** Of a fork: where its life begins, as that of its origin does. By default at tick 0, and exact. */
  origin?: { from: WorldStart; exact: boolean };
}

/** What a fork is made of. */
export interface ForkOptions {
  /** Id of the world that it equals up to a tick: its origin. */
  world: string;
  tick: number;
  /** Its own changes, all later; see `packChanges`. */
  changes: Int32Array;
}

/** The options of a request. Where it asks for a fork, all others follow from its origin. */
export interface GivenOptions extends WorldOptions {
  fork?: ForkOptions;
}

const SEED_END = 2 ** 32;
/** 30 minutes. */
export const START_TICK_MAX = 90_000;
/** About 248 days, half of the ticks that fit into 31 bits. */
export const JOURNAL_TICK_MAX = 2 ** 30;

/** Fields in the JSON of a full journal: three of each change, and its features. */
export const JOURNAL_FIELDS_MAX = 16 * JOURNAL_MAX;

type Fields = Readonly<Record<string, unknown>>;

const OPTION_NAMES = ['seed', 'city', 'start_tick', 'journal', 'fork'];
const FORK_NAMES = ['world', 'tick', 'changes'];

/**
 * The options of `POST /api/v1/worlds`.
 * @param body the parsed JSON, undefined where there was none
 * @param cityNames the catalogue of cities
 * @throws TwinError `invalid_body` if it is no object, else `invalid_world_options` with a hint that
 *   names the field
 */
export function parseWorldOptions(body: unknown, cityNames: readonly string[]): GivenOptions {
  if (body === undefined) return { startTick: 0 };
  const fields = fieldsOf(body);
  if (fields === undefined) throw new TwinError('invalid_body');
  refuseOthers(fields, OPTION_NAMES, 'option');
  if (fields.fork !== undefined) return forked(fields);
  return fields.journal !== undefined ? replayed(fields, cityNames) : created(fields, cityNames);
}

function refuseOthers(fields: Fields, names: readonly string[], what: string): void {
  for (const name of Object.keys(fields)) {
    if (names.includes(name)) continue;
    refuse(`Unknown ${what} ${quoted(name)}: use ${names.join(', ')}.`);
  }
}

function forked(fields: Fields): GivenOptions {
  for (const name of Object.keys(fields)) {
    if (name !== 'fork') refuse(`Leave out ${name}: it follows from the fork.`);
  }
  const fork = fieldsOf(fields.fork);
  if (fork === undefined) refuse('fork must be an object with world and tick.');
  refuseOthers(fork, FORK_NAMES, 'field of fork');
  const { world } = fork;
  if (typeof world !== 'string') refuse('fork.world must be the id of a world.');
  const tick = integer(fork.tick, 'fork.tick', 0, JOURNAL_TICK_MAX - 1);
  const changes =
    fork.changes === undefined ? [] : changesOf(fork.changes, 'fork.changes', tick + 1);
  return { startTick: tick, fork: { world, tick, changes: packChanges(changes) } };
}

function created(fields: Fields, cityNames: readonly string[]): WorldOptions {
  const options: WorldOptions = {
    startTick: integerOr(0, fields.start_tick, 'start_tick', 0, START_TICK_MAX),
  };
  if (fields.seed !== undefined) options.seed = seed(fields, 'seed');
  if (fields.city !== undefined) options.city = city(fields, 'city', cityNames);
  return options;
}

function replayed(fields: Fields, cityNames: readonly string[]): WorldOptions {
  for (const name of ['seed', 'city']) {
    if (fields[name] !== undefined) refuse(`Leave out ${name}: it comes from the journal.`);
  }
  const journal = fieldsOf(fields.journal);
  if (journal === undefined)
    refuse('journal must be an object in the form that GET /api/v1/worlds/{id}/journal returns.');
  const changes = changesOf(journal.changes, 'journal.changes', 0);
  const lastTick = changes.at(-1)?.tick ?? 0;
  const ownTick = integerOr(0, journal.tick, 'journal.tick', 0, JOURNAL_TICK_MAX);
  const reached = Math.max(ownTick, lastTick);
  const startMax = Math.max(START_TICK_MAX, reached);
  return {
    seed: seed(journal, 'journal.seed'),
    city: city(journal, 'journal.city', cityNames),
    startTick: integerOr(reached, fields.start_tick, 'start_tick', lastTick, startMax),
    journal: { changes: packChanges(changes), kernel: kernelHash(journal) },
  };
}

function seed(fields: Fields, name: string): number {
  return integer(fields.seed, name, 0, SEED_END - 1);
}

function city(fields: Fields, name: string, cityNames: readonly string[]): string {
  const value = fields.city;
  if (typeof value !== 'string' || !cityNames.includes(value)) {
    refuse(`${name} must be one of ${cityNames.join(', ')}.`);
  }
  return value;
}

function kernelHash(journal: Fields): string | undefined {
  const kernel = journal.kernel ?? undefined;
  if (kernel !== undefined && typeof kernel !== 'string') {
    refuse('journal.kernel must be a string, or left out.');
  }
  return kernel;
}

function changesOf(list: unknown, name: string, tickMin: number): Change[] {
  if (!Array.isArray(list)) refuse(`${name} must be a list.`);
  if (list.length > JOURNAL_MAX) {
    refuse(`${name} has ${list.length} entries; a world takes at most ${JOURNAL_MAX}.`);
  }
  let earliest = tickMin;
  return list.map((item: unknown, index) => {
    const change = changeOf(item, `${name}[${index}]`, tickMin, earliest);
    earliest = change.tick;
    return change;
  });
}

function changeOf(item: unknown, name: string, tickMin: number, earliest: number): Change {
  const fields = fieldsOf(item);
  if (fields === undefined) refuse(`${name} must be an object with tick, car and features.`);
  const tick = integer(fields.tick, `${name}.tick`, tickMin, JOURNAL_TICK_MAX);
  if (tick < earliest)
    refuse(`${name}.tick is less than the tick of the previous change: sort the changes by tick.`);
  const car = integer(fields.car, `${name}.car`, 0, CAR_COUNT - 1);
  return { tick, car, ...switches(fields.features, `${name}.features`) };
}

function switches(value: unknown, name: string): { touched: number; values: number } {
  const fields = fieldsOf(value);
  if (fields === undefined) refuse(`${name} must be an object whose keys are feature names.`);
  let touched = 0;
  let values = 0;
  for (const [feature, on] of Object.entries(fields)) {
    const bit = featureBit(feature);
    if (bit === undefined) {
      refuse(`${name} has ${quoted(feature)}: use names from GET /api/v1/features.`);
    }
    if (typeof on !== 'boolean') refuse(`${name}.${feature} must be true or false.`);
    touched |= bit;
    if (on) values |= bit;
  }
  if (touched === 0) refuse(`${name} must switch at least one feature.`);
  return { touched, values };
}

function integer(value: unknown, name: string, min: number, max: number): number {
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    refuse(`${name} must be an integer from ${min} to ${max}.`);
  }
  // JSON allows −0, which `Object.is` distinguishes from 0.
  return (value as number) + 0;
}

/** As `integer`, with a value for an absent field. */
function integerOr(absent: number, value: unknown, name: string, min: number, max: number): number {
  return value === undefined ? absent : integer(value, name, min, max);
}

function fieldsOf(value: unknown): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Fields;
}

/** A name from a client, shortened for a hint. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}

function refuse(hint: string): never {
  throw new TwinError('invalid_world_options', hint);
}
