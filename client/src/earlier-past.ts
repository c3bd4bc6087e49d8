import { changeOfEntry, type NumberedChange } from '../../src/twin/journal.ts';
import { fetchInTime } from './fetch-in-time.ts';
import type { LocalWorld } from './local-world.ts';
import { inSlices, type Platform } from './platform.ts';
import type { TwinAddress } from './twin-address.ts';
import type { JournalEntry } from './types.ts';

/** About a millisecond of work: what is live must not wait for longer. */
const CHUNK_TICKS = 200;

/** All changes of a world. */
export type FetchJournal = (address: TwinAddress) => Promise<readonly NumberedChange[]>;

/** Costs the node no step. Rejects if it cannot be had. */
export const fetchJournal: FetchJournal = async (address) => {
  const { changes } = await fetchInTime(address.ofWorld('/journal'), async (answer) => {
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return (await answer.json()) as { changes: JournalEntry[] };
  });
  return changes.map((entry, i) => ({ seq: i + 1, ...changeOfEntry(entry) }));
};

/**
 * Lives the part of a world's life that lies before the first tick that is known, and hands it to the world.
 * @param isWanted whether the world is still followed
 * @returns whether it is known now
 */
export async function livePast(
  world: LocalWorld,
  changes: readonly NumberedChange[],
  platform: Platform,
  isWanted: () => boolean,
): Promise<boolean> {
  const earlier = world.beginning(changes);
  try {
    await inSlices(livedUpTo(earlier, world.firstTick, isWanted), platform);
    return isWanted() && world.takePast(earlier);
  } finally {
    earlier.close();
  }
}

function* livedUpTo(
  world: LocalWorld,
  tick: number,
  isWanted: () => boolean,
): Generator<void, void, void> {
  while (world.tick < tick && isWanted()) {
    world.step(Math.min(CHUNK_TICKS, tick - world.tick));
    yield;
  }
}
