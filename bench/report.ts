import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = fileURLToPath(new URL('./results/', import.meta.url));

/** Where and of what a result was made: without it a figure cannot be compared with another. */
export interface Circumstances {
  at: string;
  command: string;
  /** `null` outside a repository; `+` behind it: with changes that are not committed. */
  commit: string | null;
  machine: { cpu: string; cores: number; memoryGiB: number; system: string };
  versions: Record<string, string>;
}

export function circumstances(): Circumstances {
  const cores = cpus();
  return {
    at: new Date().toISOString(),
    command: commandLine(),
    commit: commit(),
    machine: {
      cpu: cores[0]?.model.trim() ?? 'unknown',
      cores: cores.length,
      memoryGiB: Math.round(totalmem() / 1024 ** 3),
      system: `${process.platform} ${release()} ${process.arch}`,
    },
    versions: versions(),
  };
}

/** With the setting of the environment that changes what a node can carry. */
function commandLine(): string {
  const [, script = '', ...args] = process.argv;
  const { SHARDS } = process.env;
  const settings = SHARDS === undefined ? [] : [`SHARDS=${SHARDS}`];
  return [...settings, 'node', script.replace(ROOT, ''), ...args].join(' ');
}

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

/** Node's own and those of the packages, which `package.json` pins exactly. */
function versions(): Record<string, string> {
  const manifest = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  return { ...manifest.devDependencies, ...manifest.dependencies, node: process.versions.node };
}

/** Writes `bench/results/<name>.json` and returns its path from the repository's root. */
export function writeResult(name: string, result: object): string {
  mkdirSync(RESULTS, { recursive: true });
  const content = JSON.stringify({ ...circumstances(), result }, null, 2);
  writeFileSync(`${RESULTS}${name}.json`, `${content}\n`);
  return `bench/results/${name}.json`;
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
