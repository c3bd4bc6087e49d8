import type { Group, Manoeuvre, ManoeuvreRun } from './manoeuvre.ts';
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

export interface ManoeuvreJob {
  id: string;
  isOn: boolean;
}

export interface ManoeuvreDone extends ManoeuvreJob {
  run: ManoeuvreRun;
}

export function runManoeuvre({ id, isOn }: ManoeuvreJob): ManoeuvreDone {
  const manoeuvre = MANOEUVRES.find((each) => each.id === id);
  if (!manoeuvre) throw new RangeError(`there is no manoeuvre "${id}"`);
  const run = manoeuvre.run(isOn);
  return { id, isOn, run: { ...run, trace: drawable(run.trace) } };
}

/** So many ticks lie between the points that are kept, and each is rounded: more cannot be seen. */
const TRACE_STEP = 2;

function drawable(trace: readonly PlotPoint[]): PlotPoint[] {
  const isKept = (i: number): boolean => i % TRACE_STEP === 0 || i === trace.length - 1;
  return trace
    .filter((_, i) => isKept(i))
    .map(([x, y]) => [Number(x.toFixed(2)), Number(y.toFixed(2))]);
}
