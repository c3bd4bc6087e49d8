import { readFileSync } from 'node:fs';
import { type Server, startNode } from '../../bench/common/server.ts';
import { systemTime } from '../../src/time.ts';
import { parseStat } from '../usage-meter.ts';
import { limitMemory, type MemoryGroup } from './memory-group.ts';

const WATCH_MS = 100;

/** A node as it is delivered: with its limits on, unlike under a load. */
export interface NodeUnderAttack extends Server {
  /** Memory of its process; undefined where it has ended. */
  rssBytes(): number | undefined;
  /** Watches its memory until the returned function is called, which returns the peak. */
  watchMemory(): () => number;
}

/**
 * Starts a node.
 * @param limitMib memory that its process may take; 0: no limit
 */
export async function startNodeUnderAttack(limitMib = 0): Promise<NodeUnderAttack> {
  const group = limitMib > 0 ? limitedIfAllowed(limitMib) : undefined;
  const server = await startNode({ rateLimits: 'default', groupFile: group?.groupFile });
  const stop = async () => {
    await server.stop();
    group?.remove();
  };
  const rssBytes = () => rssBytesOf(server.pid);
  const watchMemory = () => {
    let peak = rssBytes() ?? 0;
    const stopWatching = systemTime.every(WATCH_MS, () => {
      peak = Math.max(peak, rssBytes() ?? 0);
    });
    return () => {
      stopWatching();
      return peak;
    };
  };
  return { ...server, stop, rssBytes, watchMemory };
}

function limitedIfAllowed(limitMib: number): MemoryGroup | undefined {
  try {
    return limitMemory(limitMib);
  } catch (error) {
    console.log(`the node runs WITHOUT a limit of memory: ${(error as Error).message}`);
    return undefined;
  }
}

function rssBytesOf(pid: number | undefined): number | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).rssBytes;
  } catch {
    return undefined;
  }
}
