import { type Better, betterByUnit, type Figure } from '../common/figures.ts';

/** One value of one run that is compared with the same value of a run of another commit. */
export interface Reading {
  name: string;
  value: number;
  unit: string;
  /** Absent where neither is: such a reading is shown and not judged. */
  better?: Better;
}

/** Where a figure lies in the JSON result of a command. */
export interface Measure extends Omit<Reading, 'value'> {
  /** Keys from the outside in, with dots between them. */
  path: string;
}

const measure =
  (better: Better) =>
  (name: string, path: string, unit: string): Measure => ({ name, path, unit, better });
export const smaller = measure('smaller');
export const larger = measure('larger');

/** A run as another process left it. `result` is undefined where the run wrote no file. */
export interface RunOutput {
  printed: string;
  result: object | undefined;
}

/** A figure with a reference in its own run is compared by its ratio to it: that drifts less. */
function readingOf({ name, value, unit, better, reference, ratio }: Figure): Reading {
  const judged = better === undefined ? {} : { better };
  if (!reference || ratio === undefined) return { name, value, unit, ...judged };
  return { name: `${name.trimEnd()} ÷ ${reference.name}`, value: ratio, unit: '×', ...judged };
}

/** Names occur more than once, as `  in processor time` does: later ones get a number. */
function named(readings: readonly Reading[]): Reading[] {
  const seen = new Map<string, number>();
  return readings.map((reading) => {
    const count = (seen.get(reading.name) ?? 0) + 1;
    seen.set(reading.name, count);
    return count === 1 ? reading : { ...reading, name: `${reading.name} (${count})` };
  });
}

const NUMBER = '-?[\\d,.]+(?:e[-+]?\\d+)?';
/** A row of a printed table: name, value, unit, then perhaps ratio and name of a reference. */
const ROW = new RegExp(
  `^(\\s*\\S.*?) {2,}(${NUMBER}|NaN)(?: (\\S+(?: \\(.*\\))?))?(?: {3}= (${NUMBER}) × (.+?) \\(${NUMBER}\\))?(?: {3}target .*)?$`,
);

/** The figures of a printed table, with as many digits as it shows. */
export function printedFigures(printed: string): Figure[] {
  return printed.split('\n').flatMap((line) => {
    const match = ROW.exec(line.trimEnd());
    if (!match) return [];
    const [, name = '', text = '', unit = '', ratio, referenceName] = match;
    const value = Number(text.replaceAll(',', ''));
    const figure: Figure = { name, value, unit, ...betterByUnit(unit) };
    if (ratio === undefined || referenceName === undefined) return [figure];
    const share = Number(ratio.replaceAll(',', ''));
    return [{ ...figure, reference: { name: referenceName, value: value / share }, ratio: share }];
  });
}

/** The readings of a bench: from its result, or from what it printed where it writes none. */
export function benchReadings({ printed, result }: RunOutput): Reading[] {
  const { figures = printedFigures(printed) } = { ...result } as { figures?: Figure[] };
  return named(figures.map(readingOf));
}

/** The readings of a load command. Values that the result lacks are left out. */
export function loadReadings(measures: readonly Measure[]): (output: RunOutput) => Reading[] {
  return ({ result }) =>
    measures.flatMap(({ path, ...measure }) => {
      const value = valueAt(result, path);
      return value === undefined ? [] : [{ ...measure, value }];
    });
}

function valueAt(result: unknown, path: string): number | undefined {
  let value = result;
  for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  return typeof value === 'number' ? value : undefined;
}
