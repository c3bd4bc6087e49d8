import type { Group, Manoeuvre, ManoeuvreRun, Outcome } from './manoeuvre.ts';
import { BRAKING_GROUPS, BRAKING_MANOEUVRES } from './manoeuvres-braking.ts';
import { ESC_GROUPS, ESC_MANOEUVRES } from './manoeuvres-esc.ts';
import { JUNCTION_GROUPS, JUNCTION_MANOEUVRES } from './manoeuvres-junction.ts';
import type { PlotPoint } from './plot.ts';

export const GROUPS: readonly Group[] = [...BRAKING_GROUPS, ...JUNCTION_GROUPS, ...ESC_GROUPS];
export const MANOEUVRES: readonly Manoeuvre[] = [
  ...BRAKING_MANOEUVRES,
  ...JUNCTION_MANOEUVRES,
  ...ESC_MANOEUVRES,
];

/** Drives one with its feature on and off. */
export function runManoeuvre(id: string): Outcome {
  const found = MANOEUVRES.find((each) => each.id === id);
  if (!found) throw new RangeError(`there is no manoeuvre "${id}"`);
  const { run, ...manoeuvre } = found;
  return { ...manoeuvre, on: drawable(run(true)), off: drawable(run(false)) };
}

/** So many ticks lie between the points that are kept, and each is rounded: more cannot be seen. */
const TRACE_STEP = 2;

function drawable(run: ManoeuvreRun): ManoeuvreRun {
  const isKept = (i: number): boolean => i % TRACE_STEP === 0 || i === run.trace.length - 1;
  const trace = run.trace
    .filter((_, i) => isKept(i))
    .map(([x, y]): PlotPoint => [Number(x.toFixed(2)), Number(y.toFixed(2))]);
  return { ...run, trace };
}
