import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { HAS_REDIS } from './src/testing/rigs/redis.ts';

/** What starts a Redis server of its own. */
const REDIS_TESTS = ['src/store/redis/*.test.ts', '{src,client}/**/*redis*.test.ts'];

if (!HAS_REDIS) {
  console.warn(`no redis-server on the path: LEFT OUT are ${REDIS_TESTS.join(' and ')},`);
  console.warn('and src/testing/suites runs on the embedded store only, on one node');
}

/** They start nodes, browsers and servers: each file gets a process of its own. */
const SUITES = [
  'src/{testing/suites,store,worlds}/**/*.test.ts',
  'client/suites/*.test.ts',
  'src/main.test.ts',
];

/** A part of the suites that runs on three nodes too; `npm run suites` runs all of them there. */
const ON_NODES = [
  'src/testing/suites/twin/{features,lockstep-stream,stream}.test.ts',
  'src/testing/suites/dealer/fleets.test.ts',
];

// The nodes that tests start inherit it, and so do their threads.
const stripCache = new URL('src/testing/rigs/strip-cache.mjs', import.meta.url);
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${stripCache}`;

/** They put doubles in the place of modules, which another file may have loaded before. */
const MOCKED = ['src/web/viewer/page/*.test.ts', 'src/dealer/customers.test.ts'];

/** They use all processors for a minute, so they run after all others. */
const RUNS = ['src/simulation/simulation.test.ts'];

const exclude = [...configDefaults.exclude, ...(HAS_REDIS ? [] : REDIS_TESTS)];

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than processors: many files wait for disks, for nodes that start, or for a browser.
    maxWorkers: availableParallelism() + 1,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a browser shows may take a slow machine longer than the usual second.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      { extends: true, test: { name: 'suites', include: SUITES, exclude } },
      {
        extends: true,
        test: {
          name: 'nodes',
          include: HAS_REDIS ? ON_NODES : [],
          env: { SUITE_NODES: '3', SUITE_NODE: 'any' },
        },
      },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['{src,assembly,load,bench,scripts,client/src}/**/*.test.ts'],
          exclude: [...exclude, ...SUITES, ...MOCKED, ...RUNS],
          // One process after the other would load the same modules for each of 150 files.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'mocked', include: MOCKED, exclude } },
      {
        extends: true,
        test: { name: 'runs', include: RUNS, exclude, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
