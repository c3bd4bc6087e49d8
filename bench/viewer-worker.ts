/** What the worker costs in which the world of a page lives: the metrics of a page are without it. */
import { readdirSync, readFileSync } from 'node:fs';
import type { CDPSession } from 'playwright-core';
import { until } from '../src/testing/rigs/until.ts';
import { threadTimesNs } from './common/processor-time.ts';

/** As the browser names it; the kernel of the machine keeps 15 characters. */
const THREAD = 'DedicatedWorker';

interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

type Settle = ReturnType<typeof Promise.withResolvers<unknown>>;

/** Processor time of a worker so far, but for what measuring it took, and its heap after a collection. */
export interface WorkerSample {
  processorS: number;
  heapBytes: number;
}

/** The only worker of the only page that is open. */
export class ViewerWorker {
  readonly #page: CDPSession;
  readonly #id: string;
  /** Process and thread. */
  readonly #thread: readonly [pid: number, tid: string];
  readonly #asked = new Map<number, Settle>();
  #count = 0;
  #measuringS = 0;

  private constructor(page: CDPSession, id: string, thread: readonly [number, string]) {
    this.#page = page;
    this.#id = id;
    this.#thread = thread;
    page.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
      if (sessionId === id) this.#take(JSON.parse(message) as Answer);
    });
  }

  /** `page`, `browser`: sessions of them. */
  static async of(page: CDPSession, browser: CDPSession): Promise<ViewerWorker> {
    let id: string | undefined;
    page.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') id = sessionId;
    });
    const attach = { autoAttach: true, waitForDebuggerOnStart: false };
    // A flat session could not be addressed by this client.
    await page.send('Target.setAutoAttach', { ...attach, flatten: false });
    const session = await until('the worker', () => id);
    return new ViewerWorker(page, session, await threadOf(browser));
  }

  async sample(): Promise<WorkerSample> {
    const beforeS = this.#processorS;
    await this.#send('HeapProfiler.collectGarbage');
    const { usedSize } = (await this.#send('Runtime.getHeapUsage')) as { usedSize: number };
    const processorS = beforeS - this.#measuringS;
    this.#measuringS += this.#processorS - beforeS;
    return { processorS, heapBytes: usedSize };
  }

  get #processorS(): number {
    const [pid, tid] = this.#thread;
    return (threadTimesNs(pid).get(tid) ?? Number.NaN) / 1e9;
  }

  async #send(method: string): Promise<unknown> {
    const id = this.#count++;
    const settle = Promise.withResolvers<unknown>();
    this.#asked.set(id, settle);
    const message = JSON.stringify({ id, method });
    await this.#page.send('Target.sendMessageToTarget', { sessionId: this.#id, message });
    return await settle.promise;
  }

  #take({ id = -1, result, error }: Answer): void {
    const settle = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === undefined) settle?.resolve(result);
    else settle?.reject(new Error(error.message));
  }
}

/** The thread of the only worker that a browser has. */
async function threadOf(browser: CDPSession): Promise<readonly [number, string]> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const threads = processInfo.flatMap(({ id: pid }) =>
    readdirSync(`/proc/${pid}/task`)
      .filter((tid) => readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').startsWith(THREAD))
      .map((tid) => [pid, tid] as const),
  );
  const [only, ...others] = threads;
  if (only === undefined || others.length > 0) throw new Error(`${threads.length} workers run`);
  return only;
}
