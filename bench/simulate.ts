/** How long do 500 runs of simulated clusters take? */
import { availableParallelism } from 'node:os';
import { SeedPool } from '../src/simulation/seed-pool.ts';
import { runSeeds } from '../src/simulation/seed-runs.ts';
import { systemTime } from '../src/time.ts';
import { type Figure, figure } from './common/figures.ts';
import { parseOptions } from './common/options.ts';

const OPTIONS = {
  seeds: { fallback: 500, min: 1, max: 1_000_000, help: 'runs' },
  workers: { fallback: availableParallelism(), min: 1, max: 256, help: 'processes' },
};
const SECONDS_MAX = 60;
/** What the limit is for. */
const LIMITED_SEEDS = 500;

export async function run(options: string[]): Promise<Figure[]> {
  const { seeds, workers } = parseOptions(OPTIONS, options);
  const pool = new SeedPool(workers);
  const startMs = systemTime.now();
  const { failed } = await runSeeds(pool, { from: 1, count: seeds }, { all: true });
  const seconds = (systemTime.now() - startMs) / 1000;
  pool.close();
  const atMost = (SECONDS_MAX * seeds) / LIMITED_SEEDS;
  return [
    figure(`${seeds} runs in ${workers} processes`, seconds, 's', { atMost, isScaled: true }),
    figure('a run in one process', (seconds / seeds) * workers, 's'),
    figure('failures', failed.length, '', { atMost: 0 }),
  ];
}
