/** One end of the link that `bench/link.ts` measures; a process of its own, which does what it is told. */

import type { LinkAnswer, LinkHandlers } from '../../src/link/contract.ts';
import { NodeLink } from '../../src/link/node-link.ts';
import { createLog } from '../../src/log.ts';
import { systemRandom } from '../../src/random.ts';
import { systemTime } from '../../src/time.ts';
import { BareTcp, serveBareTcp } from './bare-tcp.ts';
import { serveEmptyHttp } from './http.ts';

const IN_FLIGHT = 64;
const MESSAGES_PER_TURN = 16;
const LINK_POLL_MS = 10;
const KEY = new Uint8Array(32);

export type Order =
  | { ask: 'addresses' }
  | { ask: 'usage' }
  | { ask: 'work'; work: 'calls' | 'tcp' | 'messages'; seconds: number };
export interface Addresses {
  link: string;
  tcp: number;
  http: string;
}
/** Addresses, µs of processor time so far, or how many calls or messages there were. */
export type Reply = Addresses | number;

/** 200 bytes as a request that is forwarded, and 500 as its answer. */
const REQUEST = {
  ...{ method: 'GET', path: '/api/v1/worlds/0123456789/state', query: '' },
  head: { accept: 'application/json', authorization: '', ifNoneMatch: '', contentType: '' },
  ...{ addressKey: '192.0.2.17', requestId: 'c0ffee1234-4fzz', body: new Uint8Array() },
};
const ANSWER = {
  ...{ status: 200, type: 'application/json', headers: [['ETag', '"0123456789"']] },
  body: new Uint8Array(430),
};
const FRAME = { world: 2 ** 49 + 1, tick: 123_456, bytes: new Uint8Array(5000) };

let messageCount = 0;
let isSending = false;

function sendMessages(link: NodeLink): void {
  const client = link.clientOf('client');
  if (!isSending || client === undefined) return;
  for (let i = 0; i < MESSAGES_PER_TURN; i += 1) {
    // `drained` goes on.
    if (!client.send('frame', FRAME)) return;
  }
  systemTime.immediate(() => sendMessages(link));
}

const handlers: LinkHandlers = {
  called: async (): Promise<LinkAnswer> => ({ value: ANSWER }),
  noted: (_, kind) => {
    isSending = kind === 'begin';
    sendMessages(link);
  },
  drained: () => sendMessages(link),
  clientGone: () => {},
  received: () => {
    messageCount += 1;
  },
  pingValue: () => null,
  pinged: () => {},
  up: () => {},
  down: () => {},
};

const [serverUrl, tcpPort] = process.argv.slice(2);
const link: NodeLink = new NodeLink({
  process: serverUrl === undefined ? 'server' : 'client',
  ...{ key: KEY, host: '127.0.0.1', port: 0, handlers },
  ...{ time: systemTime, random: systemRandom, log: createLog('warn') },
});

async function whileSeconds(seconds: number, call: () => Promise<unknown>): Promise<number> {
  const endMs = systemTime.now() + seconds * 1000;
  let count = 0;
  const repeat = async () => {
    for (; systemTime.now() < endMs; count += 1) await call();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, repeat));
  return count;
}

async function receive(seconds: number): Promise<number> {
  const before = messageCount;
  link.note('server', 'begin', null);
  await systemTime.sleep(seconds * 1000);
  link.note('server', 'end', null);
  return messageCount - before;
}

async function client(url: string, port: number): Promise<(order: Order) => Promise<Reply>> {
  link.connect([{ process: 'server', url }]);
  while (!link.isUp('server')) await systemTime.sleep(LINK_POLL_MS);
  const tcp = await BareTcp.connect(port);
  return async (order) => {
    if (order.ask !== 'work') return usage();
    if (order.work === 'messages') return receive(order.seconds);
    const call =
      order.work === 'calls'
        ? () => link.call('server', 'forward', REQUEST, 5000)
        : () => tcp.call('forward', REQUEST);
    return whileSeconds(order.seconds, call);
  };
}

async function server(): Promise<(order: Order) => Promise<Reply>> {
  const tcp = await serveBareTcp(ANSWER);
  const addresses = { link: link.url, tcp, http: serveEmptyHttp() };
  return async (order) => (order.ask === 'addresses' ? addresses : usage());
}

function usage(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const execute = serverUrl === undefined ? await server() : await client(serverUrl, Number(tcpPort));
process.on('message', async (order: Order) => {
  process.send?.(await execute(order));
});
process.on('SIGTERM', () => process.exit(0));
process.send?.('ready');
