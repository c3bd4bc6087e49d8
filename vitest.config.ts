import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { HAS_REDIS } from './src/testing/rigs/redis.ts';

/** What starts a Redis server of its own. */
const REDIS_TESTS = ['src/store/redis/*.test.ts', 'src/**/*redis*.test.ts'];

if (!HAS_REDIS) {
  console.warn(`no redis-server on the path: LEFT OUT are ${REDIS_TESTS.join(' and ')},`);
  console.warn('and src/testing/suites/dealer runs on the embedded store only');
}

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...(HAS_REDIS ? [] : REDIS_TESTS)],
    include: [
      'src/**/*.test.ts',
      'assembly/**/*.test.ts',
      'load/**/*.test.ts',
      'bench/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    pool: 'forks',
    // Many files wait for restarts, leases and time-outs rather than for a core.
    maxWorkers: Math.max(2, availableParallelism()),
    execArgv: ['--disable-warning=ExperimentalWarning'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a browser shows may take a slow machine longer than the usual second.
    expect: { poll: { timeout: 20_000 } },
  },
});
