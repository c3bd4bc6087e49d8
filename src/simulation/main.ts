/** Lives through runs of a cluster: `npm run simulate -- [--seeds 500] [--from 1] [--seed N] [--trace]`. */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { systemTime } from '../time.ts';
import { runMutants } from './mutant-runs.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { SeedPool } from './seed-pool.ts';
import { runSeeds } from './seed-runs.ts';
import { sourceHash } from './source-hash.ts';
import { formatted } from './totals.ts';

const HELP = `npm run simulate -- [options]

--seeds 500      how many runs
--from 1         the seed of the first one
--workers N      processes; as many as processors by default
--seed N         this run alone
--trace          prints what happens in it, and what the nodes log
--all            goes on after a failure
--hashes         prints the hash of each run's trace: equal in every process
--mutants        runs builds that are broken on purpose until the invariant that is named for each fails
--only NAME      of these this one alone

At its end it prints the commit and a hash of the sources of a run. What ran with the same hash can be
added, whatever the commits: \`--from 1 --seeds 1000\` and \`--from 1001 --seeds 1000\` are 2000 runs.`;

/** How often the state of a long run is printed. */
const PROGRESS_MS = 10_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
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

function report({ seed, steps, failure }: Outcome): void {
  console.error(`FAILED seed ${seed}, commit ${commitName()}, step ${steps}: ${failure?.message}`);
  console.error(`  npm run simulate -- --seed ${seed} --trace`);
  process.exitCode = 1;
}

async function runOne(seed: number): Promise<void> {
  const write = values.trace ? (line: string) => console.log(line) : undefined;
  const outcome = await outcomeOf({ seed }, write);
  if (outcome.failure !== undefined) report(outcome);
  console.log(`seed ${seed}: trace ${outcome.hash}, ${outcome.steps} steps`);
  console.log(formatted(outcome.counts));
}

async function runMany(pool: SeedPool, from: number, count: number): Promise<void> {
  const startMs = systemTime.now();
  const passedS = () => (systemTime.now() - startMs) / 1000;
  let printedMs = startMs;
  const done = (outcome: Outcome, runCount: number) => {
    if (outcome.failure !== undefined) report(outcome);
    if (values.hashes) console.log(`${outcome.seed} ${outcome.hash}`);
    if (values.hashes || systemTime.now() - printedMs < PROGRESS_MS) return;
    printedMs = systemTime.now();
    const leftS = (passedS() / runCount) * (count - runCount);
    console.log(`${runCount} of ${count} runs, about ${leftS.toFixed(0)} s remain`);
  };
  const { runCount, totals, strikes, failed } = await runSeeds(
    pool,
    { from, count },
    { all: values.all, done },
  );
  if (values.hashes) return;
  console.log(`${runCount} runs in ${passedS().toFixed(1)} s, ${failed.length} failures`);
  console.log(formatted(totals));
  const struck = [...strikes].sort().map(([what, count]) => `${count} × ${what}`);
  console.log(`handovers struck: ${struck.join(', ')}`);
}

async function runInPool(): Promise<void> {
  const pool = new SeedPool(Number(values.workers));
  if (!values.mutants) await runMany(pool, Number(values.from), Number(values.seeds));
  else process.exitCode = (await runMutants(pool, values.only)) ? 0 : 1;
  pool.close();
}

async function run(): Promise<void> {
  // Before the runs: files may change meanwhile.
  const made = `commit ${commitName()}, sources ${sourceHash()}`;
  if (values.seed !== undefined) await runOne(Number(values.seed));
  else await runInPool();
  if (!values.hashes) console.log(made);
}

if (values.help) console.log(HELP);
else await run();
// Threads of the front end that were never needed keep the process alive.
process.exit();
