import { fileURLToPath } from 'node:url';
import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type * as tasks from '../../workers/shard.ts';

const WORKER = fileURLToPath(new URL('../../workers/shard.ts', import.meta.url));
/** All tasks go to the thread at once: they wait there, each for its world. */
const TASKS_AT_ONCE = 100_000;

export type ShardTasks = typeof tasks;
export type TaskName = keyof ShardTasks;
export type TaskInput<Name extends TaskName> = Parameters<ShardTasks[Name]>[0];
export type TaskAnswer<Name extends TaskName> = Awaited<ReturnType<ShardTasks[Name]>>;

/** One dedicated thread that runs the exported functions of `workers/shard.ts` as tasks. */
export class ShardPool {
  readonly #pool: Piscina;

  /** `onError`: called for an error outside of any task; the thread has ended. */
  constructor(onError: (error: Error) => void) {
    this.#pool = new Piscina({
      filename: WORKER,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: TASKS_AT_ONCE,
      maxQueue: TASKS_AT_ONCE,
      // By default Piscina blocks an idle thread, and timers in it do not run.
      atomics: 'disabled',
    });
    this.#pool.on('error', onError);
  }

  /** Runs an exported function of the worker. Rejects if it throws or the thread dies. */
  run<Name extends TaskName>(
    name: Name,
    task: TaskInput<Name>,
    transferList: Transferable[] = [],
  ): Promise<TaskAnswer<Name>> {
    return this.#pool.run(task, { name, transferList: transferList as never });
  }

  /** Ends the thread at once. */
  destroy(): Promise<void> {
    return this.#pool.destroy();
  }
}
