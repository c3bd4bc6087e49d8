import { figure } from '../bench/common/figures.ts';
import { inFreshDir } from '../bench/common/fresh-dir.ts';
import { HttpPool } from '../bench/common/http-pool.ts';
import { formatMs } from '../bench/common/latencies.ts';
import { openLoop } from '../bench/common/loops.ts';
import { makeWorlds } from '../bench/common/made-worlds.ts';
import type { Options } from '../bench/common/options.ts';
import { onOwnRedis } from '../bench/common/own-redis.ts';
import { median } from '../bench/common/report.ts';
import { type Server, startEmptyServer, startNodeOn } from '../bench/common/server.ts';
import { systemTime } from '../src/time.ts';
import { type Car, carsOf, changesOf, type ReadBack, readBack } from './changes.ts';
import { commandWithNodes, type Outcome } from './command.ts';

const CONNECTIONS = 64;
/** Worlds whose cars are changed; the others are only in the store. */
const CHANGED_WORLDS = 50;
/** A kill happens so long after the first change, and in each round a little later. */
const KILL_AFTER_MS = 1500;
const KILL_LATER_MS = 270;
/** From the start of the process until it serves. */
const READY_MS_MAX = 3000;
/** With Redis a node also waits until the lease of the killed one has expired. */
const LEASE_MS = 6000;

const options = {
  worlds: { fallback: 10_000, min: 1, max: 1_000_000, help: 'worlds in the store' },
  rounds: { fallback: 5, min: 1, max: 100, help: 'kills' },
  rate: { fallback: 3000, min: 1, max: 20_000, help: 'changes a second until each kill' },
  store: { fallback: 'embedded', choices: ['embedded', 'redis'], help: 'where the worlds are' },
} as const;

type Chosen = Options<typeof options>;

/** How soon a node that was killed serves again, and whether it has what it had answered. */
export const restart = commandWithNodes({
  summary: 'kill a node under changes and start it again: how soon it serves, what is lost',
  options,
  measures: [],
  run: (chosen) =>
    inFreshDir((dir) => (chosen.store === 'redis' ? onRedis(chosen, dir) : onFolder(chosen, dir))),
});

interface Place {
  start(): Promise<Server>;
  readyMsMax: number;
}

function onFolder(chosen: Chosen, dir: string): Promise<Outcome> {
  return measure(chosen, { start: () => startNodeOn(dir), readyMsMax: READY_MS_MAX });
}

function onRedis(chosen: Chosen, dir: string): Promise<Outcome> {
  return onOwnRedis(({ url }) => {
    const start = () => startNodeOn(dir, { settings: { REDIS_URL: url } });
    return measure(chosen, { start, readyMsMax: READY_MS_MAX + LEASE_MS });
  });
}

async function measure(chosen: Chosen, { start, readyMsMax }: Place): Promise<Outcome> {
  const found: Round[] = [];
  let node = await start();
  try {
    const made = await makeWorlds(node.url, chosen.worlds);
    const changed = made.slice(0, CHANGED_WORLDS);
    for (let round = 0; round < chosen.rounds; round += 1) {
      const cars = carsOf(changed);
      const killAfterMs = KILL_AFTER_MS + round * KILL_LATER_MS;
      const acknowledged = await changeUntilKilled(node, cars, { ...chosen, killAfterMs });
      const emptyMs = await startMsOfEmpty();
      const startMs = systemTime.now();
      node = await start();
      const readyMs = systemTime.now() - startMs;
      const verified = await readBackFrom(node, cars);
      found.push({ readyMs, emptyMs, acknowledged, verified });
      console.log(`kill ${round + 1} of ${chosen.rounds}: ${formatRound(found.at(-1) as Round)}`);
    }
  } finally {
    await node.stop();
  }
  return outcomeOf(found, readyMsMax);
}

interface Round {
  readyMs: number;
  /** Until a server that does nothing is ready. */
  emptyMs: number;
  /** Changes that were answered before the kill. */
  acknowledged: number;
  verified: ReadBack;
}

async function changeUntilKilled(
  node: Server,
  cars: Car[],
  { rate, killAfterMs }: { rate: number; killAfterMs: number },
): Promise<number> {
  const pool = await HttpPool.open(node.url, CONNECTIONS);
  const over = new AbortController();
  const plan = { ...changesOf(node.url, cars), ratePerS: rate, seconds: Number.POSITIVE_INFINITY };
  const changing = openLoop(pool, plan, over.signal);
  await systemTime.sleep(killAfterMs);
  over.abort();
  // At once: some changes are still under way.
  process.kill(node.pid as number, 'SIGKILL');
  const { ok } = await changing;
  pool.close();
  await node.stop();
  return ok;
}

async function startMsOfEmpty(): Promise<number> {
  const startMs = systemTime.now();
  const server = await startEmptyServer();
  const readyMs = systemTime.now() - startMs;
  await server.stop();
  return readyMs;
}

async function readBackFrom(node: Server, cars: readonly Car[]): Promise<ReadBack> {
  const pool = await HttpPool.open(node.url, CONNECTIONS);
  const verified = await readBack(node.url, pool, cars);
  pool.close();
  return verified;
}

function formatRound({ readyMs, emptyMs, acknowledged, verified }: Round): string {
  const { right, wrong, skipped } = verified;
  return (
    `ready in ${formatMs(readyMs)} (a server that does nothing: ${formatMs(emptyMs)}), ` +
    `${acknowledged} changes answered, ${right} cars as answered, ${wrong} NOT, ` +
    `${skipped} with a change that was not answered`
  );
}

function outcomeOf(found: readonly Round[], readyMsMax: number): Outcome {
  const all = (of: (round: Round) => number) => found.map(of);
  const sum = (of: (round: Round) => number) => all(of).reduce((a, b) => a + b, 0);
  const rows: Outcome['rows'] = [
    ['kills', String(found.length)],
    ['changes that were answered', String(sum(({ acknowledged }) => acknowledged))],
    ['cars read back', String(sum(({ verified }) => verified.right + verified.wrong))],
    ['a server that does nothing', formatMs(median(all(({ emptyMs }) => emptyMs)))],
    ['ready again, median', formatMs(median(all(({ readyMs }) => readyMs)))],
  ];
  const judged = [
    figure('ready again, slowest', Math.max(...all(({ readyMs }) => readyMs)), 'ms', {
      atMost: readyMsMax,
    }),
    figure(
      'cars that lost a change',
      sum(({ verified }) => verified.wrong),
      'cars',
      { atMost: 0 },
    ),
  ];
  return { rows, judged, figures: { found, judged } };
}
