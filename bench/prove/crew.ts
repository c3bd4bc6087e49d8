import { Worker } from 'node:worker_threads';
import type { Work } from './worker.ts';

const PROGRESS_MS = 10_000;

export interface Shift<K extends keyof Work> {
  kind: K;
  /** The next job, or undefined where there are enough. */
  next: () => Work[K]['job'] | undefined;
  done: (result: Work[K]['done']) => void;
  /** How far it has come, shown now and then. */
  progress: () => string;
}

export type Answer = { done: unknown } | { failed: string };

/** Threads that do one kind of job after the other, each as soon as it is free. */
export class Crew {
  readonly #workers: readonly Worker[];

  constructor(threads: number) {
    const file = new URL('./worker.ts', import.meta.url);
    this.#workers = Array.from({ length: threads }, () => new Worker(file));
  }

  async work<K extends keyof Work>(shift: Shift<K>): Promise<void> {
    const startMs = performance.now();
    const show = (): void => {
      const seconds = Math.round((performance.now() - startMs) / 1000);
      console.log(`${shift.kind} ${seconds} s: ${shift.progress()}`);
    };
    const timer = setInterval(show, PROGRESS_MS);
    try {
      await Promise.all(this.#workers.map((worker) => workAt(worker, shift)));
    } finally {
      clearInterval(timer);
    }
    show();
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

async function workAt<K extends keyof Work>(worker: Worker, shift: Shift<K>): Promise<void> {
  for (let job = shift.next(); job !== undefined; job = shift.next()) {
    const answer = await ask(worker, { kind: shift.kind, job });
    if ('failed' in answer) {
      throw new Error(`${shift.kind} ${JSON.stringify(job)} failed: ${answer.failed}`);
    }
    shift.done(answer.done as Work[K]['done']);
  }
}

function ask(worker: Worker, task: unknown): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  worker.removeAllListeners();
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.postMessage(task);
  return promise;
}
