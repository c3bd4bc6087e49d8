/** Lives through runs of a cluster: `npm run simulate -- [--seeds 500] [--from 1] [--seed N] [--trace]`. */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { systemTime } from '../time.ts';
import { runMutants } from './mutant-runs.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { missedCases } from './rare-cases.ts';
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
--lossy          Redis loses its last writes far more often: finds in some thousand runs what
                 seldom happens otherwise; they do not count as runs without it
--all            goes on after a failure
--hashes         prints the hash of each run's trace: equal in every process
--mutants        runs builds that are broken on purpose until the invariant that is named for each fails
--only NAME      of these this one alone

Ten thousand runs or more also fail if something that may happen has not, or hardly.

At its end it prints the commit and a hash of the sources of a run. What ran with the same hash can be
added, whatever the commits: \`--from 1 --seeds 1000\` and \`--from 1001 --seeds 1000\` are 2000 runs.`;

/** How often the state of a long run is printed. */
const PROGRESS_MS = 10_000;

const OPTIONS = {
  seed: { type: 'string' },
  seeds: { type: 'string', default: '500' },
  from: { type: 'string', default: '1' },
  workers: { type: 'string', default: String(availableParallelism()) },
  trace: { type: 'boolean', default: false },
  lossy: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  hashes: { type: 'boolean', default: false },
  mutants: { type: 'boolean', default: false },
  only: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

function wholeOf(name: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 1) return value;
  throw new Error(`--${name} takes a whole number from 1 on, not "${text}".`);
}

/** Throws Error with a message for the user. */
function readOptions() {
  const { values } = parseArgs({ options: OPTIONS });
  const { seed, seeds, from, workers } = values;
  return {
    ...values,
    seed: seed === undefined ? undefined : wholeOf('seed', seed),
    seeds: wholeOf('seeds', seeds),
    from: wholeOf('from', from),
    workers: wholeOf('workers', workers),
  };
}

type Options = ReturnType<typeof readOptions>;

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

function report({ seed, steps, failure }: Outcome, isLossy: boolean): void {
  console.error(`FAILED seed ${seed}, commit ${commitName()}, step ${steps}: ${failure?.message}`);
  console.error(`  npm run simulate -- --seed ${seed}${isLossy ? ' --lossy' : ''} --trace`);
  process.exitCode = 1;
}

async function runOne(seed: number, { trace, lossy: isLossy }: Options): Promise<void> {
  const write = trace ? (line: string) => console.log(line) : undefined;
  const outcome = await outcomeOf({ seed, isLossy }, write);
  if (outcome.failure !== undefined) report(outcome, isLossy);
  console.log(`seed ${seed}: trace ${outcome.hash}, ${outcome.steps} steps`);
  console.log(formatted(outcome.counts));
}

async function runMany(
  pool: SeedPool,
  { from, seeds: count, all, hashes, lossy: isLossy }: Options,
): Promise<void> {
  const startMs = systemTime.now();
  const passedS = () => (systemTime.now() - startMs) / 1000;
  let printedMs = startMs;
  const done = (outcome: Outcome, runCount: number) => {
    if (outcome.failure !== undefined) report(outcome, isLossy);
    if (hashes) console.log(`${outcome.seed} ${outcome.hash}`);
    if (hashes || systemTime.now() - printedMs < PROGRESS_MS) return;
    printedMs = systemTime.now();
    const leftS = (passedS() / runCount) * (count - runCount);
    console.log(`${runCount} of ${count} runs, about ${leftS.toFixed(0)} s remain`);
  };
  const runs = await runSeeds(pool, { from, count }, { all, isLossy, done });
  const { runCount, totals, strikes, failed } = runs;
  const missed = missedCases(runs);
  if (missed.length > 0) {
    console.error(`FAILED too seldom in ${runCount} runs: ${missed.join(', ')}`);
    process.exitCode = 1;
  }
  if (hashes) return;
  console.log(`${runCount} runs in ${passedS().toFixed(1)} s, ${failed.length} failures`);
  console.log(formatted(totals));
  const struck = [...strikes].sort().map(([what, count]) => `${count} × ${what}`);
  console.log(`handovers struck: ${struck.join(', ')}`);
}

async function runInPool(options: Options): Promise<void> {
  const pool = new SeedPool(options.workers);
  if (!options.mutants) await runMany(pool, options);
  else process.exitCode = (await runMutants(pool, options.only)) ? 0 : 1;
  pool.close();
}

async function run(options: Options): Promise<void> {
  // Before the runs: files may change meanwhile.
  const made = `commit ${commitName()}, sources ${sourceHash()}`;
  if (options.seed === undefined) await runInPool(options);
  else await runOne(options.seed, options);
  if (!options.hashes) console.log(made);
}

function optionsOrFault(): Options | Error {
  try {
    return readOptions();
  } catch (fault) {
    return fault as Error;
  }
}

const options = optionsOrFault();
if (options instanceof Error) {
  console.error(`${options.message}\n\n${HELP}`);
  process.exitCode = 2;
} else if (options.help) console.log(HELP);
else await run(options);
// Threads of the front end that were never needed keep the process alive.
process.exit();
