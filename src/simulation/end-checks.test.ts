import { expect, test } from 'vitest';
import type { Claims } from '../store/contract.ts';
import { claimsWith, handoversWith } from './changed-parts.ts';
import type { Mutant } from './mutants.ts';
import { settingsOf } from './settings.ts';
import { simulate } from './simulation.ts';
import { Violation } from './violation.ts';

/** A build that is broken in most runs shows it in one of so many. */
const RUNS_MAX = 5;

/** Nobody ever gets the partition 0. */
const WITHOUT_ONE_PARTITION: Mutant = {
  name: 'a partition that nobody takes',
  invariant: 'I6',
  claims: (inner: Claims) =>
    claimsWith(inner, {
      take: async (partition, what) =>
        partition === 0 ? { holder: 'nobody', leftMs: 0 } : inner.take(partition, what),
    }),
};

/** Who has too many partitions keeps them. */
const WITHOUT_GIVING: Mutant = {
  name: 'nodes that give nothing',
  invariant: 'I10',
  claims: (inner: Claims) =>
    claimsWith(
      inner,
      handoversWith(inner, () => ({ give: async () => 'kept' })),
    ),
};

/**
 * The first violation of a build in unplanned runs.
 * @param isLong whether they end with a look at the balance
 */
async function violationOf(mutant: Mutant, isLong: boolean): Promise<Violation> {
  for (let seed = 1, runs = 0; runs < RUNS_MAX; seed++) {
    const settings = settingsOf(seed);
    if (settings.isPlanned || settings.isLong !== isLong) continue;
    runs++;
    const { failure } = await simulate(seed, { mutant });
    if (failure instanceof Violation) return failure;
    expect(failure).toBeUndefined();
  }
  throw new Error(`${mutant.name}: no violation in ${RUNS_MAX} runs`);
}

test.each([
  { mutant: WITHOUT_ONE_PARTITION, isLong: false, says: /: partition 0 is held by nobody$/ },
  { mutant: WITHOUT_GIVING, isLong: true, says: /: the nodes hold \d+(, \d+)+ partitions$/ },
])('$mutant.invariant fails after the last fault: $mutant.name', async (row) => {
  const { invariant, message } = await violationOf(row.mutant, row.isLong);
  expect(invariant).toBe(row.mutant.invariant);
  expect(message).toMatch(row.says);
});
