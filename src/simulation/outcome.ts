import type { Mutant } from './mutants.ts';
import { MUTANTS } from './mutants.ts';
import { simulate } from './simulation.ts';
import type { RunCounts } from './totals.ts';
import { type Invariant, Violation } from './violation.ts';

/** A run. */
export interface Job {
  seed: number;
  /** Name of a build that is broken on purpose. */
  mutant?: string | undefined;
  /** See `RunSettings`. */
  isLossy?: boolean;
}

/** What has become of a run: plain data, for another process. */
export interface Outcome {
  seed: number;
  hash: string;
  steps: number;
  counts: RunCounts;
  /** How often which fault struck a handover, and where. */
  strikes: Readonly<Record<string, number>>;
  failure: { invariant: Invariant; message: string } | undefined;
}

/** Throws RangeError if there is no such mutant. */
function mutantNamed(name: string): Mutant {
  const found = MUTANTS.find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`there is no mutant ${name}`);
  return found;
}

export async function outcomeOf(
  { seed, mutant, isLossy = false }: Job,
  write?: (line: string) => void,
): Promise<Outcome> {
  const broken = mutant === undefined ? {} : { mutant: mutantNamed(mutant) };
  const run = await simulate(seed, { isLossy, ...broken, ...(write && { write }) });
  const { hash, steps, counts, failure: error } = run;
  const strikes = Object.fromEntries(run.strikes);
  const invariant = error instanceof Violation ? error.invariant : 'no error';
  const message = error instanceof Error ? error.message : String(error);
  const failure = error === undefined ? undefined : { invariant, message };
  return { seed, hash, steps, counts, strikes, failure };
}
