import { formatRequest, HttpPool } from '../bench/common/http-pool.ts';
import { closedLoop } from '../bench/common/loops.ts';
import { startEmptyServer } from '../bench/common/server.ts';
import { systemTime } from '../src/time.ts';
import { gather } from './crowd.ts';
import { formatShare, type Usage, UsageMeter } from './usage-meter.ts';
import { summarise, type WatchersSummary } from './watcher.ts';

const SECONDS = 4;
const SETTLE_MS = 1000;
/** Above these the load generator may have been what limited the run. */
const CEILING_SHARE_MAX = 0.7;
const OWN_CPU_SHARE_MAX = 0.85;

/** What this client reaches against a server that does nothing, on this machine, now. */
export interface Ceiling {
  what: 'requests' | 'frames';
  perS: number;
}

export interface Verdict {
  ceilingPerS: number;
  reachedPerS: number;
  ownCpuShare: number;
  serverLimits: boolean;
  text: string;
}

/** Processor time of this very process, as a share of a core, since the meter was made. */
export class OwnMeter {
  readonly #startMs = systemTime.now();
  readonly #start = process.cpuUsage();

  share(): number {
    const { user, system } = process.cpuUsage(this.#start);
    return (user + system) / 1000 / (systemTime.now() - this.#startMs);
  }
}

/** Requests a second with small bodies both ways, over so many connections. */
export async function requestCeiling(connectionCount: number): Promise<Ceiling> {
  const server = await startEmptyServer();
  try {
    const pool = await HttpPool.open(server.url, connectionCount);
    const request = formatRequest(server.url, 'PATCH', '/accept/400', {}, '{"aeb":false}');
    const result = await closedLoop(pool, {
      width: connectionCount,
      count: Number.POSITIVE_INFINITY,
      seconds: SECONDS,
      request: () => request,
    });
    pool.close();
    return { what: 'requests', perS: result.okPerS };
  } finally {
    await server.stop();
  }
}

/**
 * Frames a second that this process could take at full use of one core: from the processor time
 * that each cost it while an empty server sent so many watchers frames of so many bytes. The gaps
 * are what a server that does nothing else reaches on this machine, now.
 */
export async function frameCeiling(
  watcherCount: number,
  frameBytes: number,
): Promise<Ceiling & { gaps: WatchersSummary }> {
  const server = await startEmptyServer();
  try {
    const crowd = await gather(server.url, Array(watcherCount).fill(`/ws/${frameBytes}`), SECONDS);
    await systemTime.sleep(SETTLE_MS);
    crowd.record();
    const meter = new OwnMeter();
    await systemTime.sleep(SECONDS * 1000);
    const share = Math.max(meter.share(), 0.001);
    const gaps = summarise(crowd.watchers);
    crowd.close();
    return { what: 'frames', perS: gaps.frames / SECONDS / share, gaps };
  } finally {
    await server.stop();
  }
}

/** Says which of the two limited a run: the figures of the server stand only where it did. */
export function judge(ceiling: Ceiling, reachedPerS: number, ownCpuShare: number): Verdict {
  const serverLimits =
    reachedPerS <= ceiling.perS * CEILING_SHARE_MAX && ownCpuShare <= OWN_CPU_SHARE_MAX;
  const figures =
    `client ceiling ${Math.round(ceiling.perS)} ${ceiling.what}/s, ` +
    `reached ${Math.round(reachedPerS)}/s, client used ${formatShare(ownCpuShare)}`;
  const conclusion = serverLimits
    ? 'the client has room to spare'
    : 'THE CLIENT MAY HAVE BEEN THE LIMIT';
  return {
    ceilingPerS: ceiling.perS,
    reachedPerS,
    ownCpuShare,
    serverLimits,
    text: `${figures}: ${conclusion}`,
  };
}

/** Undefined where the server's process is not known. */
export function meterOf(pid: number | undefined): UsageMeter | undefined {
  return pid === undefined ? undefined : new UsageMeter(pid);
}

export function formatUsage(usage: Usage | undefined): string {
  if (!usage) return 'unknown (give --pid)';
  return `${formatShare(usage.cpuShare)}, its busiest thread ${formatShare(usage.busiestThreadShare)}`;
}
