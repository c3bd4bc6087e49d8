import { STEPS, type Step } from './handover-steps.ts';
import type { SeedRuns } from './seed-runs.ts';

/** What `faults.ts` does to a node in the middle of a handover. */
const STRIKES = ['crash', 'pause', 'suspend', 'lose answers', 'end connections'] as const;
/** So many runs have met all that may happen, or something keeps it from happening. */
const RUNS_MIN = 10_000;
const COUNT_MIN = 1000;

/** What may strike handovers at these steps, as `SeedRuns.strikes` names it. */
export function strikesAt(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => STRIKES.map((strike) => `${strike} at ${step}`));
}

/** What many runs should have met and did not, or hardly: a run that meets less shows less. */
export function missedCases({
  runCount,
  totals,
  strikes,
}: Pick<SeedRuns, 'runCount' | 'totals' | 'strikes'>): string[] {
  if (runCount < RUNS_MIN) return [];
  const seldom = (['takeovers', 'unknown', 'moved'] as const)
    .filter((name) => totals[name] < COUNT_MIN)
    .map((name) => `${totals[name]} ${name}`);
  return [...strikesAt(STEPS).filter((each) => !strikes.has(each)), ...seldom];
}
