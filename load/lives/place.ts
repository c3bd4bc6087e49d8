import { Worker } from 'node:worker_threads';
import { BROWSERS, type ClientPage, openClientPage } from '../../client/testing/client-page.ts';
import type { ThreadAnswer, ThreadData, ThreadTask } from './place-thread.ts';

export const PLACES = [...BROWSERS, 'Node.js'] as const;
export type PlaceName = (typeof PLACES)[number];

/** Where worlds live beside the nodes: a page of a browser, or a thread of this process. */
export interface Place extends Pick<ClientPage, 'run' | 'close'> {
  readonly name: PlaceName;
}

/** The built package, so that all places run the same code. */
const PACKAGE = new URL('../../client/dist/index.js', import.meta.url);
const THREAD = new URL('./place-thread.ts', import.meta.url);

/** @param twins origins of the nodes that it may ask */
export async function openPlace(name: PlaceName, twins: readonly string[]): Promise<Place> {
  const { run, close } = name === 'Node.js' ? openThread() : await openClientPage(name, twins);
  return { name, run, close };
}

/** Proxies and looks have their work in this thread: worlds that lived in it would wait for that. */
function openThread(): Pick<Place, 'run' | 'close'> {
  const workerData: ThreadData = { client: PACKAGE.href };
  const thread = new Worker(THREAD, { workerData });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let failure: Error | undefined;
  let next = 0;
  const fail = (error: Error) => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  thread.on('error', fail);
  thread.on('exit', () => fail(new Error('the thread has ended')));
  thread.on('message', ({ id, result, error }: ThreadAnswer) => {
    const task = waiting.get(id);
    waiting.delete(id);
    if (error) task?.reject(error);
    else task?.resolve(result);
  });
  const run: Place['run'] = async (task, given) => {
    if (failure) throw failure;
    const answer = Promise.withResolvers<unknown>();
    const message: ThreadTask = { id: next++, task: String(task), given };
    waiting.set(message.id, answer);
    thread.postMessage(message);
    return (await answer.promise) as never;
  };
  return { run, close: async () => void (await thread.terminate()) };
}
