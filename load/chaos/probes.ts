import { bearerOf, DEMO_ADMIN } from '../../bench/common/dealer-client.ts';
import { formatRequest, HttpPool } from '../../bench/common/http-pool.ts';
import type { MadeWorld } from '../../bench/common/made-worlds.ts';
import type { Answer } from '../../bench/common/response-parser.ts';
import type { Server } from '../../bench/common/server.ts';
import { systemTime } from '../../src/time.ts';
import type { CarChanges } from '../cluster/car-changes.ts';

const PAUSE_MS = 20;
/** An answer that takes longer counts as none. */
const ANSWER_MS_MAX = 10_000;
const REFUSED = 503;

/** What one client asks for, one request after the other. */
interface Client {
  name: string;
  url: URL;
  request(): Buffer;
  answered?(answer: Answer | undefined): void;
}

/** Clients of every node that read and change worlds, and use the dealer platform. */
export class Probes {
  #longestMs = 0;
  #worseCount = 0;
  #refusedCount = 0;
  #answerCount = 0;
  #lastFailureMs = Number.NEGATIVE_INFINITY;
  #lastFailure = '';
  #changeIndex = 0;
  #isChanging = false;
  #changesUnderWay = 0;
  #isOver = false;
  #loops: Promise<void>[] = [];

  /** @param changes are made by these clients in turn */
  static async start(
    nodes: readonly Server[],
    worlds: readonly MadeWorld[],
    changes: CarChanges,
  ): Promise<Probes> {
    const probes = new Probes();
    for (const [index, node] of nodes.entries()) {
      const clients = [...readersOf(node, worlds, index), probes.#changer(node, changes)];
      clients.push(await dealerOf(node));
      probes.#loops.push(...clients.map((client) => probes.#loop(client)));
    }
    return probes;
  }

  #changer({ url }: Server, { request, answered }: CarChanges): Client {
    let index: number | undefined;
    return {
      ...{ name: 'change', url },
      request: () => {
        index = this.#isChanging ? this.#changeIndex++ : undefined;
        if (index === undefined) return formatRequest(url, 'GET', '/api/v1/cities');
        this.#changesUnderWay++;
        return request(index);
      },
      answered: (answer) => {
        if (index === undefined) return;
        this.#changesUnderWay--;
        answered(index, answer);
      },
    };
  }

  startChanging(): void {
    this.#isChanging = true;
  }

  /** Resolves once all changes are answered, or given up. */
  async stopChanging(): Promise<void> {
    this.#isChanging = false;
    while (this.#changesUnderWay > 0) await systemTime.sleep(PAUSE_MS);
  }

  async #loop({ name, url, request, answered }: Client): Promise<void> {
    let pool = await HttpPool.open(url, 1);
    while (!this.#isOver) {
      const startMs = systemTime.now();
      const late = systemTime.sleep(ANSWER_MS_MAX).then(() => undefined);
      const answer = await Promise.race([pool.ask(request()).catch(() => undefined), late]);
      answered?.(answer);
      this.#note(name, answer, systemTime.now() - startMs);
      if (answer === undefined) {
        // It may still come, and would be taken for that of the next request.
        pool.close();
        pool = await HttpPool.open(url, 1);
      }
      await systemTime.sleep(PAUSE_MS);
    }
    pool.close();
  }

  #note(name: string, answer: Answer | undefined, tookMs: number): void {
    this.#answerCount++;
    this.#longestMs = Math.max(this.#longestMs, tookMs);
    if (answer !== undefined && answer.status < 400) return;
    this.#lastFailureMs = systemTime.now();
    this.#lastFailure = `${name}: ${answer ? `${answer.status} ${answer.body}` : 'no answer'}`;
    if (answer?.status === REFUSED) this.#refusedCount++;
    else this.#worseCount++;
  }

  /** Counts from now on. */
  begin(): void {
    this.#longestMs = 0;
    this.#worseCount = 0;
    this.#refusedCount = 0;
    this.#answerCount = 0;
  }

  /** @param healedMs when the fault was over, by `Time.now` */
  met(healedMs: number): Met {
    return {
      answers: this.#answerCount,
      refused: this.#refusedCount,
      worse: this.#worseCount,
      longestMs: this.#longestMs,
      recoveredMs: Math.max(0, this.#lastFailureMs - healedMs),
      lastFailure: this.#lastFailure,
    };
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }
}

/** What clients have met. */
export interface Met {
  answers: number;
  /** With 503. */
  refused: number;
  /** Other errors, and requests without an answer. */
  worse: number;
  longestMs: number;
  /** From the end of the fault until the last answer that was an error. */
  recoveredMs: number;
  /** The last answer that was an error. */
  lastFailure: string;
}

/** The state of a world, and the features of a car, of one world after the other. */
function readersOf({ url }: Server, worlds: readonly MadeWorld[], start: number): Client[] {
  let turn = start;
  const next = () => worlds[turn++ % worlds.length] as MadeWorld;
  return [
    {
      ...{ name: 'state', url },
      request: () => formatRequest(url, 'GET', `/api/v1/worlds/${next().id}/state`),
    },
    {
      ...{ name: 'features', url },
      request: () => {
        const [vin = ''] = next().vins;
        return formatRequest(url, 'GET', '/api/v1/vehicle/features', { 'X-VIN': vin });
      },
    },
  ];
}

async function dealerOf({ dealerUrl: url }: Server): Promise<Client> {
  if (url === undefined) throw new Error('the node has no dealer platform');
  const request = formatRequest(url, 'GET', '/api/cars', await bearerOf(url, DEMO_ADMIN));
  return { name: 'dealer', url, request: () => request };
}
