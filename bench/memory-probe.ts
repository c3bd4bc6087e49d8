/** Prints, as JSON, how much memory a world takes; runs in a process of its own. */

import { IMAGE_TICKS, IMAGES_KEPT } from '../src/limits.ts';
import { LoadedWorld } from '../src/shard/loaded-world.ts';
import { worldEncoder } from '../src/shard/world-encoder.ts';
import { createWorlds, loadKernel, newWorld } from './aged-worlds.ts';

const WARM_WORLDS = 5000;
const HOT_WORLDS = 1500;

function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

const { kernel, cities } = loadKernel(WARM_WORLDS);
// Garbage of creation exists before the first reading, and is not counted.
for (let i = 0; i < WARM_WORLDS; i += 1) newWorld(i, cities.tables.length);
const before = residentBytes();
const slabs = createWorlds(kernel, WARM_WORLDS, cities.tables.length);
const warm = residentBytes();
const kept = slabs.slice(0, HOT_WORLDS).map((slab, i) => {
  const city = cities.names[i % cities.names.length];
  if (!city) throw new Error('the catalogue has no city');
  const number = i + 1;
  const encoder = worldEncoder(number, city);
  const start = {
    number,
    residency: 1,
    cityIndex: 0,
    slab,
    encoder,
    createdAtMs: 0,
    seq: 0,
    changes: [],
  };
  const world = new LoadedWorld(kernel, start);
  while (world.images.length < IMAGES_KEPT) {
    world.advance(world.tick + IMAGE_TICKS, IMAGE_TICKS);
  }
  world.capture();
  return world;
});
const hot = residentBytes();
const bytes = {
  /** A world that is only in its slab. */
  warm: (warm - before) / WARM_WORLDS,
  /** Additional memory of a watched world with all its images. */
  watched: (hot - warm) / kept.length,
};
export type MemoryBytes = typeof bytes;
console.log(JSON.stringify(bytes));
