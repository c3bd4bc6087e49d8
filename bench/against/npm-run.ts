import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESULTS } from '../common/places.ts';
import { onProcessEnd } from '../common/process-end.ts';
import type { RunOutput } from './readings.ts';
import { onOneProcessor, type Slices } from './slices.ts';

/** Runs npm in a folder; resolves with its output. All its processes end with this process. */
export function npm(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  slices?: Slices,
): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  return outputOf(
    'npm',
    args,
    { cwd: folder, env: { ...Object.fromEntries(own), ...env } },
    slices,
  );
}

/** Runs a command; resolves with its output. All its processes end with this process. */
export async function outputOf(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  slices?: Slices,
): Promise<string> {
  const [program, ...own] = slices ? onOneProcessor(command, args) : [command, ...args];
  // A process group of its own, because npm does not pass every signal on.
  const child = spawn(program, own, {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const { pid } = child;
  const keep = onProcessEnd(() => {
    if (pid === undefined) return;
    process.kill(-pid, 'SIGTERM');
    slices?.remove(pid);
  });
  if (pid !== undefined) slices?.add(pid);
  try {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    if (code !== 0) {
      const where = options.cwd === undefined ? '' : ` in ${options.cwd}`;
      throw new Error(`${command} ${args.join(' ')}${where} ended with ${code}`);
    }
    return printed;
  } finally {
    if (pid !== undefined) slices?.remove(pid);
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
 * Runs a question once in a tree. A commit that does not know RESULTS_DIR writes its result into its
 * own tree.
 */
export async function ask(
  folder: string,
  { script, name, args }: Question,
  slices?: Slices,
): Promise<RunOutput> {
  const file = `${script === 'load' ? 'load-' : ''}${name}.json`;
  const results = mkdtempSync(join(tmpdir(), 'twin-against-'));
  const remove = () => rmSync(results, { recursive: true, force: true });
  const keep = onProcessEnd(remove);
  const inTree = join(folder, RESULTS, file);
  const before = writtenAt(inTree);
  try {
    const run = ['run', '--silent', script, '--', name, ...args];
    const printed = await npm(folder, run, { RESULTS_DIR: results }, slices);
    // Its name depends on the commit: with or without the options.
    const [own] = readdirSync(results).map((each) => join(results, each));
    const written = writtenAt(inTree) === before ? own : inTree;
    if (written === undefined) return { printed, result: undefined };
    const { result } = JSON.parse(readFileSync(written, 'utf8')) as { result: object };
    return { printed, result };
  } finally {
    keep();
    remove();
  }
}

/** Time of the last change, ms; undefined where there is no such file. */
const writtenAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
