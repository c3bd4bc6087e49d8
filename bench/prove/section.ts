import { type Figure, formatNumber } from '../common/figures.ts';

/** One part of the report. Figures with a target are its marks. */
export interface Section {
  id: string;
  title: string;
  /** What was done, in a few sentences. */
  method: string;
  figures: readonly Figure[];
  tables: readonly Table[];
  plots: readonly Plot[];
  /** All counts, for the JSON report. */
  data: unknown;
}

export interface Table {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface Plot {
  /** Without the extension. */
  name: string;
  title: string;
  svg: string;
}

export const missedMarks = (sections: readonly Pick<Section, 'figures'>[]): Figure[] =>
  sections.flatMap(({ figures }) => figures).filter(({ target }) => target && !target.met);

export const mark = (isMet: boolean): string => (isMet ? '✓' : '✗');

/** A table of one column, or none without lines. */
export function listed(title: string, lines: readonly string[]): Table[] {
  return lines.length === 0 ? [] : [{ title, head: ['Where'], rows: lines.map((each) => [each]) }];
}

/** A number as tables show it: a dash where there was nothing to count. */
export const shown = (value: number): string => (Number.isNaN(value) ? '–' : formatNumber(value));
