import { formatRequest } from '../bench/common/http-pool.ts';
import { saturate } from '../bench/common/loops.ts';
import { startEmptyServer } from '../bench/common/server.ts';
import { systemTime } from '../src/time.ts';
import { gather } from './crowd.ts';
import type { FrameSummary } from './frame-tally.ts';
import { formatShare, LoadMeter } from './usage-meter.ts';

const SECONDS = 4;
const SETTLE_MS = 1000;
/** Above these the load generator may have limited the run. */
const CEILING_SHARE_MAX = 0.7;
const OWN_CPU_SHARE_MAX = 0.85;

/** The rate that this client reaches with a server that does nothing, on this machine, now. */
interface Ceiling {
  what: 'requests' | 'frames';
  perS: number;
}

/** Requests a second with small bodies in both directions. */
export async function requestCeiling(connectionCount: number): Promise<Ceiling> {
  const server = await startEmptyServer();
  try {
    const request = formatRequest(server.url, 'PATCH', '/accept/400', {}, '{"aeb":false}');
    const { okPerS } = await saturate(server.url, {
      width: connectionCount,
      seconds: SECONDS,
      requests: [request],
    });
    return { what: 'requests', perS: okPerS };
  } finally {
    await server.stop();
  }
}

/**
 * Frames a second that this process could receive on one whole core, from the processor time that
 * each frame of an empty server cost it. The gaps are those of a server that does nothing else.
 */
export async function frameCeiling(
  watcherCount: number,
  frameBytes: number,
): Promise<Ceiling & { gaps: FrameSummary }> {
  const server = await startEmptyServer();
  try {
    const crowd = await gather(server.url, Array(watcherCount).fill(`/ws/${frameBytes}`));
    await systemTime.sleep(SETTLE_MS);
    crowd.tally.record();
    const meter = new LoadMeter(server);
    await systemTime.sleep(SECONDS * 1000);
    const share = Math.max(meter.ownShare(), 0.001);
    const gaps = crowd.tally.summary();
    crowd.close();
    return { what: 'frames', perS: gaps.frames / SECONDS / share, gaps };
  } finally {
    await server.stop();
  }
}

/** Tells whether the server or this client limited a run: only the former says how fast a server is. */
export function judge(ceiling: Ceiling, reachedPerS: number, ownCpuShare: number) {
  const serverLimits =
    reachedPerS <= ceiling.perS * CEILING_SHARE_MAX && ownCpuShare <= OWN_CPU_SHARE_MAX;
  const figures =
    `client ceiling ${Math.round(ceiling.perS)} ${ceiling.what}/s, ` +
    `reached ${Math.round(reachedPerS)}/s, client used ${formatShare(ownCpuShare)}`;
  const conclusion = serverLimits
    ? 'the client was not the limit'
    : 'THE CLIENT MAY HAVE BEEN THE LIMIT';
  return {
    ceilingPerS: ceiling.perS,
    reachedPerS,
    ownCpuShare,
    serverLimits,
    text: `${figures}: ${conclusion}`,
  };
}
