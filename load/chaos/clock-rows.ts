import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../../bench/common/figures.ts';
import { formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import { makeWorlds } from '../../bench/common/made-worlds.ts';
import { UsageError } from '../../bench/common/usage-error.ts';
import { atMostMs, type Found, type Group, none, nothingLost, type Row } from './row.ts';
import { onStage, type Stage, sleepS } from './stage.ts';

const JUMP_S = 3600;
/** Time in which nodes would delete worlds or take partitions over, if they believed such a clock. */
const AHEAD_S = 75;
/** Of each node. After an hour worlds that nobody uses are deleted. */
const UNUSED_WORLDS = 10;
/** While all runs on, a busy machine may refuse a request. */
const REFUSED_MS_MAX = 5000;
const LIBRARY = 'libfaketimeMT.so.1';

const judged = (found: Found) => [
  none('leases that changed hands', found.takeovers),
  none('partitions lost', found.lostPartitions),
  atMostMs('all served again', found.recoveredMs, REFUSED_MS_MAX),
  ...nothingLost(found),
];

/** Lets a clock jump while worlds live that nobody uses; none of them may be deleted. */
async function ahead({ nodes }: Stage, jump: () => Promise<void>): Promise<Figure[]> {
  const unused = await Promise.all(nodes.living.map(({ url }) => makeWorlds(url, UNUSED_WORLDS)));
  await jump();
  await sleepS(AHEAD_S);
  const { url } = nodes.nearest(0);
  const pool = await HttpPool.open(url, 1);
  let deleted = 0;
  for (const { id } of unused.flat()) {
    const { status } = await pool.ask(formatRequest(url, 'GET', `/api/v1/worlds/${id}`));
    if (status === 404) deleted++;
  }
  pool.close();
  return [none('worlds that were deleted', deleted)];
}

/** A wall clock that can be moved while its process runs; the monotonic clock stays. */
class MovableClock {
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;

  static async make(dir: string): Promise<MovableClock> {
    const clock = new MovableClock(join(dir, 'clock'));
    await clock.moveTo(0);
    return clock;
  }

  private constructor(file: string) {
    this.#file = file;
    this.environment = {
      LD_PRELOAD: libraryPath(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  async moveTo(aheadS: number): Promise<void> {
    await writeFile(this.#file, `+${aheadS}\n`);
  }
}

/** Debian's, wherever the machine keeps it. Throws UsageError where it is not installed. */
function libraryPath(): string {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const paths = folders.map((folder) => `/usr/lib/${folder}/faketime/${LIBRARY}`);
  const path = paths.find((each) => existsSync(each));
  if (path === undefined) throw new UsageError('clocks need libfaketime: apt-get install faketime');
  return path;
}

/** The clock of the machine of one node jumps. */
export const CLOCK_OF_NODE: Group = {
  names: ['clock-of-node'],
  check: () => void libraryPath(),
  async on(options, work) {
    const clock = await MovableClock.make(options.dir);
    const nodeEnvironment = (index: number) => (index === 0 ? clock.environment : {});
    const fault = (stage: Stage) => ahead(stage, () => clock.moveTo(JUMP_S));
    await onStage({ ...options, nodeEnvironment }, (stage) => {
      return work(stage, [{ name: 'clock-of-node', fault, judged }]);
    });
  },
};

/** The clock of Redis jumps: all that expires there does, and what it has noted is an hour old. */
export const CLOCK_OF_REDIS: Row = {
  name: 'clock-of-redis',
  // Redis does not start with the library that moves clocks.
  fault: (stage) => ahead(stage, () => stage.redis.moveClock(JUMP_S * 1000)),
  judged,
};
