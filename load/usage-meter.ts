import { readdirSync, readFileSync } from 'node:fs';
import { systemTime } from '../src/time.ts';

/** USER_HZ, which Linux fixes at 100 on every architecture that Node runs on. */
const CLOCK_TICKS_PER_S = 100;
const PAGE_BYTES = 4096;

interface Stat {
  cpuMs: number;
  rssBytes: number;
}

/** `/proc/<pid>/stat` or a thread's, see proc_pid_stat(5): user and system time, resident pages. */
export function parseStat(text: string): Stat {
  // The second field is the command in parentheses, and may hold blanks and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const cpuTicks = Number(fields[11]) + Number(fields[12]);
  return {
    cpuMs: (cpuTicks * 1000) / CLOCK_TICKS_PER_S,
    rssBytes: Number(fields[21]) * PAGE_BYTES,
  };
}

/** What a process used since its meter was made: shares are of one core, so 1.7 on two is possible. */
interface Usage {
  wallMs: number;
  cpuMs: number;
  cpuShare: number;
  /** The thread that used most: at 1 it is what limits. */
  busiestThreadShare: number;
  rssBytes: number;
}

/**
 * Measures what another process uses from now on; the returned function reads it. Both throw where the
 * process is gone.
 * @param folder of the process, as in `/proc` on Linux
 */
export function usageMeter(folder: string): () => Usage {
  const startMs = systemTime.now();
  const [before, threadsBefore] = [readStat(folder), readThreads(folder)];
  return () => {
    const wallMs = systemTime.now() - startMs;
    const { cpuMs: nowMs, rssBytes } = readStat(folder);
    const cpuMs = nowMs - before.cpuMs;
    const threadsMs = [...readThreads(folder)].map(([id, ms]) => ms - (threadsBefore.get(id) ?? 0));
    const busiestThreadShare = Math.max(0, ...threadsMs) / wallMs;
    return { wallMs, cpuMs, cpuShare: cpuMs / wallMs, busiestThreadShare, rssBytes };
  };
}

function readStat(folder: string): Stat {
  return parseStat(readFileSync(`${folder}/stat`, 'utf8'));
}

/** CPU time by thread id. A thread that ends while this reads is left out. */
function readThreads(folder: string): Map<string, number> {
  const threads = new Map<string, number>();
  for (const thread of readdirSync(`${folder}/task`)) {
    try {
      threads.set(thread, readStat(`${folder}/task/${thread}`).cpuMs);
    } catch {}
  }
  return threads;
}

/** Measures a server and this process over the same time. */
export class LoadMeter {
  readonly #startMs = systemTime.now();
  readonly #startCpu = process.cpuUsage();
  readonly #server: (() => Usage) | undefined;

  constructor({ pid }: { pid: number | undefined }) {
    this.#server = pid === undefined ? undefined : usageMeter(`/proc/${pid}`);
  }

  /** Undefined where the server's process is unknown. */
  server(): Usage | undefined {
    return this.#server?.();
  }

  /** Processor time of this process, as a share of a core. */
  ownShare(): number {
    const { user, system } = process.cpuUsage(this.#startCpu);
    return (user + system) / 1000 / (systemTime.now() - this.#startMs);
  }
}

export function formatUsage(usage: Usage | undefined): string {
  if (!usage) return 'unknown without --pid';
  return `${formatShare(usage.cpuShare)}, its busiest thread ${formatShare(usage.busiestThreadShare)}`;
}

export function formatShare(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} % of a core`;
}

export function formatMiB(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}
