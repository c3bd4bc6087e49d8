import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Job, Outcome } from './outcome.ts';

const FILE = fileURLToPath(new URL('seed-process.ts', import.meta.url));
/** A run makes much that it soon forgets. */
const ARGUMENTS = [
  ...['--min-semi-space-size=32', '--max-semi-space-size=64'],
  '--disable-warning=ExperimentalWarning',
];

/** Processes that live through runs, one at a time each. */
export class SeedPool {
  readonly #processes: readonly ChildProcess[];
  readonly #idle: ChildProcess[];
  readonly #waiting: ((free: ChildProcess) => void)[] = [];

  constructor(processCount: number) {
    this.#processes = Array.from({ length: processCount }, () =>
      fork(FILE, [], { execArgv: ARGUMENTS }),
    );
    this.#idle = [...this.#processes];
  }

  get size(): number {
    return this.#processes.length;
  }

  /** Rejects if the process ends, or cannot live through the run. */
  async run(job: Job): Promise<Outcome> {
    const own = this.#idle.pop() ?? (await this.#nextFree());
    try {
      return await outcomeIn(own, job);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(own);
      else next(own);
    }
  }

  #nextFree(): Promise<ChildProcess> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  close(): void {
    for (const each of this.#processes) if (each.connected) each.disconnect();
  }
}

function outcomeIn(own: ChildProcess, job: Job): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const settle = (run: () => void) => {
      own.off('message', answered);
      own.off('exit', ended);
      run();
    };
    const answered = ({ outcome, error }: { outcome?: Outcome; error?: string }) =>
      settle(() => {
        if (outcome === undefined) reject(new Error(error));
        else resolve(outcome);
      });
    const ended = () => settle(() => reject(new Error(`the process of seed ${job.seed} ended`)));
    own.on('message', answered);
    own.on('exit', ended);
    own.send(job);
  });
}
