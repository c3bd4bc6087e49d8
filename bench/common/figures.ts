import { measuredFactor } from './factor.ts';
import { markdownTable } from './report.ts';

export type Better = 'smaller' | 'larger';

/** One measured figure, beside what it is compared with in the same run. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Absent where neither is: the figure only describes the measurement. */
  better?: Better;
  reference?: { name: string; value: number };
  /** `value / reference.value`. */
  ratio?: number;
  target?: Target;
}

interface Target {
  text: string;
  met: boolean;
  /** An absolute limit of processor time or a rate, which the factor of the machine applies to. */
  scaled?: number;
}

/** `isScaled`: whether the factor of the machine applies; by default the unit decides. */
export type Bound = ({ atLeast: number } | { atMost: number }) & { isScaled?: boolean };

/** Units of processor time, rates and counts of worlds that a machine carries. */
const SCALED_UNITS = ['ns', 'µs', '/s', 'worlds'];
const BETTER_BY_UNIT: Readonly<Record<string, Better>> = {
  ns: 'smaller',
  µs: 'smaller',
  ms: 'smaller',
  s: 'smaller',
  bytes: 'smaller',
  KiB: 'smaller',
  '/s': 'larger',
};

export const betterByUnit = (unit: string): { better?: Better } => {
  const better = BETTER_BY_UNIT[unit];
  return better === undefined ? {} : { better };
};

const holds = (value: number, bound: Bound, factor = 1): boolean =>
  'atLeast' in bound ? value >= bound.atLeast / factor : value <= bound.atMost * factor;

const boundText = (bound: Bound): string =>
  'atLeast' in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`;

const betterBy = (bound: Bound): Better => ('atLeast' in bound ? 'larger' : 'smaller');

/** A figure that is judged by itself, or only reported. */
export function figure(
  name: string,
  value: number,
  unit: string,
  wanted?: Bound | { better: Better },
): Figure {
  if (!wanted) return { name, value, unit, ...betterByUnit(unit) };
  if ('better' in wanted) return { name, value, unit, ...wanted };
  const target: Target = { text: `${boundText(wanted)} ${unit}`, met: holds(value, wanted) };
  const isScaled = wanted.isScaled ?? SCALED_UNITS.includes(unit);
  if (isScaled) target.scaled = 'atLeast' in wanted ? wanted.atLeast : wanted.atMost;
  return { name, value, unit, better: betterBy(wanted), target };
}

/** A figure that is judged by its ratio to a reference, or only compared. */
export function compared(
  name: string,
  value: number,
  unit: string,
  reference: { name: string; value: number },
  bound?: Bound,
): Figure {
  const ratio = value / reference.value;
  const whole = { name, value, unit, ...betterByUnit(unit), reference, ratio };
  if (!bound) return whole;
  const target = { text: `${boundText(bound)} ×`, met: holds(ratio, bound) };
  return { ...whole, better: betterBy(bound), target };
}

/** Three significant digits, or a whole number from 1,000 on. */
export function formatNumber(value: number): string {
  return Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en-US')
    : String(Number(value.toPrecision(3)));
}

function formatReference({ reference, ratio }: Figure): string {
  if (!reference || ratio === undefined) return '';
  return `${formatNumber(ratio)} × ${reference.name} (${formatNumber(reference.value)})`;
}

/** Whether a figure keeps its limit times the factor of the machine; undefined where that does not apply. */
function meetsScaled({ target, value, better }: Figure, factor: number | undefined) {
  if (target?.scaled === undefined || factor === undefined) return undefined;
  const bound = better === 'larger' ? { atLeast: target.scaled } : { atMost: target.scaled };
  return holds(value, bound, factor);
}

/** Whether a figure is past its limit, and past that times the factor of the machine where it applies. */
export function isMissed(figure: Figure, factor = measuredFactor()?.factor): boolean {
  return figure.target?.met === false && meetsScaled(figure, factor) !== true;
}

/** The verdict, and the one on the limit times the factor of the machine where that is known. */
function formatTarget(figure: Figure, factor: number | undefined): string {
  const { target } = figure;
  if (!target) return '';
  const verdict = `${target.text}: ${target.met ? 'met' : 'MISSED'}`;
  const meets = meetsScaled(figure, factor);
  if (meets === undefined) return verdict;
  return `${verdict}, with factor ${factor?.toFixed(2)}: ${meets ? 'met' : 'MISSED'}`;
}

/** The text behind the name of a figure in a table. */
export function formatFigure(figure: Figure, factor = measuredFactor()?.factor): string {
  const parts = [`${formatNumber(figure.value)} ${figure.unit}`];
  if (figure.reference) parts.push(`= ${formatReference(figure)}`);
  if (figure.target) parts.push(`target ${formatTarget(figure, factor)}`);
  return parts.join('   ');
}

/** The figures as a Markdown table. */
export function markdown(figures: readonly Figure[], factor = measuredFactor()?.factor): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${formatNumber(figure.value)} ${figure.unit}`,
    formatReference(figure),
    formatTarget(figure, factor),
  ]);
  return markdownTable(['Figure', 'Value', 'Beside', 'Target'], rows);
}
