import { MUTANTS, type Mutant } from './mutants.ts';
import { simulate } from './simulation.ts';
import { Violation } from './violation.ts';

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
export async function runMutant(mutant: Mutant, runs = MUTANT_RUNS): Promise<MutantOutcome> {
  const others = new Map<string, number>();
  for (let seed = 1; seed <= runs; seed++) {
    const { failure } = await simulate(seed, { mutant });
    if (failure === undefined) continue;
    const name = failure instanceof Violation ? failure.invariant : String(failure);
    if (name === mutant.invariant) return { mutant, seed, others };
    others.set(name, (others.get(name) ?? 0) + 1);
  }
  return { mutant, seed: undefined, others };
}

/** Runs all mutants, or one, and prints what becomes of them. Resolves to whether all fail. */
export async function runMutants(only: string | undefined): Promise<boolean> {
  let isGood = true;
  for (const mutant of MUTANTS.filter(({ name }) => only === undefined || name === only)) {
    const { seed, others } = await runMutant(mutant);
    const before = [...others].map(([name, count]) => `${count} × ${name}`).join(', ');
    const outcome = seed === undefined ? `LIVES after ${MUTANT_RUNS} runs` : `run ${seed}`;
    console.log(`${mutant.name}: ${mutant.invariant} at ${outcome}${before && `; ${before}`}`);
    isGood &&= seed !== undefined;
  }
  return isGood;
}
