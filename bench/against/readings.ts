import { type Better, betterByUnit, type Figure } from '../common/figures.ts';

/** A value of one run, to be compared with the same value of a run of another commit. */
export interface Reading {
  name: string;
  value: number;
  unit: string;
  /** Absent where neither is: the reading is shown, but not judged. */
  better?: Better;
}

/** The place of a reading in the JSON result of a load command. */
export interface Measure extends Omit<Reading, 'value'> {
  /** Keys separated by dots. */
  path: string;
}

const measure =
  (better: Better) =>
  (name: string, path: string, unit: string): Measure => ({ name, path, unit, better });
export const smaller = measure('smaller');
export const larger = measure('larger');

/** Output of a run. `result` is undefined where the run wrote no file. */
export interface RunOutput {
  printed: string;
  result: object | undefined;
}

/** A figure with a reference is compared by its ratio to that, which drifts less. */
function readingOf({ name, value, unit, better, reference, ratio }: Figure): Reading {
  const judged = better === undefined ? {} : { better };
  if (!reference || ratio === undefined) return { name, value, unit, ...judged };
  return { name: `${name.trimEnd()} ÷ ${reference.name}`, value: ratio, unit: '×', ...judged };
}

/** Numbers repeated names, such as `  in processor time`. */
function named(readings: readonly Reading[]): Reading[] {
  const seen = new Map<string, number>();
  return readings.map((reading) => {
    const count = (seen.get(reading.name) ?? 0) + 1;
    seen.set(reading.name, count);
    return count === 1 ? reading : { ...reading, name: `${reading.name} (${count})` };
  });
}

const NUMBER = '-?[\\d,.]+(?:e[-+]?\\d+)?';
/** A row of a printed table: name, value, unit, and optionally ratio and name of a reference. */
const ROW = new RegExp(
  `^(\\s*\\S.*?) {2,}(${NUMBER}|NaN)(?: (\\S+(?: \\(.*\\))?))?(?: {3}= (${NUMBER}) × (.+?) \\(${NUMBER}\\))?(?: {3}target .*)?$`,
);

/** The figures of a printed table, with the digits that it shows. */
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

/** The readings of a bench, from its result or else from what it printed. */
export function benchReadings({ printed, result }: RunOutput): Reading[] {
  const { figures = printedFigures(printed) } = { ...result } as { figures?: Figure[] };
  return named(figures.map(readingOf));
}

/** The readings of a load command; those that the result lacks are left out. */
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
