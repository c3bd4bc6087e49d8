import type { Command, Report, ShardStart } from './protocol.ts';
import type { TaskAnswer, TaskInput, TaskName } from './shard-pool.ts';

/** What a thread begins with, beside its ports. */
export type ThreadStart = Omit<ShardStart, 'commands' | 'reports'>;

/** The thread of a shard, as the main thread uses it. */
export interface ShardThread {
  /** Resolves when the thread takes tasks. Rejects with the cause if it cannot start. */
  readonly ready: Promise<void>;

  command(command: Command): void;

  /** Runs a task. Rejects if it throws, or if the thread ends. */
  run<Name extends TaskName>(name: Name, task: TaskInput<Name>): Promise<TaskAnswer<Name>>;

  /** A report that was sent and is not handled yet: the listener does not get it any more. */
  nextReport(): Report | undefined;

  /** Ends it at once. */
  end(): Promise<void>;
}

export interface ThreadListener {
  report(report: Report): void;
  /** It has ended, and was not told to. */
  ended(error: unknown): void;
}

export type MakeThread = (start: ThreadStart, listener: ThreadListener) => ShardThread;
