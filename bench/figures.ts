/** One measured figure, beside what it is compared with in the same run. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  reference?: { name: string; value: number };
  /** `value / reference.value`. */
  ratio?: number;
  target?: { text: string; met: boolean };
}

export type Bound = { atLeast: number } | { atMost: number };

const holds = (value: number, bound: Bound): boolean =>
  'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;

const boundText = (bound: Bound): string =>
  'atLeast' in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`;

/** A figure that is judged by itself, or only reported. */
export function figure(name: string, value: number, unit: string, bound?: Bound): Figure {
  if (!bound) return { name, value, unit };
  const target = { text: `${boundText(bound)} ${unit}`, met: holds(value, bound) };
  return { name, value, unit, target };
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
  const whole = { name, value, unit, reference, ratio };
  if (!bound) return whole;
  return { ...whole, target: { text: `${boundText(bound)} ×`, met: holds(ratio, bound) } };
}

/** Four digits at most, and none of them where nobody needs it. */
export function formatNumber(value: number): string {
  return Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en-US')
    : String(Number(value.toPrecision(3)));
}

/** What stands behind the name of a figure in a table. */
export function formatFigure({ value, unit, reference, ratio, target }: Figure): string {
  const parts = [`${formatNumber(value)} ${unit}`];
  if (reference && ratio !== undefined) {
    parts.push(`= ${formatNumber(ratio)} × ${reference.name} (${formatNumber(reference.value)})`);
  }
  if (target) parts.push(`target ${target.text}: ${target.met ? 'met' : 'MISSED'}`);
  return parts.join('   ');
}

/** The figures as a Markdown table. */
export function markdown(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, reference, ratio, target }) => {
    const beside =
      reference && ratio !== undefined
        ? `${formatNumber(ratio)} × ${reference.name} (${formatNumber(reference.value)})`
        : '';
    const verdict = target ? `${target.text}: ${target.met ? 'met' : 'missed'}` : '';
    return `| ${name} | ${formatNumber(value)} ${unit} | ${beside} | ${verdict} |`;
  });
  return ['| Figure | Value | Beside | Target |', '|---|---|---|---|', ...rows].join('\n');
}
