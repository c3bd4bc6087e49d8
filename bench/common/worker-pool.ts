import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { progress } from './progress.ts';

/** The exports of a worker file: functions of one job. */
type Handlers<W> = { [K in keyof W]: (job: never) => unknown };
type Job<Handler> = Handler extends (job: infer J) => unknown ? J : never;
type Result<Handler> = Handler extends (job: never) => infer R ? Awaited<R> : never;

/** Jobs of one kind, created as threads become free. */
export interface Batch<Handler> {
  /** The next job, or undefined if there are enough. */
  next(): Job<Handler> | undefined;
  done(result: Result<Handler>): void;
  /** Text that is printed every few seconds. */
  progress(): string;
}

/** Threads that run the exported functions of a worker file; `W` is `typeof import('./worker.ts')`. */
export class WorkerPool<W extends Handlers<W>> {
  readonly #threads: number;
  readonly #pool: Piscina;

  constructor(worker: URL, threads: number) {
    this.#threads = threads;
    this.#pool = new Piscina({
      filename: fileURLToPath(worker),
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
  }

  /** Runs `name` on every job of the batch. Rejects with the first job that fails. */
  async run<K extends keyof W & string>(name: K, batch: Batch<W[K]>): Promise<void> {
    const stopProgress = progress(() => `${name}: ${batch.progress()}`);
    const take = async (): Promise<void> => {
      for (let job = batch.next(); job !== undefined; job = batch.next()) {
        batch.done(await this.#run(name, job));
      }
    };
    try {
      await Promise.all(Array.from({ length: this.#threads }, take));
    } finally {
      stopProgress();
    }
    console.log(`${name}: ${batch.progress()}`);
  }

  async #run<K extends keyof W & string>(name: K, job: Job<W[K]>): Promise<Result<W[K]>> {
    try {
      return await this.#pool.run(job, { name });
    } catch (cause) {
      throw new Error(`${name} ${JSON.stringify(job)} failed`, { cause });
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
