import { readFileSync } from 'node:fs';
import { systemTime } from '../../src/time.ts';

const SLICE_MS = 100;

/**
 * Groups of processes that run in turns, each for a tenth of a second, on one processor. A machine may change its
 * speed every few seconds, and its processors differ: all groups meet the same speeds. What they measure in
 * processor time stays true, what they measure by a clock does not.
 */
export class Slices {
  /** The first one runs, the others are stopped. */
  readonly #groups: number[] = [];
  #stop = () => {};

  /** Takes a group that runs. */
  add(group: number): void {
    this.#groups.push(group);
    if (this.#groups.length === 1) this.#stop = systemTime.every(SLICE_MS, () => this.#turn());
    else signal(group, 'SIGSTOP');
  }

  /** Forgets a group that has ended, or lets one run on by itself. */
  remove(group: number): void {
    const place = this.#groups.indexOf(group);
    if (place < 0) return;
    this.#groups.splice(place, 1);
    signal(group, 'SIGCONT');
    const [next] = this.#groups;
    if (next === undefined) this.#stop();
    else if (place === 0) signal(next, 'SIGCONT');
  }

  #turn(): void {
    const [last, next] = this.#groups;
    if (last === undefined || next === undefined) return;
    signal(last, 'SIGSTOP');
    this.#groups.push(...this.#groups.splice(0, 1));
    signal(next, 'SIGCONT');
  }
}

/** A command line that runs another one on the processor of all groups: the first that this process may use. */
export function onOneProcessor(command: string, args: readonly string[]): [string, ...string[]] {
  const allowed = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return ['taskset', '--cpu-list', allowed?.[1] ?? '0', command, ...args];
}

/** Signals all processes of a group, if it has not ended. */
function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
