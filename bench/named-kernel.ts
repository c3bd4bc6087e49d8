import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import binaryen from 'assemblyscript/binaryen';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPILER = fileURLToPath(
  new URL('../node_modules/assemblyscript/bin/asc.js', import.meta.url),
);
/** The function that runs the phases of a tick, one after the other. */
export const TICK = 'assembly/step/tick';

export interface NamedKernel {
  wasm: Uint8Array;
  /** Functions that `TICK` calls. */
  phases: string[];
}

/**
 * The kernel with names of functions. `phases` inlines as the release build does, except for the phases
 * of a tick; `functions` inlines only tiny functions.
 */
export function namedKernel(keep: 'phases' | 'functions'): NamedKernel {
  const module = binaryen.readBinary(compile());
  module.setFeatures(binaryen.Features.All & ~binaryen.Features.RelaxedSIMD);
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  binaryen.setDebugInfo(true);
  const phases = calleesOf(module, TICK);
  for (const name of [TICK, ...phases]) {
    binaryen.setPassArgument('no-inline', name);
    module.runPasses(['no-inline']);
  }
  // The limits of a release, or nearly none.
  binaryen.setAlwaysInlineMaxSize(12);
  binaryen.setFlexibleInlineMaxSize(keep === 'phases' ? 70 : 12);
  binaryen.setOneCallerInlineMaxSize(keep === 'phases' ? 200 : 0);
  module.optimize();
  module.optimize();
  return { wasm: module.emitBinary(), phases };
}

/** As for a release, but not optimised, which would remove names and functions. */
function compile(): Uint8Array {
  const dir = mkdtempSync(join(tmpdir(), 'twin-named-'));
  try {
    const out = join(dir, 'kernel.wasm');
    const flags = ['--target', 'release', '--optimizeLevel', '0', '--debug', '--outFile', out];
    execFileSync(process.execPath, [COMPILER, 'assembly/index.ts', ...flags], { cwd: ROOT });
    return readFileSync(out);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function calleesOf(module: binaryen.Module, name: string): string[] {
  const text = module.emitText();
  const start = text.indexOf(`(func $${name} `);
  if (start < 0) throw new Error(`the kernel has no function ${name}`);
  const end = text.indexOf('\n (func ', start);
  const body = text.slice(start, end < 0 ? undefined : end);
  const calls = [...body.matchAll(/\(call \$([^\s)]+)/g)].map(([, callee]) => callee ?? '');
  return [...new Set(calls)].filter((callee) => callee.startsWith('assembly/'));
}
