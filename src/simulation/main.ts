/** Lives through runs of a cluster: `npm run simulate -- [--seeds 500] [--from 1] [--seed N] [--trace]`. */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { systemTime } from '../time.ts';
import { runMutants } from './mutant-runs.ts';
import { type RunResult, simulate } from './simulation.ts';
import { addTo, formatted, NO_COUNTS } from './totals.ts';

const HELP = `npm run simulate -- [options]

--seeds 100      how many runs
--from 1         the seed of the first one
--seed N         this run alone
--trace          prints what happens in it, and what the nodes log
--all            goes on after a failure
--hashes         prints the hash of each run's trace: equal in every process
--mutants        runs builds that are broken on purpose until the invariant that is named for each fails
--only NAME      of these this one alone`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    hashes: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

function commitName(): string {
  try {
    const asked = ['rev-parse', '--short', 'HEAD'];
    return execFileSync('git', asked, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
}

function report({ seed, steps, failure }: RunResult): void {
  const why = failure instanceof Error ? failure.message : String(failure);
  console.error(`FAILED seed ${seed}, commit ${commitName()}, step ${steps}: ${why}`);
  console.error(`  npm run simulate -- --seed ${seed} --trace`);
  process.exitCode = 1;
}

async function run(from: number, count: number): Promise<void> {
  const write = values.trace ? (line: string) => console.log(line) : undefined;
  const startMs = systemTime.now();
  const totals = { ...NO_COUNTS };
  let done = 0;
  for (let seed = from; seed < from + count; seed++) {
    const result = await simulate(seed, write ? { write } : {});
    addTo(totals, result.counts);
    done++;
    if (result.failure !== undefined) report(result);
    if (values.hashes) console.log(`${seed} ${result.hash}`);
    else if (count === 1) console.log(`seed ${seed}: trace ${result.hash}, ${result.steps} steps`);
    else if (done % 20 === 0) console.log(`${done} of ${count} runs`);
    if (result.failure !== undefined && !values.all) break;
  }
  const seconds = ((systemTime.now() - startMs) / 1000).toFixed(1);
  if (values.hashes) return;
  console.log(`${done} runs in ${seconds} s: ${formatted(totals)}`);
}

if (values.help) console.log(HELP);
else if (values.mutants) process.exitCode = (await runMutants(values.only)) ? 0 : 1;
else if (values.seed !== undefined) await run(Number(values.seed), 1);
else await run(Number(values.from), Number(values.seeds));
// Threads of the front end that were never needed keep the process alive.
process.exit();
