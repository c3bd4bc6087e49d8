import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { systemTime } from '../../src/time.ts';
import { measuredFactor } from './factor.ts';
import { RESULTS, ROOT } from './places.ts';

const NAME_LENGTH_MAX = 120;

/** Where and from what a result was made: without it a figure cannot be compared with another. */
export function circumstances() {
  const cores = cpus();
  return {
    at: new Date(systemTime.wallMs()).toISOString(),
    command: commandLine(),
    /** `null` outside a repository. A `+` at its end: with uncommitted changes. */
    commit: commit(),
    machine: {
      cpu: cores[0]?.model.trim() ?? 'unknown',
      cores: cores.length,
      memoryGiB: Math.round(totalmem() / 1024 ** 3),
      system: `${process.platform} ${release()} ${process.arch}`,
    },
    /** `null` where it was not measured on this machine. */
    factor: measuredFactor() ?? null,
    versions: versions(),
  };
}

export type Circumstances = ReturnType<typeof circumstances>;

function commandLine(): string {
  const [, script = '', ...args] = process.argv;
  return [...settings(), 'node', script.replace(ROOT, ''), ...shown(args)].join(' ');
}

/** Those of the environment that change what a node can carry. */
function settings(): string[] {
  const { SHARDS } = process.env;
  return SHARDS === undefined ? [] : [`SHARDS=${SHARDS}`];
}

/** Without folders of this machine. */
const shown = (args: readonly string[]) =>
  args.map((each) => (isAbsolute(each) ? `<${basename(each)}>` : each));

function git(...args: string[]): string {
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio }).trim();
}

function commit(): string | null {
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') ? '+' : '');
  } catch {
    return null;
  }
}

/** Versions of Node and of the packages, which `package.json` pins exactly. */
function versions(): Record<string, string> {
  const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  return { ...manifest.devDependencies, ...manifest.dependencies, node: process.versions.node };
}

/**
 * The name of a result by its question and the options that were typed, so that it does not overwrite the
 * result of other options. A long one is cut, and ends with a hash of the whole.
 */
export function resultName(question: string, args: readonly string[]): string {
  const words = [question, ...shown(args), ...settings()].join('-').toLowerCase();
  const name = words.replaceAll(/[^a-z\d._]+/g, '-').replace(/-$/, '');
  if (name.length <= NAME_LENGTH_MAX) return name;
  const hash = createHash('sha256').update(words).digest('hex').slice(0, 8);
  return `${name.slice(0, NAME_LENGTH_MAX - hash.length - 1)}-${hash}`;
}

/** Writes `<name>.json` to `bench/results`, or to the folder in RESULTS_DIR, and returns its path. */
export function writeResult(name: string, result: object): string {
  const folder = process.env.RESULTS_DIR ?? join(ROOT, RESULTS);
  const file = join(folder, `${name}.json`);
  mkdirSync(folder, { recursive: true });
  const content = JSON.stringify({ ...circumstances(), result }, null, 2);
  writeFileSync(file, `${content}\n`);
  return file.replace(ROOT, '');
}

/** The middle value, or the mean of the two in the middle. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}

/** Lines of two columns, the first as wide as its longest entry. */
export function columns(rows: readonly (readonly [label: string, text: string])[]): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length)) + 2;
  return rows.map(([label, text]) => `${label.padEnd(width)}${text}`).join('\n');
}

type Cells = readonly string[];

/** Lines with columns as wide as their widest cell, the first to the left, the others to the right. */
export function textTable(head: Cells, rows: readonly Cells[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...all.map((cells) => cells[column]?.length ?? 0)),
  );
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return all.map((cells) => cells.map(padded).join('  ').trimEnd()).join('\n');
}

/** The same as Markdown. */
export function markdownTable(head: Cells, rows: readonly Cells[]): string {
  const line = (cells: Cells): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
