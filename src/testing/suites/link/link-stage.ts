import type { Link, LinkAnswer, LinkClient, LinkHandlers } from '../../../link/contract.ts';
import { NodeLink } from '../../../link/node-link.ts';
import { createLog } from '../../../log.ts';
import { systemRandom } from '../../../random.ts';
import { LinkDouble, Net } from '../../doubles/link-double.ts';
import { nextTurn, TestTime } from '../../doubles/test-time.ts';
import { type Direction, FaultyProxy } from '../../rigs/faulty-proxy.ts';
import { until } from '../../rigs/until.ts';

/** What a test has a node do. */
export type Answer = (
  kind: string,
  value: unknown,
  from: LinkClient,
) => LinkAnswer | Promise<LinkAnswer>;

/** A node with a link, which writes down what it hears. */
export interface StageNode {
  link: Link;
  /** `kind`, or `kind:value` where the value is a text. */
  heard: string[];
  values: unknown[];
  answer: Answer;
  pingValue: unknown;
  /** With when the other node has said it, at the earliest. */
  pings: { value: unknown; saidMs: number | undefined }[];
}

/** Nodes with links between them, and what may happen between them. */
export interface LinkStage {
  time: TestTime;
  /** What lies below the link holds at most so many bytes for a node that does not read. */
  systemBytesMax: number;
  /** A node of this name, which dials nobody yet. */
  node(process: string): StageNode;
  /** Has a node dial these others, and no more. */
  connect(node: string, others: readonly string[]): Promise<void>;
  cut(from: string, to: string): void;
  heal(from: string, to: string): void;
  clog(from: string, to: string): void;
  unclog(from: string, to: string): void;
  break(one: string, other: string): void;
  /** Waits, while time passes. */
  until(what: string, isSo: () => boolean): Promise<void>;
  /** Waits for an outcome, while time passes. */
  settled<T>(outcome: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export const TEST_KEY = new Uint8Array(32).fill(7);

/** A node as it is made by `open`, which gets what writes down. */
function recorded(open: (handlers: LinkHandlers) => Link): StageNode {
  const hear = (event: string, value?: unknown) => {
    node.heard.push(typeof value === 'string' ? `${event}:${value}` : event);
    node.values.push(value);
  };
  const link = open({
    called: async (from, kind, value) => node.answer(kind, value, from),
    noted: (from, kind, value) => hear(`note ${from.process} ${kind}`, value),
    drained: (to) => hear(`drained ${to.process}`),
    clientGone: (client) => hear(`gone ${client.process}`),
    received: (process, kind, value, bytes) =>
      hear(`message ${process} ${kind}`, bytes.length > 0 ? [value, bytes] : value),
    pingValue: () => node.pingValue,
    pinged: (process, value, saidMs) => {
      node.pings.push({ value, saidMs });
      if (value !== null) hear(`ping ${process}`, value);
    },
    up: (process) => hear(`up ${process}`),
    down: (process) => hear(`down ${process}`),
  });
  const answer: Answer = (kind, value) => ({ value: { kind, value } });
  const node: StageNode = { link, heard: [], values: [], answer, pingValue: null, pings: [] };
  return node;
}

const log = createLog('silent');

/** The kernel has a buffer at each end of a connection, and lets it grow: on Linux often to 32 MiB. */
const SOCKET_BYTES_MAX = 64 * 2 ** 20;

/** The link over sockets. */
export function realStage(): LinkStage {
  const time = TestTime.running();
  const nodes = new Map<string, StageNode>();
  const proxies = new Map<string, FaultyProxy>();
  const proxyOf = (from: string, to: string) => proxies.get(`${from} ${to}`);
  /** What goes from one to the other, over the connections of both. */
  const ways = (from: string, to: string): [FaultyProxy | undefined, Direction][] => [
    [proxyOf(from, to), 'forth'],
    [proxyOf(to, from), 'back'],
  ];
  const each =
    (what: 'cut' | 'heal' | 'clog' | 'unclog') =>
    (from: string, to: string): void => {
      for (const [proxy, direction] of ways(from, to)) proxy?.[what](direction);
    };
  return {
    time,
    systemBytesMax: SOCKET_BYTES_MAX,
    node(process) {
      const node = recorded(
        (handlers) =>
          new NodeLink({
            ...{ process, key: TEST_KEY, handlers, time, random: systemRandom, log },
            ...{ host: '127.0.0.1', port: 0 },
          }),
      );
      nodes.set(process, node);
      return node;
    },
    async connect(from, others) {
      const addresses = others.map(async (to) => {
        const key = `${from} ${to}`;
        const proxy = proxies.get(key) ?? (await FaultyProxy.open(nodes.get(to)?.link.url ?? ''));
        proxies.set(key, proxy);
        return { process: to, url: `ws://${proxy.host}` };
      });
      nodes.get(from)?.link.connect(await Promise.all(addresses));
    },
    cut: each('cut'),
    heal: each('heal'),
    clog: each('clog'),
    unclog: each('unclog'),
    break(one, other) {
      proxyOf(one, other)?.break();
      proxyOf(other, one)?.break();
    },
    until: async (what, isSo) => void (await until(what, isSo)),
    settled: (outcome) => outcome,
    async close() {
      await Promise.all([...nodes.values()].map(({ link }) => link.close()));
      for (const proxy of proxies.values()) proxy.close();
    },
  };
}

const STEP_MS = 10;
const STEPS_MAX = 10_000;

/** The link over a net in memory. */
export function doubleStage(): LinkStage {
  const time = TestTime.standing();
  const net = new Net({ time, delayMs: () => 1 });
  const nodes = new Map<string, StageNode>();
  return {
    time,
    systemBytesMax: 0,
    node(process) {
      const node = recorded((handlers) => {
        const options = { process, key: TEST_KEY, handlers, time, random: systemRandom, log };
        return new LinkDouble(net, options);
      });
      nodes.set(process, node);
      return node;
    },
    async connect(from, others) {
      const addresses = others.map((to) => ({
        process: to,
        url: nodes.get(to)?.link.url ?? '',
      }));
      nodes.get(from)?.link.connect(addresses);
      await nextTurn();
    },
    cut: (from, to) => net.cut(from, to),
    heal: (from, to) => net.heal(from, to),
    clog: (from, to) => net.clog(from, to),
    unclog: (from, to) => net.unclog(from, to),
    break: (one, other) => net.break(one, other),
    async until(what, isSo) {
      for (let step = 0; step < STEPS_MAX; step += 1) {
        if (isSo()) return;
        await time.advance(STEP_MS);
      }
      throw new Error(`not within ${STEPS_MAX} steps: ${what}`);
    },
    settled: (outcome) => time.advanceUntil(outcome),
    async close() {
      await Promise.all([...nodes.values()].map(({ link }) => link.close()));
    },
  };
}
