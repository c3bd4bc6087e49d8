import { hash } from 'node:crypto';
import { at } from '../../src/city/geometry.ts';
import { worldEncoder } from '../../src/shard/world-encoder.ts';
import { cities, makeKernel, makeWorld } from '../../src/testing/rigs/kernel.ts';
import { parseWorldId } from '../../src/twin/ids.ts';
import { type Change, unpackChanges } from '../../src/twin/journal.ts';
import { parseWorldOptions } from '../../src/twin/world-options.ts';

const kernel = makeKernel(1);

/** The answer of `GET …/journal`. */
export interface Journal {
  seed: number;
  city: string;
}

/** A snapshot as it was sent, and its tick. */
export interface Shown {
  tick: number;
  digest: string;
}

/** In place of the snapshots, which would take hundreds of megabytes. */
export const digestOf = (snapshot: Uint8Array): string => hash('sha1', snapshot);

/** Lives a world from its seed and journal; returns the snapshots that differ from it. */
export function differing(id: string, journal: Journal, shown: readonly Shown[]): Shown[] {
  const cityIndex = cities.cities.findIndex(({ name }) => name === journal.city);
  const slab = makeWorld(kernel, journal.seed, cityIndex);
  const encoder = worldEncoder(parseWorldId(id) ?? 0, at(cities.names, cityIndex));
  const changes = changesIn(journal);
  let next = 0;
  const applyUpTo = (tick: number) => {
    for (let change = changes[next]; change && change.tick <= tick; change = changes[++next]) {
      kernel.apply(slab, change.tick, change.car, change.touched, change.values);
    }
  };
  applyUpTo(0);
  const wrong: Shown[] = [];
  let lived: Shown | undefined;
  for (const each of shown.toSorted((a, b) => a.tick - b.tick)) {
    while (kernel.tick(slab) < each.tick) {
      applyUpTo(kernel.tick(slab) + 1);
      kernel.step(slab, 1);
    }
    // Several clients were shown the same.
    if (lived?.tick !== each.tick) {
      lived = { tick: each.tick, digest: digestOf(encoder.encode('json', kernel.pack(slab))) };
    }
    if (lived.digest !== each.digest) wrong.push(each);
  }
  kernel.release(slab);
  return wrong;
}

/** The changes of a journal as masks. */
export function changesIn(journal: Journal): Change[] {
  const { journal: parsed } = parseWorldOptions({ journal }, [journal.city]);
  return parsed ? unpackChanges(parsed.changes) : [];
}
