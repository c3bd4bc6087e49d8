/** The code of the thread in which worlds live in Node.js: it runs what it is sent, as a page does. */
import { runInThisContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';

/** What a thread is started with. */
export interface ThreadData {
  /** Address of the built package, which tasks find in the global `client`. */
  client: string;
}

/** A function as its text, and what it is called with. */
export interface ThreadTask {
  id: number;
  task: string;
  given: unknown;
}

export interface ThreadAnswer {
  id: number;
  result?: unknown;
  /** Only if the task has failed. */
  error?: Error;
}

if (parentPort === null) throw new Error('this file is the code of a thread');
const port = parentPort;
const { client }: ThreadData = workerData;
Object.assign(globalThis, { client: await import(client) });

async function answerTo({ id, task, given }: ThreadTask): Promise<ThreadAnswer> {
  try {
    return { id, result: await runInThisContext(`(${task})`)(given) };
  } catch (error) {
    return { id, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

port.on('message', async (task: ThreadTask) => port.postMessage(await answerTo(task)));
