/** One thread of the proving ground: does the jobs that it is given, one after the other. */
import { parentPort } from 'node:worker_threads';
import { type AttributionJob, type AttributionWorld, attributeWorld } from './attribution-world.ts';
import type { Answer } from './crew.ts';
import { type ManoeuvreDone, type ManoeuvreJob, runManoeuvre } from './manoeuvres.ts';
import { driveSweepWorld, type SweepJob, type SweepWorld } from './sweep-world.ts';

/** What a thread can do: the job as it is told, and what comes back. */
export interface Work {
  manoeuvre: { job: ManoeuvreJob; done: ManoeuvreDone };
  sweep: { job: SweepJob; done: SweepWorld };
  attribution: { job: AttributionJob; done: AttributionWorld };
}

type Doers = { readonly [K in keyof Work]: (job: Work[K]['job']) => Work[K]['done'] };

const DOERS: Doers = {
  manoeuvre: runManoeuvre,
  sweep: driveSweepWorld,
  attribution: attributeWorld,
};

type Task = { [K in keyof Work]: { kind: K; job: Work[K]['job'] } }[keyof Work];

parentPort?.on('message', (task: Task) => parentPort?.postMessage(answerTo(task)));

function answerTo({ kind, job }: Task): Answer {
  try {
    const work = DOERS[kind] as (job: Task['job']) => Work[keyof Work]['done'];
    return { done: work(job) };
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
