import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { describeOptions, parseOptions } from '../common/options.ts';
import { RESULTS, ROOT } from '../common/places.ts';

export const PARTS = [
  'manoeuvres',
  'motion',
  'sweep',
  'scenes',
  'stakes',
  'attribution',
  'verdicts',
] as const;
export type Part = (typeof PARTS)[number];

const FOLDER = join(RESULTS, 'prove');

const OPTIONS = {
  km: {
    fallback: 20_000,
    min: 1,
    max: 100_000_000,
    help: 'vehicle-kilometres with everything on; 500000: full proof',
  },
  seed: { fallback: 1, min: 0, max: 2 ** 32 - 1, help: 'of the first world' },
  threads: { fallback: availableParallelism(), min: 1, max: 256, help: 'threads' },
  out: { fallback: '', help: `folder of the report; else ${FOLDER}` },
  only: { fallback: [], choices: PARTS, help: 'parts; the report keeps the others' },
};

export const HELP = `npm run prove

Proves on the shipped kernel that no car collides with everything on, and that each feature matters:
manoeuvres with the feature on and off; headways, grip and the vehicle model beside published ones; a
sweep over all cities with each feature off in turn; whether anything appears, vanishes or happens
that nobody is told; whether what the outlook tells comes true; whether collision reports name the
feature that was off; and whether the reports of a node are confirmed when its worlds run again through its
interface. Prints tables with marks, writes report.md, report.json and plots. Exit code 1: a mark is
missed.

${describeOptions(OPTIONS)}`;

/**
 * What a run does. `seed`: of the first world, the others count up from it. `km`: vehicle-kilometres
 * with everything on; everything else grows with them. Throws UsageError.
 */
export function optionsFrom(args: readonly string[]) {
  const { only, out, ...options } = parseOptions(OPTIONS, args);
  const parts = PARTS.filter((part) => only.length === 0 || only.includes(part));
  return { ...options, parts, folder: out === '' ? join(ROOT, FOLDER) : resolve(out) };
}

export type ProveOptions = ReturnType<typeof optionsFrom>;
