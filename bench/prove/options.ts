import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const PARTS = ['manoeuvres', 'sweep', 'attribution', 'verdicts'] as const;
export type Part = (typeof PARTS)[number];

export interface ProveOptions {
  /** Of the first world; the others count up from it. */
  seed: number;
  /** Vehicle-kilometres with everything on; everything else grows with them. */
  km: number;
  parts: readonly Part[];
  threads: number;
  folder: string;
}

const FOLDER = fileURLToPath(new URL('../results/prove', import.meta.url));

export const HELP = `npm run prove

Proves on the shipped kernel that no car collides with everything on, and that each feature matters:
manoeuvres with the feature on and off; a sweep over all cities with each feature off in turn;
whether collision reports name the feature that was off; and whether the reports of a node are
confirmed when its worlds run again through its interface. Prints tables with marks, writes
report.md, report.json and plots. Exit code 1: a mark is missed.

  --km 20000        vehicle-kilometres with everything on; the rest grows with it (500000: full proof)
  --seed 1          of the first world
  --only <part>     ${PARTS.join(', ')}; may be given more than once;
                    the report keeps what earlier runs left of the other parts in its folder
  --threads <n>     all cores by default
  --out <folder>    bench/results/prove by default`;

/** @throws RangeError for a value that makes no sense, TypeError for an option that there is not */
export function optionsFrom(args: readonly string[]): ProveOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: text,
      km: text,
      threads: text,
      out: text,
      only: { type: 'string', multiple: true },
    },
  });
  const only = values.only?.map(partOf);
  return {
    seed: whole('seed', values.seed ?? '1', 0),
    km: whole('km', values.km ?? '20000', 1),
    parts: only ? PARTS.filter((part) => only.includes(part)) : PARTS,
    threads: whole('threads', values.threads ?? String(availableParallelism()), 1),
    folder: resolve(values.out ?? FOLDER),
  };
}

function whole(name: string, value: string, min: number): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isInteger(number) && number >= min) return number;
  throw new RangeError(`--${name} takes a whole number from ${min}`);
}

function partOf(name: string): Part {
  const part = PARTS.find((each) => each === name);
  if (part === undefined) throw new RangeError(`--only takes ${PARTS.join(', ')}`);
  return part;
}
