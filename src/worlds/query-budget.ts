import { TwinError } from '../errors.ts';
import { WAIT_MS_MAX, WORK_MS_MAX } from '../limits.ts';
import type { LookAnswer, LookTask } from '../shard/protocol.ts';
import type { Shard } from '../shard/shard.ts';

/**
 * One look at a world that is `debtTicks` behind it; `gone` where its shard's thread ends. Throws
 * TwinError `overloaded`, with nothing begun, where that is too much work, unless it is done in the
 * background. What would only keep its caller waiting for too long is done without them: then the
 * promise rejects with it.
 */
export function lookWithin(shard: Shard, task: LookTask, debtTicks: number): Promise<LookAnswer> {
  const { background } = task;
  const waitMs = shard.waitMs(debtTicks);
  const overloaded = () =>
    new TwinError('overloaded', 'The world is catching up.', Math.ceil(waitMs / 1000));
  if (waitMs > WORK_MS_MAX && !background) throw overloaded();
  const settle = shard.owe(debtTicks);
  const done = shard
    .look(task)
    .catch((error: unknown): LookAnswer => {
      if (error instanceof TwinError) return { outcome: 'gone' };
      throw error;
    })
    .finally(settle);
  if (background || waitMs <= WAIT_MS_MAX) return done;
  // Nobody may be left to hear how it ends.
  done.catch(() => {});
  return Promise.reject(overloaded());
}
