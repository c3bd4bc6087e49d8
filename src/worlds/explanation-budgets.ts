import type { BucketSize } from '../config.ts';
import type { Time } from '../time.ts';
import { TokenBuckets } from '../token-buckets.ts';
import type { TickBudget } from '../twin-service.ts';

/** Budgets for the explanations of worlds, by their numbers. `ticks`: of each; undefined: no bound. */
export function explanationBudgets(
  ticks: BucketSize | undefined,
  time: Time,
): (world: number) => TickBudget {
  const buckets = ticks && new TokenBuckets(ticks, time);
  return (world) => {
    const key = String(world);
    return {
      affords: (count) => buckets?.affords(key, count) ?? true,
      spend: (count) => buckets?.spend(key, count),
    };
  };
}
