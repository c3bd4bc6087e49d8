import type { Time } from '../../time.ts';
import {
  type ClusterView,
  type Heartbeats,
  type NodeEntry,
  StoreUnavailable,
} from '../contract.ts';
import { packValue, unpackValue } from '../encoding.ts';
import { CLOCK_KEY, COMMON_SLOT, NODES_KEY, writerKeyOf } from './slots.ts';
import type { KeyState, WriterKey } from './writer-key.ts';

/** Where the parts of an entry begin: see `heartbeat.lua`. */
const COUNT_AT = 8;
const JOINED_AT = 16;
const VALUE_AT = 25;

export interface HeartbeatDependencies {
  time: Time;
  /** That of the process; heartbeats use its connection, and renew it. */
  writer: WriterKey;
  leaseMs: number;
}

interface Answer extends KeyState {
  sentMs: number;
  clockMs: number;
  /** Processes and entries in turn. */
  living: readonly Buffer[];
}

/** How the processes on one Redis hear of each other: see `heartbeat.lua`. */
export class RedisHeartbeats implements Heartbeats {
  readonly process: string;
  readonly #dependencies: HeartbeatDependencies;
  #count = 0;

  constructor(dependencies: HeartbeatDependencies) {
    this.#dependencies = dependencies;
    this.process = dependencies.writer.process;
  }

  get lossCount(): number {
    return this.#dependencies.writer.lossCount;
  }

  async send(value: unknown, readingMs: number | undefined): Promise<ClusterView> {
    const { time, writer } = this.#dependencies;
    const packed = packValue(value);
    const askedMs = time.now();
    // The process may have to enter first: its clock runs on meanwhile.
    const reading = () => (readingMs === undefined ? '' : readingMs + time.now() - askedMs);
    try {
      const answer = await writer.prolong((name) => this.#send(name, packed, reading()));
      const { sentMs, clockMs, living } = answer;
      return { sentMs, clockMs, answeredMs: time.now(), nodes: nodesOf(living) };
    } catch (error) {
      throw new StoreUnavailable('failed', error);
    }
  }

  async #send(name: string, packed: Buffer, reading: number | ''): Promise<Answer> {
    const { time, writer, leaseMs } = this.#dependencies;
    const sentMs = time.now();
    const keys = [writerKeyOf(name), NODES_KEY, CLOCK_KEY, COMMON_SLOT.version];
    const args = [name, this.process, ++this.#count, leaseMs, reading, packed];
    const answer = await writer.link.run('heartbeat', keys, args);
    const [isThere, version, clock, living = []] = answer as [number, Buffer, Buffer?, Buffer[]?];
    return {
      ...{ isThere: isThere === 1, version: Number(version), sentMs },
      ...{ clockMs: Number(clock), living },
    };
  }

  leave(): Promise<void> {
    return this.#dependencies.writer.leave();
  }
}

function nodesOf(living: readonly Buffer[]): Map<string, NodeEntry> {
  const nodes = new Map<string, NodeEntry>();
  for (let i = 0; i + 1 < living.length; i += 2) {
    const [process, entry] = [String(living[i]), living[i + 1] as Buffer];
    nodes.set(process, {
      value: unpackValue(entry.subarray(VALUE_AT)),
      count: entry.readDoubleBE(COUNT_AT),
      joined: entry.readDoubleBE(JOINED_AT),
    });
  }
  return nodes;
}
