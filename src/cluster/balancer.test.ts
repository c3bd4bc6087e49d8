import { pino } from 'pino';
import { expect, test } from 'vitest';
import { PARTITION_COUNT } from '../limits.ts';
import { type Grant, type NodeEntry, StoreUnavailable } from '../store/contract.ts';
import { TestTime } from '../testing/doubles/test-time.ts';
import { Balancer } from './balancer.ts';
import { Members } from './members.ts';
import { type NodeRecord, PROTOCOL } from './node-record.ts';

const LEASE_MS = 6000;
const HOUR_MS = 3_600_000;
const log = pino({ level: 'silent' });

/** What nodes share: their heartbeats, and who holds each partition. */
class SharedState {
  readonly nodes = new Map<string, NodeEntry>();
  readonly holders = new Map<number, string>();
  /** Partitions that were taken, ever. */
  takenCount = 0;
  /** By partition: who had it when the store lost its last writes, and alone can take it for a lease. */
  readonly forgotten = new Map<number, string>();
  /** Leases have ended, but their holders may live; and the store refuses heartbeats. */
  isInTrouble = false;
}

class BalancedNode {
  readonly balancer: Balancer;
  readonly #members: Members;
  readonly #state: SharedState;
  readonly #process: string;
  readonly #grants = new Map<number, Grant>();
  readonly #lostEpochs = new Map<number, number>();
  isDraining = false;
  #version = 0;
  #heartbeats = 0;

  constructor(state: SharedState, process: string, time: TestTime) {
    this.#state = state;
    this.#process = process;
    const joined = state.nodes.size;
    this.#members = new Members({
      heartbeats: {
        process,
        lossCount: 0,
        send: async (value) => {
          if (state.isInTrouble) throw new StoreUnavailable('failed');
          state.nodes.set(process, { value, count: ++this.#heartbeats, joined });
          const nowMs = time.now();
          return { clockMs: nowMs, sentMs: nowMs, answeredMs: nowMs, nodes: new Map(state.nodes) };
        },
        leave: async () => {},
      },
      ...{ leaseMs: LEASE_MS, renewalMs: LEASE_MS / 4, time },
      own: () => this.#record(),
      readingMs: () => time.now(),
      heard() {},
      holds() {},
    });
    const members = this.#members;
    this.balancer = new Balancer({
      ...{ members, leaseMs: LEASE_MS, time, log, moveLog: { look() {} } },
      ranges: {
        partitionCount: PARTITION_COUNT,
        take: async (partition) => {
          if (!state.isInTrouble) return this.#take(partition);
          await time.sleep(LEASE_MS / 2);
          return { holder: 'gone:1', leftMs: 0 };
        },
        holds: (partition) => this.#grants.has(partition),
        grantOf: (partition) => this.#grants.get(partition),
        lostEpochOf: (partition) => this.#lostEpochs.get(partition),
      },
      isDraining: () => this.isDraining,
      changed: () => members.soon(),
      give: async (partition) => {
        this.#release(partition);
        members.soon();
        return true;
      },
    });
    void members.start().then(() => this.balancer.start());
  }

  /** It says nothing any more, and the store forgets what it held. */
  async die(): Promise<void> {
    await Promise.all([this.#members.stop(), this.balancer.stop()]);
    for (const partition of this.#grants.keys()) this.#state.holders.delete(partition);
  }

  get count(): number {
    return this.#grants.size;
  }

  get held(): number[] {
    return [...this.#grants.keys()].toSorted((a, b) => a - b);
  }

  /** The store has lost its last writes to partitions of this node. */
  lose(partitions: readonly number[]): void {
    for (const partition of partitions) {
      this.#lostEpochs.set(partition, this.#grants.get(partition)?.epoch ?? 0);
      this.#release(partition);
      this.#state.forgotten.set(partition, this.#process);
    }
    this.#members.soon();
  }

  #take(partition: number): Grant | { holder: string; leftMs: number } {
    const { holders } = this.#state;
    const holder = holders.get(partition);
    if (holder !== undefined) return { holder, leftMs: LEASE_MS };
    const former = this.#state.forgotten.get(partition) ?? this.#process;
    if (former !== this.#process) return { holder: '', leftMs: LEASE_MS };
    holders.set(partition, this.#process);
    this.#state.takenCount++;
    this.#version++;
    const limits = {
      untilMs: () => Infinity,
      askedMs: () => Infinity,
      latestReadingMs: () => Infinity,
    };
    const grant = { partition, epoch: this.#state.takenCount, floorMs: 0, ...limits };
    this.#grants.set(partition, grant);
    this.#lostEpochs.delete(partition);
    return grant;
  }

  #release(partition: number): void {
    this.#grants.delete(partition);
    this.#state.holders.delete(partition);
    this.#version++;
  }

  #record(): NodeRecord {
    const partitions = [...this.#grants.values()].map((each) => [each.partition, each.epoch]);
    return {
      ...{ protocol: PROTOCOL, build: 1, kernel: 'kernel', name: this.#process },
      ...{ linkUrl: '', twinUrl: '', worldCount: 0, admits: true, isDraining: this.isDraining },
      held: { version: this.#version, partitions: partitions as [number, number][] },
      unreachable: [],
    };
  }
}

async function balancedNodes(state: SharedState, time: TestTime): Promise<BalancedNode[]> {
  const nodes: BalancedNode[] = [];
  for (const process of ['a:1', 'b:1', 'c:1']) {
    nodes.push(new BalancedNode(state, process, time));
    await time.advance(100_000);
  }
  return nodes;
}

test('[N15] once nodes have shared the partitions nothing moves for an hour', async () => {
  const time = TestTime.standing();
  const state = new SharedState();
  const nodes = await balancedNodes(state, time);
  const counts = () => nodes.map(({ count }) => count).toSorted();
  expect(counts()).toEqual([21, 21, 22]);
  // All by the first; then the shares of those that joined.
  expect(state.takenCount).toBe(PARTITION_COUNT + 32 + 21);
  await time.advance(HOUR_MS);
  expect(counts()).toEqual([21, 21, 22]);
  expect(state.takenCount).toBe(PARTITION_COUNT + 32 + 21);
  for (const { balancer } of nodes) await balancer.stop();
}, 60_000);

test('a node takes at once what it had when the store lost writes', async () => {
  const time = TestTime.standing();
  const state = new SharedState();
  const nodes = await balancedNodes(state, time);
  const before = nodes.map(({ held }) => held);
  for (const node of nodes) node.lose(node.held.slice(10));
  expect(nodes.map(({ count }) => count)).toEqual([10, 10, 10]);
  await time.advance(1000);
  expect(nodes.map(({ held }) => held)).toEqual(before);
  for (const { balancer } of nodes) await balancer.stop();
});

test('a node that drains leaves to the others what the store has lost', async () => {
  const time = TestTime.standing();
  const state = new SharedState();
  const nodes = await balancedNodes(state, time);
  const [a] = nodes;
  if (a === undefined) throw new Error('there is no node');
  a.isDraining = true;
  a.lose(a.held);
  await time.advance(1000);
  expect(a.count).toBe(0);
  // A lease later nobody else can rely on them any more.
  state.forgotten.clear();
  await time.advance(1000);
  expect(nodes.map(({ count }) => count)).toEqual([0, 32, 32]);
  for (const { balancer } of nodes) await balancer.stop();
});

test('what a node takes is counted, with how long nobody served it', async () => {
  const time = TestTime.standing();
  const state = new SharedState();
  const a = new BalancedNode(state, 'a:1', time);
  await time.advance(1000);
  const b = new BalancedNode(state, 'b:1', time);
  await time.advance(100_000);
  const { free, silent } = a.balancer.takeovers;
  expect(free.count).toBe(PARTITION_COUNT);
  expect(silent.count).toBe(0);
  const left = b.count;
  await b.die();
  await time.advance(2 * LEASE_MS);
  expect(silent.count).toBe(left);
  const [pauseMs, mostMs] = [(1000 * silent.sumS) / left, LEASE_MS + 1000];
  expect(pauseMs).toBeGreaterThanOrEqual(LEASE_MS);
  expect(pauseMs).toBeLessThanOrEqual(mostMs);
  await a.balancer.stop();
});

test('what may be taken later is asked for again, also where the store has refused heartbeats', async () => {
  const time = TestTime.standing();
  const state = new SharedState();
  const a = new BalancedNode(state, 'a:1', time);
  await time.advance(0);
  state.isInTrouble = true;
  await time.advance(LEASE_MS);
  expect(a.count).toBe(0);
  state.isInTrouble = false;
  await time.advance(3 * LEASE_MS);
  expect(a.count).toBe(PARTITION_COUNT);
  await a.balancer.stop();
});

test('a node that starts sends its first heartbeat again where the store does not answer', async () => {
  const time = TestTime.standing();
  const state = new SharedState();
  state.isInTrouble = true;
  const a = new BalancedNode(state, 'a:1', time);
  await time.advance(10_000);
  state.isInTrouble = false;
  await time.advance(3 * LEASE_MS);
  expect(a.count).toBe(PARTITION_COUNT);
  await a.balancer.stop();
});
