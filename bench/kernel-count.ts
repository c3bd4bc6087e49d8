/**
 * What a car-tick executes and misses, as cachegrind counts it: instructions, misses of a cache of
 * the first and of the second level, and branches that were predicted wrongly. The counts are of the
 * machine code that V8 makes for the shipped kernel, and do not depend on what else the machine does.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agedWorlds, CAR_TICKS_PER_VISIT, loadKernel, SHIPPED } from './aged-worlds.ts';
import { AGE_TICKS } from './car-ticks.ts';
import { type Figure, figure } from './common/figures.ts';
import { inFreshDir } from './common/fresh-dir.ts';
import { UsageError } from './common/usage-error.ts';

const CHILD = fileURLToPath(new URL('count/child.ts', import.meta.url));
/** 90 s: everything that waits at the spots of a city is there. */
const OLD_TICKS = 4500;
const AGED = 90;
/** Many, because V8 compiles the JavaScript around the kernel at another moment in each run. */
const WORLDS = 1500;
/** A second level of 512 KB, which is what a core of the usual servers has to itself. */
const CACHES = ['--D1=32768,8,64', '--LL=524288,8,64'];
/** Code is compiled once and does not change, so that two runs differ by their visits alone. */
const NODE_FLAGS = ['--single-threaded', '--no-liftoff', '--no-wasm-lazy-compilation'];
const FEW = 1;
const MANY = 4;

/** Of cachegrind, and what each counts. */
const EVENTS = {
  Ir: 'instructions',
  D1mr: 'reads that miss 32 KB',
  D1mw: 'writes that miss 32 KB',
  DLmr: 'reads that miss 512 KB',
  DLmw: 'writes that miss 512 KB',
  Bcm: 'branches predicted wrongly',
} as const;

export function run(): Promise<Figure[]> {
  return inFreshDir(async (dir) => {
    const figures: Figure[] = [];
    for (const ticks of [AGE_TICKS, OLD_TICKS]) {
      const images = join(dir, `images-${ticks}`);
      writeFileSync(images, agedImages(ticks));
      const few = count(dir, images, FEW);
      const many = count(dir, images, MANY);
      figures.push(figure(`worlds ${ticks / 50} s old, in turn`, WORLDS, ''));
      for (const [event, name] of Object.entries(EVENTS)) {
        const carTicks = (MANY - FEW) * WORLDS * CAR_TICKS_PER_VISIT;
        const counted = (many.get(event) ?? 0) - (few.get(event) ?? 0);
        figures.push(figure(`  ${name}, a car-tick`, counted / carTicks, ''));
      }
    }
    return figures;
  });
}

function agedImages(ticks: number): Buffer {
  const { kernel, cities } = loadKernel(AGED);
  const slabs = agedWorlds(kernel, AGED, ticks, cities.tables.length);
  return Buffer.concat(slabs.map((slab) => kernel.image(slab)));
}

/** Runs the visits below cachegrind; the sum of each event. */
function count(dir: string, images: string, rounds: number): Map<string, number> {
  const out = join(dir, 'counts');
  const result = spawnSync(
    'valgrind',
    [
      '--tool=cachegrind',
      '--smc-check=all-non-file',
      '--cache-sim=yes',
      '--branch-sim=yes',
      ...CACHES,
      `--cachegrind-out-file=${out}`,
      process.execPath,
      ...NODE_FLAGS,
      CHILD,
      fileURLToPath(SHIPPED),
      images,
      String(WORLDS),
      String(rounds),
    ],
    { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] },
  );
  if (result.error) throw new UsageError('cachegrind is missing: apt-get install valgrind');
  if (result.status !== 0) throw new Error(`cachegrind failed: ${result.stderr}`);
  const text = readFileSync(out, 'utf8');
  const names = wordsOf(text, 'events:');
  return new Map(wordsOf(text, 'summary:').map((word, i) => [names[i] ?? '', Number(word)]));
}

function wordsOf(text: string, start: string): string[] {
  const line = text.split('\n').find((each) => each.startsWith(start)) ?? '';
  return line.slice(start.length).trim().split(/\s+/);
}
