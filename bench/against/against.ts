import { systemTime } from '../../src/time.ts';
import { formatFactor } from '../common/factor.ts';
import { formatNumber } from '../common/figures.ts';
import { describeOptions, type Options, parseOptions } from '../common/options.ts';
import { ROOT } from '../common/places.ts';
import { markdownTable, resultName, textTable, writeResult } from '../common/report.ts';
import { UsageError } from '../common/usage-error.ts';
import { type ComparedFigure, type Comparison, compareRuns } from './comparison.ts';
import { commitOf, keptTree } from './kept-tree.ts';
import { ask, type Question } from './npm-run.ts';
import type { Reading, RunOutput } from './readings.ts';
import { Slices } from './slices.ts';

const OPTIONS = {
  runs: { fallback: 5, min: 1, max: 99, help: 'runs of each side' },
  limit: { fallback: 3, min: 0, max: 100, help: 'percentage by which a figure may be worse' },
  against: { fallback: '', help: 'commit to compare the working tree with' },
  slices: {
    fallback: false,
    help: 'run both at once, each for a tenth of a second in turn: compares what is in processor time',
  },
  write: { fallback: false, help: 'keep the comparison in bench/results/against-<name>.json' },
} as const;

export type Against = Options<typeof OPTIONS>;

export const AGAINST_HELP = `Compare with another commit; both run in turns:
${describeOptions(OPTIONS)}
The working tree runs as it is: uncommitted changes included, and with what is in build/. The other
commit is installed once in a folder of its own in the user's cache.
The table has both medians; the median, least and largest ratio of the pairs of runs; and the spread
of the other commit: the largest deviation of one of its runs from their median. A figure is worse
if its median ratio is worse by more than the limit and by more than that spread.
All other options go to both sides.
Exit code 1: a figure is worse. 2: a run failed.`;

/** Splits the options of a comparison from those of the question. Throws UsageError. */
export function splitAgainst(args: readonly string[]): { against?: Against; rest: string[] } {
  const [taken, rest]: [string[], string[]] = [[], []];
  const valued: readonly string[] = ['--runs', '--limit', '--against'];
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    const [name = ''] = arg.split('=', 1);
    if (valued.includes(name)) taken.push(arg, ...(arg === name ? args.slice(++i, i + 1) : []));
    else if (arg === '--write' || arg === '--slices') taken.push(arg);
    else rest.push(arg);
  }
  if (taken.length === 0) return { rest };
  const against = parseOptions(OPTIONS, taken);
  if (against.against === '')
    throw new UsageError('--runs, --limit, --slices and --write need --against');
  return { against, rest };
}

/** Runs a question here and there in turns, prints the comparison, and returns the exit code. */
export async function runAgainst(
  options: Against,
  question: Question,
  readingsOf: (output: RunOutput) => Reading[],
  asMarkdown = false,
): Promise<0 | 1 | 2> {
  const commit = commitOf(options.against);
  try {
    const comparison = await compareInTurns(options, commit, question, readingsOf);
    console.log(formatComparison(comparison, { ...options, question, asMarkdown }));
    if (options.write) {
      const result = { commit, runs: options.runs, limit: options.limit, ...comparison };
      console.log(
        `\nwritten to ${writeResult(resultName(`against-${question.name}`, question.args), result)}`,
      );
    }
    return exitCodeOf(comparison);
  } catch (error) {
    console.error(`${question.name} could not be compared:`, error);
    return 2;
  }
}

async function compareInTurns(
  { against, runs, limit, slices }: Against,
  commit: string,
  question: Question,
  readingsOf: (output: RunOutput) => Reading[],
): Promise<Comparison> {
  const sides = [
    { name: 'here', folder: ROOT, runs: [] as Reading[][] },
    { name: against, folder: await keptTree(commit), runs: [] as Reading[][] },
  ] as const;
  for (let run = 1; run <= runs; run += 1) {
    const turns = slices ? new Slices() : undefined;
    const runOf = async (side: (typeof sides)[number]) => {
      const startMs = systemTime.now();
      const readings = readingsOf(await askPatiently(side.folder, question, turns));
      side.runs.push(slices ? readings.filter(isProcessorTime) : readings);
      const seconds = Math.round((systemTime.now() - startMs) / 1000);
      console.log(`${question.name}, run ${run} of ${runs}, ${side.name}: ${seconds} s`);
    };
    if (slices) await Promise.all(sides.map(runOf));
    else for (const side of sides) await runOf(side);
  }
  const comparison = compareRuns(sides[0].runs, sides[1].runs, limit / 100);
  if (comparison.figures.length === 0) throw new Error('the two sides have no figure in common');
  return comparison;
}

/** The figures that do not count the time for which a process was stopped. */
const isProcessorTime = ({ name }: Reading) => name.includes('in processor time');

/** Retries once: a run may fail because the machine is busy. */
async function askPatiently(
  folder: string,
  question: Question,
  slices?: Slices,
): Promise<RunOutput> {
  try {
    return await ask(folder, question, slices);
  } catch (error) {
    console.error(`${(error as Error).message}; it is tried again`);
    return ask(folder, question, slices);
  }
}

export function exitCodeOf({ figures }: Comparison): 0 | 1 {
  return figures.some(({ verdict }) => verdict === 'worse') ? 1 : 0;
}

interface Shown {
  question: Question;
  against: string;
  limit: number;
  asMarkdown: boolean;
}

export function formatComparison(
  { figures, unmatched }: Comparison,
  { question, against, limit, asMarkdown }: Shown,
): string {
  const head = ['', 'here', against, 'ratio', 'of pairs', `spread of ${against}`, 'verdict'];
  const rows = figures.map((figure) => cellsOf(figure, limit));
  const worse = figures.filter(({ verdict }) => verdict === 'worse').length;
  const lines = [
    `\n${question.name}: the working tree against ${against}, medians, ${formatFactor()}\n`,
    (asMarkdown ? markdownTable : textTable)(head, rows),
    `\n${worse} of ${figures.length} figures worse`,
  ];
  if (unmatched.length > 0)
    lines.push(`only on one side: ${unmatched.map((n) => n.trim()).join(', ')}`);
  return lines.join('\n');
}

function cellsOf(figure: ComparedFigure, limit: number): string[] {
  const { name, unit, here, there, ratio, spread, verdict } = figure;
  const tolerance = Math.max(limit, spread * 100);
  return [
    name,
    `${formatNumber(here)} ${unit}`,
    `${formatNumber(there)} ${unit}`,
    ratio.median.toFixed(3),
    `${ratio.min.toFixed(3)} to ${ratio.max.toFixed(3)}`,
    `±${(spread * 100).toFixed(1)} %`,
    verdict === 'same' ? `within ${tolerance.toFixed(1)} %` : verdict.replace('worse', 'WORSE'),
  ];
}
