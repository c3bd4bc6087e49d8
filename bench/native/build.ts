import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../common/usage-error.ts';

const MAIN = fileURLToPath(new URL('./main.c', import.meta.url));
const FLAGS = ['-std=gnu11', '-O3', '-march=native', '-w'];
/** Keeps unused loads, which might trap; costs a move for every load. */
const LOAD_BARRIER = 'wasm_asm("" ::"r"(result));';

interface Variant {
  name: string;
  flags: readonly string[];
  keepLoads: boolean;
  /** Whether its state must be the same, bit for bit. */
  sameBits: boolean;
  judged: boolean;
}

/**
 * On 64-bit Linux `wasm2c` finds accesses out of bounds by guard pages, as V8 does, so neither side
 * checks bounds in code.
 */
export const VARIANTS: readonly Variant[] = [
  {
    name: 'wasm2c, gcc -O3 -march=native -ffp-contract=off',
    flags: ['-ffp-contract=off'],
    keepLoads: true,
    sameBits: true,
    judged: true,
  },
  {
    name: 'the same without the load barriers of wasm2c',
    flags: ['-ffp-contract=off'],
    keepLoads: false,
    sameBits: true,
    judged: false,
  },
  {
    name: 'the same with -ffp-contract=fast: fused multiply-add',
    flags: ['-ffp-contract=fast'],
    keepLoads: true,
    sameBits: false,
    judged: false,
  },
];

export interface Binary extends Variant {
  path: string;
}

/** Builds all variants in `dir`. Throws UsageError where a tool is missing. */
export function buildNative(wasm: URL, dir: string): Binary[] {
  const missing = ['wasm2c', 'gcc'].filter((tool) => spawnSync(tool, ['--version']).error);
  if (missing.length > 0) {
    const names = missing.join(' and ');
    throw new UsageError(`${names} not found: apt-get install wabt gcc libc6-dev (Debian, Ubuntu)`);
  }
  const kept = join(dir, 'kernel.c');
  execFileSync('wasm2c', [fileURLToPath(wasm), '-n', 'kernel', '-o', kept]);
  const code = readFileSync(kept, 'utf8');
  if (!code.includes(LOAD_BARRIER)) throw new Error('this wasm2c keeps loads in another way');
  const free = join(dir, 'kernel.free.c');
  writeFileSync(free, code.replaceAll(LOAD_BARRIER, ''));
  return VARIANTS.map((variant, i) => {
    const path = join(dir, `kernel.${i}`);
    const sources = [MAIN, variant.keepLoads ? kept : free];
    const libraries = ['-lwasm-rt-impl', '-lm'];
    execFileSync('gcc', [
      ...FLAGS,
      ...variant.flags,
      '-I',
      dir,
      '-o',
      path,
      ...sources,
      ...libraries,
    ]);
    return { ...variant, path };
  });
}
