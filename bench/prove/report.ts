import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from '../common/figures.ts';
import { type Circumstances, circumstances, markdownTable, textTable } from '../common/report.ts';
import { PARTS } from './options.ts';
import { mark, missedMarks, type Section, shown } from './section.ts';

/** A section as the report keeps it: with the run that it is of, its plots in files of their own. */
export interface ReportPart extends Omit<Section, 'plots'> {
  made: Circumstances;
  plots: readonly { name: string; title: string }[];
}

/** The report as Markdown; its plots lie beside it as `<name>.svg`. */
export function markdownReport(parts: readonly ReportPart[]): string {
  const marks = parts.flatMap(({ figures }) => figures).filter(({ target }) => target);
  const missed = missedMarks(parts);
  const runs = new Set(parts.map(({ made }) => runText(made)));
  const head = [
    '# Proving ground',
    [...runs].join('\n\n'),
    missed.length === 0
      ? `✓ All ${marks.length} marks are met.`
      : `✗ ${missed.length} of ${marks.length} marks are missed:`,
    missed.map((figure) => `- ${markOf(figure)}`).join('\n'),
  ];
  return `${[...head, ...parts.map(sectionText)].filter((part) => part !== '').join('\n\n')}\n`;
}

function runText({ machine, commit, at, command }: Circumstances): string {
  return `\`${command}\`, ${at}, commit ${commit ?? 'unknown'}, ${machine.cores} × ${machine.cpu}.`;
}

function markOf({ name, value, unit, target }: Figure): string {
  return `${name}: ${shown(value)} ${unit} (${target?.text})`;
}

function sectionText({ title, method, figures, tables, plots }: ReportPart): string {
  const marks = figures.filter(({ target }) => target);
  return [
    `## ${title}`,
    method,
    ...(marks.length > 0 ? [marksTable(marks)] : []),
    ...tables.map(({ title, head, rows }) => `### ${title}\n\n${markdownTable(head, rows)}`),
    ...plots.map(({ name, title }) => `![${title}](${name}.svg)`),
  ].join('\n\n');
}

function marksTable(marks: readonly Figure[]): string {
  const rows = marks.map(({ name, value, unit, target }) => [
    mark(target?.met === true),
    name,
    `${shown(value)} ${unit}`,
    target?.text ?? '',
  ]);
  return markdownTable(['', 'Mark', 'Reached', 'Asked for'], rows);
}

/** A section for the terminal: its tables, then its marks. */
export function terminalSection({ title, tables, figures }: Section): string {
  const marks = figures.flatMap((figure) =>
    figure.target ? [`${mark(figure.target.met)} ${markOf(figure)}`] : [],
  );
  const texts = tables.map(({ title, head, rows }) => `${title}\n${textTable(head, rows)}`);
  return [`\n${title}`, ...texts, marks.join('\n')].join('\n\n');
}

/**
 * Writes `report.md`, `report.json` and the plots; returns the path of the first. Parts that an
 * earlier run left in the folder and this one did not do again stay in it.
 */
export function writeReport(folder: string, sections: readonly Section[]): string {
  mkdirSync(folder, { recursive: true });
  const made = circumstances();
  for (const { name, svg } of sections.flatMap(({ plots }) => plots)) {
    writeFileSync(join(folder, `${name}.svg`), svg);
  }
  const fresh = sections.map((section): ReportPart => {
    const plots = section.plots.map(({ name, title }) => ({ name, title }));
    return { ...section, made, plots };
  });
  const json = join(folder, 'report.json');
  const kept = partsIn(json).filter((old) => !fresh.some(({ id }) => id === old.id));
  const order: readonly string[] = PARTS;
  const parts = [...kept, ...fresh].toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const passed = missedMarks(parts).length === 0;
  writeFileSync(json, `${JSON.stringify({ ...made, passed, parts })}\n`);
  const path = join(folder, 'report.md');
  writeFileSync(path, markdownReport(parts));
  return path;
}

function partsIn(file: string): ReportPart[] {
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { parts: ReportPart[] }).parts;
}
