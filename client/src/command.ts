#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { describeOptions, parseOptions, runEntryPoint } from '../../bench/common/options.ts';
import { UsageError } from '../../bench/common/usage-error.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import { TwinError } from '../../src/errors.ts';
import type { GivenJournal, GivenWorld } from './given-world.ts';
import { LifeWriter } from './life-writer.ts';
import { LocalWorld } from './local-world.ts';
import { packedAssets } from './node.ts';

/** Ticks between two writings of what has happened. */
const MINUTE_TICKS = 3000;

const OPTIONS = {
  city: { fallback: '', choices: CITIES.map(({ name }) => name), help: 'city of the world' },
  seed: { fallback: -1, min: 0, max: 2 ** 32 - 1, help: 'what it grows from' },
  ticks: { fallback: 3000, min: 1, help: 'how long it lives, in ticks of 20 ms' },
  every: { fallback: 4, min: 0, help: 'ticks between two snapshots; 0: no snapshots' },
  changes: { fallback: '', help: 'file with changes of features' },
  id: { fallback: '', help: 'id of the world, of which VINs are made' },
  out: { fallback: '', help: 'folder for the files' },
  explain: { fallback: false, help: 'find out which features would have avoided collisions' },
} as const;

const HELP = `driving-twin-client live [options]   lives a world without a server

It writes what happens to files in a folder, one JSON value a line: snapshots.ndjson, events.ndjson,
contacts.ndjson and incidents.ndjson. The shapes are those of the API. The same options give the same
files.

${describeOptions(OPTIONS).replace('(-1)', '(by chance)')}

The file with changes is a journal, as GET /api/v1/worlds/{id}/journal answers; then leave out --city and
--seed. Or it is a list of its changes, or one of them a line:
{"tick": 500, "car": 3, "features": {"brakes": false}}`;

await runEntryPoint(HELP, async ([command, ...args]) => {
  if (command !== 'live') throw new UsageError(`there is no command ${command ?? ''}`.trimEnd());
  const { ticks, every, id, out, explain, ...given } = parseOptions(OPTIONS, args);
  if (out === '') throw new UsageError('--out names the folder for the files');
  const world = await LocalWorld.create({
    ...worldOf(given),
    ...(id && { id }),
    assets: packedAssets,
  }).catch((error: unknown) => {
    throw error instanceof TwinError ? new UsageError(error.hint) : error;
  });
  const writer = new LifeWriter(world, out, explain);
  if (every > 0) writer.snapshot();
  while (world.tick < ticks) {
    const step = every > 0 ? every : MINUTE_TICKS;
    world.step(Math.min(ticks, (Math.floor(world.tick / step) + 1) * step) - world.tick);
    if (every > 0 && world.tick % every === 0) writer.snapshot();
    if (world.tick % MINUTE_TICKS === 0) await writer.happened();
  }
  const counts = Object.entries(await writer.close()).map(([kind, count]) => `${count} ${kind}`);
  const { city, seed, tick } = world;
  console.log(`${city}, seed ${seed}, tick ${tick}, hash ${world.hash()}: ${counts.join(', ')}`);
});

function worldOf(given: { city: string; seed: number; changes: string }): GivenWorld {
  const city = given.city === '' ? undefined : given.city;
  const seed = given.seed < 0 ? undefined : given.seed;
  if (given.changes === '') return { city, seed };
  const changes = readChanges(given.changes);
  if (!Array.isArray(changes)) return { city, seed, journal: changes as GivenJournal };
  if (seed === undefined) throw new UsageError('changes need the --seed of their world');
  return { journal: { city: city ?? CITIES[0]?.name ?? '', seed, changes } };
}

/** A journal, or a list of changes. */
function readChanges(path: string): unknown {
  try {
    const text = readFileSync(path, 'utf8');
    return (
      asJson(text) ??
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    );
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
}

/** Undefined if it is none, or a single change. */
function asJson(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && 'car' in value ? [value] : value;
  } catch {
    return undefined;
  }
}
