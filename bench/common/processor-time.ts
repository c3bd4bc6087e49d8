import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of each thread of a process so far, in ns: finer than the 10 ms of `/proc/<pid>/stat`. */
export function threadTimesNs(pid: number | 'self'): Map<string, number> {
  const times = new Map<string, number>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [ns] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ');
      times.set(id, Number(ns));
    } catch {
      // It has ended meanwhile.
    }
  }
  return times;
}

/** Processor time of a whole process so far, in µs, but for threads that have ended. */
export function processorTimeUs(pid: number): number {
  let ns = 0;
  for (const time of threadTimesNs(pid).values()) ns += time;
  return ns / 1000;
}
