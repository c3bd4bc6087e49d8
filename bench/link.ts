/**
 * Calls and messages between two nodes: rate and processor time, beside a bare TCP connection that carries
 * the same MessagePack, and beside an empty HTTP handler. Each end is a process of its own.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endProcess } from '../src/testing/rigs/process.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { onProcessEnd } from './common/process-end.ts';
import { median } from './common/report.ts';
import type { Addresses, Order, Reply } from './link/end.ts';
import { drive, hasWrk } from './wrk.ts';

const END = fileURLToPath(new URL('link/end.ts', import.meta.url));
const ROUNDS = 3;
const ROUND_S = 2;

/** Of one round: per second, and µs of processor time for one. */
interface Round {
  perS: number;
  serverUs: number;
  bothUs: number;
}

export async function run(): Promise<Figure[]> {
  const server = await End.start([]);
  const { link, tcp, http } = await server.ask<Addresses>({ ask: 'addresses' });
  const client = await End.start([link, String(tcp)]);
  try {
    const rounds = { calls: [], tcp: [], messages: [], http: [] } as Record<string, Round[]>;
    for (const work of ['calls', 'tcp', 'messages'] as const) {
      await client.ask({ ask: 'work', work, seconds: 1 });
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const work of ['calls', 'tcp', 'messages'] as const) {
        const count = () => client.ask<number>({ ask: 'work', work, seconds: ROUND_S });
        rounds[work]?.push(await measured(server, client, count));
      }
      const get = { method: 'GET', path: '/', headers: { 'X-Padding': 'x'.repeat(100) } };
      const requests = async () =>
        (await drive(hasWrk(), new URL(http), [get], ROUND_S)).perS * ROUND_S;
      rounds.http?.push(await measured(server, client, requests));
    }
    return figures((work, key) => median((rounds[work] ?? []).map((each) => each[key])));
  } finally {
    await Promise.all([server.stop(), client.stop()]);
  }
}

function figures(of: (work: string, key: keyof Round) => number): Figure[] {
  const tcp = (key: keyof Round) => ({ name: 'bare TCP and MessagePack', value: of('tcp', key) });
  const http = (key: keyof Round) => ({ name: 'an empty handler', value: of('http', key) });
  return [
    compared('calls, 64 under way', of('calls', 'perS'), '/s', tcp('perS')),
    compared('calls, 64 under way', of('calls', 'perS'), '/s', http('perS')),
    // Above 1.3 a protocol of our own would be worth its code.
    compared('a call, both ends', of('calls', 'bothUs'), 'µs', tcp('bothUs'), { atMost: 1.3 }),
    compared('a call, where it is answered', of('calls', 'serverUs'), 'µs', http('serverUs')),
    figure('a relayed message of 5 KB, both ends', of('messages', 'bothUs'), 'µs'),
    figure('relayed messages of 5 KB', of('messages', 'perS'), '/s'),
  ];
}

async function measured(server: End, client: End, work: () => Promise<number>): Promise<Round> {
  const usage = () => Promise.all([server, client].map((end) => end.ask<number>({ ask: 'usage' })));
  const [serverBefore = 0, clientBefore = 0] = await usage();
  const count = await work();
  const [serverAfter = 0, clientAfter = 0] = await usage();
  const serverUs = (serverAfter - serverBefore) / count;
  return {
    perS: count / ROUND_S,
    serverUs,
    bothUs: serverUs + (clientAfter - clientBefore) / count,
  };
}

/** A process that is one end of the link. */
class End {
  readonly #process: ChildProcess;
  readonly #keep: () => void;

  private constructor(child: ChildProcess) {
    this.#process = child;
    this.#keep = onProcessEnd(() => child.kill('SIGKILL'));
  }

  static async start(args: readonly string[]): Promise<End> {
    const end = new End(fork(END, args));
    await once(end.#process, 'message');
    return end;
  }

  async ask<Answer>(order: Order): Promise<Answer> {
    this.#process.send(order);
    const [reply] = (await once(this.#process, 'message')) as [Reply];
    return reply as Answer;
  }

  async stop(): Promise<void> {
    await endProcess(this.#process, 'SIGTERM');
    this.#keep();
  }
}
