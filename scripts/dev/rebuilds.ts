import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Time } from '../../src/time.ts';

/** Changed files are gathered for this long: an editor or a checkout writes several. */
const GATHER_MS = 150;

/** What a changed file asks for before the node starts again. */
export type Rebuild = 'kernel' | 'cities' | 'none';

const COMMANDS = [
  ['kernel', 'build:kernel:release'],
  ['cities', 'build:cities'],
] as const;

/**
 * What has to be built when a file changes; `undefined` where the node need not start again.
 * @param path from the root, with `/`
 */
export function rebuildsFor(path: string): readonly Rebuild[] | undefined {
  if (/\.test\.ts$|^src\/(web|testing)\/|\.md$/.test(path)) return undefined;
  // The tables of cities are computed by the kernel.
  if (path.startsWith('assembly/')) return ['kernel', 'cities'];
  if (/^src\/(city|citygen)\//.test(path)) return ['cities'];
  return /^(src|workers)\//.test(path) ? ['none'] : undefined;
}

/** Builds what changed files ask for and restarts the node, one round after the other. */
export class Rebuilder {
  readonly #wanted = new Set<Rebuild>();
  readonly #time: Time;
  readonly #restart: () => Promise<void>;
  #isWorking = false;

  constructor(time: Time, restart: () => Promise<void>) {
    this.#time = time;
    this.#restart = restart;
  }

  /** @param path of a changed file, from the root */
  async changed(path: string): Promise<void> {
    const rebuilds = rebuildsFor(path);
    if (rebuilds === undefined) return;
    for (const each of rebuilds) this.#wanted.add(each);
    if (this.#isWorking) return;
    this.#isWorking = true;
    while (this.#wanted.size > 0) {
      await this.#time.sleep(GATHER_MS);
      const wanted = new Set(this.#wanted);
      this.#wanted.clear();
      if (await built(wanted)) await this.#restart();
    }
    this.#isWorking = false;
  }
}

/** Resolves with false where a build failed; it has said why. */
async function built(wanted: ReadonlySet<Rebuild>): Promise<boolean> {
  for (const [rebuild, script] of COMMANDS) {
    if (!wanted.has(rebuild)) continue;
    process.stdout.write(`npm run ${script}\n`);
    const child = spawn('npm', ['run', '-s', script], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    if (code !== 0) return false;
  }
  return true;
}
