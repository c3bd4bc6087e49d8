import type { Counts } from './observer.ts';

/** What happened in a run. */
export type RunCounts = Counts & { faults: number };

export const NO_COUNTS: Readonly<RunCounts> = {
  ...{ changes: 0, reads: 0, acknowledged: 0, shown: 0, refused: 0, unknown: 0, frames: 0 },
  ...{ forwarded: 0, moved: 0, takeovers: 0, ended: 0, drops: 0, startedOver: 0 },
  faults: 0,
};

export function addTo(totals: RunCounts, counts: RunCounts): void {
  for (const name of Object.keys(totals) as (keyof RunCounts)[]) totals[name] += counts[name];
}

/** One line. */
export function formatted(counts: RunCounts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
