import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESULTS } from '../common/places.ts';
import { onProcessEnd } from '../common/process-end.ts';
import type { RunOutput } from './readings.ts';

/** Runs npm in a folder; resolves with its output. All its processes end with this process. */
export async function npm(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  // A process group of its own, because npm does not pass every signal on.
  const child = spawn('npm', args, {
    cwd: folder,
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const keep = onProcessEnd(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  });
  try {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    if (code !== 0) throw new Error(`npm ${args.join(' ')} in ${folder} ended with ${code}`);
    return printed;
  } finally {
    keep();
  }
}

/** `npm run <script> -- <name> <args>`. */
export interface Question {
  script: 'bench' | 'load';
  name: string;
  args: readonly string[];
}

/**
 * Runs a question once in a tree. Results in that tree stay as they are: a commit that does not know
 * RESULTS_DIR overwrites one, which is read and put back.
 */
export async function ask(folder: string, { script, name, args }: Question): Promise<RunOutput> {
  const file = `${script === 'load' ? 'load-' : ''}${name}.json`;
  const results = mkdtempSync(join(tmpdir(), 'twin-against-'));
  const inTree = join(folder, RESULTS, file);
  const before = textOf(inTree);
  const restore = (): void => {
    rmSync(results, { recursive: true, force: true });
    if (textOf(inTree) === before) return;
    if (before === undefined) rmSync(inTree);
    else writeFileSync(inTree, before);
  };
  const keep = onProcessEnd(restore);
  try {
    const run = ['run', '--silent', script, '--', name, ...args];
    const printed = await npm(folder, run, { RESULTS_DIR: results });
    const left = textOf(inTree);
    const written = textOf(join(results, file)) ?? (left === before ? undefined : left);
    if (written === undefined) return { printed, result: undefined };
    return { printed, result: (JSON.parse(written) as { result: object }).result };
  } finally {
    keep();
    restore();
  }
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
