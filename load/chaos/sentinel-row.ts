import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, startRedis, type TestRedis } from '../../src/testing/rigs/redis.ts';
import { until } from '../../src/testing/rigs/until.ts';
import { systemTime } from '../../src/time.ts';
import type { ClusterNodes } from '../cluster/cluster-nodes.ts';
import { ReplicationProxy } from './replication-proxy.ts';
import { atMostMs, type Found, type Group, none, RECOVERED_MS_MAX, type Row } from './row.ts';
import { onStage, type Stage, sleepS } from './stage.ts';

const NAME = 'twin';
const DOWN_AFTER_MS = 1000;
const FAILOVER_TIMEOUT_MS = 5000;
/** What is written in this time is lost. */
const TAIL_S = 1.5;
/** What nodes have sent is there by then. */
const ARRIVED_S = 0.5;

interface Servers {
  master: TestRedis;
  replica: TestRedis;
  way: ReplicationProxy;
  sentinelPort: number;
  end(): Promise<void>;
}

async function startServers(dir: string): Promise<Servers> {
  const master = await startRedis();
  const way = await ReplicationProxy.open(master.port);
  const replica = await startRedis('--replicaof', '127.0.0.1', String(way.port));
  await until('a replica in step', async () =>
    (await replica.ask('INFO replication')).includes('master_link_status:up'),
  );
  const sentinelPort = await freePort();
  const file = join(dir, 'sentinel.conf');
  await writeFile(
    file,
    [
      `port ${sentinelPort}`,
      'bind 127.0.0.1',
      `dir ${dir}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${way.port} 1`,
      `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${NAME} ${FAILOVER_TIMEOUT_MS}`,
      '',
    ].join('\n'),
  );
  const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  const end = async () => {
    const ended = once(sentinel, 'exit');
    sentinel.kill('SIGKILL');
    await ended;
    way.close();
    await replica.discard();
    await master.discard();
  };
  return { master, replica, way, sentinelPort, end };
}

async function readiness(nodes: ClusterNodes): Promise<boolean[]> {
  return Promise.all(
    nodes.living.map(async ({ opsUrl }) => (await fetch(new URL('/readyz', opsUrl))).ok),
  );
}

function rowOf({ master, replica, way }: Servers): Row {
  /** From another master on until the row counts as over. */
  let afterMasterMs = 0;
  return {
    name: 'sentinel-failover',
    async fault({ load, nodes }: Stage) {
      way.holdReplication();
      await sleepS(TAIL_S);
      await master.kill();
      way.close();
      await until('another master', async () => (await replica.ask('ROLE')).includes('master'));
      const masterMs = systemTime.now();
      // Until a node has met the new master it shows the lost changes, which then are in no journal.
      await until('nodes that have met it', async () => (await readiness(nodes)).every(Boolean));
      await sleepS(ARRIVED_S);
      load.forgetShown();
      afterMasterMs = systemTime.now() - masterMs;
      return undefined;
    },
    judged: (found: Found) => [
      atMostMs('all served again', afterMasterMs + found.recoveredMs, RECOVERED_MS_MAX),
      none('worlds that nodes tell differently', found.disagreeing),
      none('snapshots of another world', found.wrongSnapshots),
      none('answers worse than 503', found.worse),
    ],
  };
}

/** Redis fails over to a replica that lacks the last writes. */
export const SENTINEL: Group = {
  names: ['sentinel-failover'],
  async on(options, work) {
    const servers = await startServers(options.dir);
    const redisUrl = `redis+sentinel://127.0.0.1:${servers.sentinelPort}/${NAME}`;
    try {
      await onStage({ ...options, redis: servers.master, redisUrl }, (stage) => {
        return work(stage, [rowOf(servers)]);
      });
    } finally {
      await servers.end();
    }
  },
};
