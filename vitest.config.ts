import { spawnSync } from 'node:child_process';
import { configDefaults, defineConfig } from 'vitest/config';

/** What starts a Redis server of its own. */
const REDIS_TESTS = ['src/store/redis/*.test.ts', 'src/**/*redis*.test.ts'];

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const leavesOutRedis = !hasRedis && process.env.CI !== 'true';
if (leavesOutRedis) {
  console.warn(`no redis-server on the path: LEFT OUT are ${REDIS_TESTS.join(' and ')}`);
}

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...(leavesOutRedis ? REDIS_TESTS : [])],
    include: ['src/**/*.test.ts', 'load/**/*.test.ts', 'bench/**/*.test.ts'],
    pool: 'forks',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
