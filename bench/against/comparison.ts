import type { Better } from '../common/figures.ts';
import { median } from '../common/report.ts';
import type { Reading } from './readings.ts';

type Verdict = 'worse' | 'same' | 'better' | 'not judged';

export interface Comparison {
  figures: ComparedFigure[];
  /** Names that only one side has. */
  unmatched: string[];
}

/**
 * Compares the readings of runs that took turns. A figure is worse if its median ratio is worse by
 * more than `limit`, a share, and by more than the spread of the runs there.
 */
export function compareRuns(
  here: readonly (readonly Reading[])[],
  there: readonly (readonly Reading[])[],
  limit: number,
): Comparison {
  const [own, other] = [byName(here), byName(there)];
  const names = [...own.keys()].filter((name) => other.has(name));
  return {
    figures: names.map((name) => compareFigure(own.get(name) ?? [], other.get(name) ?? [], limit)),
    unmatched: [...new Set([...own.keys(), ...other.keys()])].filter((n) => !names.includes(n)),
  };
}

/** The readings of all runs by name, in the order of the runs. */
function byName(runs: readonly (readonly Reading[])[]): Map<string, Reading[]> {
  return Map.groupBy(runs.flat(), ({ name }) => name);
}

/** One figure of this working tree beside the same figure of the other commit. */
function compareFigure(own: readonly Reading[], other: readonly Reading[], limit: number) {
  const [first] = own;
  if (!first) throw new RangeError('a figure without a value');
  const ratios = own.flatMap(({ value }, i) => {
    const beside = other[i];
    return beside ? [ratioOf(value, beside.value)] : [];
  });
  const values = other.map(({ value }) => value);
  const there = median(values);
  const spread = Math.max(...values.map((value) => Math.abs(ratioOf(value, there) - 1)));
  // The median of logarithms: a half and a double in the middle have the mean 1.
  const middle = Math.exp(median(ratios.map(Math.log)));
  const ratio = { min: Math.min(...ratios), median: middle, max: Math.max(...ratios) };
  return {
    name: first.name,
    unit: first.unit,
    /** Medians of the runs. */
    here: median(own.map(({ value }) => value)),
    there,
    /** Of each run here to the run there that follows it. */
    ratio,
    /** Largest deviation of a run there from the median of those runs, as a share. */
    spread,
    verdict: verdictOf(ratio.median, Math.max(limit, spread), first.better),
  };
}

export type ComparedFigure = ReturnType<typeof compareFigure>;

/** Two zeros have the ratio 1. */
const ratioOf = (value: number, reference: number): number =>
  value === reference ? 1 : value / reference;

function verdictOf(ratio: number, tolerance: number, better: Better | undefined): Verdict {
  if (better === undefined || Number.isNaN(ratio)) return 'not judged';
  const worsening = better === 'smaller' ? ratio - 1 : 1 - ratio;
  if (worsening > tolerance) return 'worse';
  return worsening < -tolerance ? 'better' : 'same';
}
