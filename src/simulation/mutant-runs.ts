import { MUTANTS, type Mutant } from './mutants.ts';
import type { SeedPool } from './seed-pool.ts';

/** Each mutant must fail within so many runs. */
export const MUTANT_RUNS = 200;

export interface MutantOutcome {
  mutant: Mutant;
  /** Of the run in which the invariant that is named for the mutant failed; undefined: in none. */
  seed: number | undefined;
  /** How often others failed before that. */
  others: Map<string, number>;
}

/** Runs a mutant until its invariant fails. */
export async function runMutant(pool: SeedPool, mutant: Mutant): Promise<MutantOutcome> {
  const others = new Map<string, number>();
  for (let seed = 1; seed <= MUTANT_RUNS; seed++) {
    const { failure } = await pool.run({ seed, mutant: mutant.name });
    if (failure === undefined) continue;
    const { invariant } = failure;
    if (invariant === mutant.invariant) return { mutant, seed, others };
    others.set(invariant, (others.get(invariant) ?? 0) + 1);
  }
  return { mutant, seed: undefined, others };
}

/** Runs all mutants, or one, and prints what becomes of them. Resolves to whether all fail. */
export async function runMutants(pool: SeedPool, only: string | undefined): Promise<boolean> {
  const chosen = MUTANTS.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) throw new RangeError(`there is no mutant ${only}`);
  const outcomes = await Promise.all(
    chosen.map(async (mutant) => {
      const outcome = await runMutant(pool, mutant);
      print(outcome);
      return outcome;
    }),
  );
  return outcomes.every(({ seed }) => seed !== undefined);
}

function print({ mutant, seed, others }: MutantOutcome): void {
  const before = [...others].map(([name, count]) => `${count} × ${name}`).join(', ');
  const outcome = seed === undefined ? `LIVES after ${MUTANT_RUNS} runs` : `run ${seed}`;
  console.log(`${mutant.name}: ${mutant.invariant} at ${outcome}${before && `; ${before}`}`);
}
