import { WorkerPool } from '../common/worker-pool.ts';

export type ProvePool = WorkerPool<typeof import('./worker.ts')>;

export function openProvePool(threads: number): ProvePool {
  return new WorkerPool(new URL('./worker.ts', import.meta.url), threads);
}
