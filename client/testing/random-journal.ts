import { CAR_COUNT, F_ALL } from '../../assembly/layout.ts';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { journalEntryOf, type NumberedChange } from '../../src/twin/journal.ts';
import type { GivenJournal } from '../src/given-world.ts';

/** Changes at random ticks up to an end, some of them of the same tick, the first of tick 0. */
export function randomChanges(seed: number, endTick: number, pauseTicks = 100): NumberedChange[] {
  const dice = new Dice(seed);
  const changes: NumberedChange[] = [];
  for (let tick = 0; tick <= endTick; ) {
    const touched = 1 + dice.below(F_ALL);
    const values = touched & dice.below(F_ALL + 1);
    changes.push({ seq: changes.length + 1, tick, car: dice.below(CAR_COUNT), touched, values });
    tick += dice.below(4) === 0 ? 0 : dice.below(2 * pauseTicks);
  }
  return changes;
}

/** As a node returns it. */
export function journalOf(
  city: string,
  seed: number,
  changes: readonly NumberedChange[],
): GivenJournal {
  return { city, seed, changes: changes.map(journalEntryOf) };
}
