/** The Piscina entry of a shard: every export is a task that the main thread names. */

import { nodeThread } from '../src/shard/host-thread.ts';
import type {
  Address,
  ForecastTask,
  FrozenTask,
  OpenTask,
  PastStateTask,
  QueryTask,
  ReplayTask,
  RewindTask,
  SearchTask,
  ShardStart,
} from '../src/shard/protocol.ts';
import { ShardHost } from '../src/shard/shard-host.ts';
import { warmUp } from '../src/shard/warm-up.ts';
import { systemTime } from '../src/time.ts';

let host: ShardHost | undefined;

const started = (): ShardHost => {
  if (host === undefined) throw new Error('this thread has not been started as a shard');
  return host;
};

export const serve = (start: ShardStart) => {
  warmUp(start);
  host = new ShardHost(start, systemTime, nodeThread);
  return host.run();
};
/** Answers once the thread has been started: tasks come in order. */
export const ready = () => void started();
export const openMany = (tasks: readonly OpenTask[]) => started().openMany(tasks);
export const query = (task: QueryTask) => started().query(task);
export const rewind = (task: RewindTask) => started().counterfactuals.rewind(task);
export const search = (task: SearchTask) => started().counterfactuals.search(task);
export const stopSearches = (world: number) => started().counterfactuals.stop(world);
export const replay = (task: ReplayTask) => started().counterfactuals.replay(task);
export const pastState = (task: PastStateTask) => started().counterfactuals.pastState(task);
export const forecast = (task: ForecastTask) => started().counterfactuals.forecast(task);
export const copies = (worlds: readonly Address[]) => started().standing.copies(worlds);
export const freeze = (worlds: readonly Address[]) => started().standing.freeze(worlds);
export const frozen = (worlds: readonly FrozenTask[]) => started().standing.frozen(worlds);
export const thaw = (worlds: readonly Address[]) => started().standing.thaw(worlds);
export const closeMany = (worlds: readonly Address[]) => started().closeMany(worlds);
export const saveMoved = (limit: number) => started().saveMoved(limit);
export const stop = () => started().stop();
