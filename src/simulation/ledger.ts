import { decodeKey, unpackValue } from '../store/encoding.ts';
import { SCRIPTS } from '../store/redis/redis-scripts.ts';
import { PARTITION_SLOTS } from '../store/redis/slots.ts';
import type { RedisArgument, RedisReply } from '../testing/doubles/redis-scripts.ts';
import { worldIdOf } from '../twin/ids.ts';
import type { WorldRecord } from '../worlds/records.ts';
import type { StoredImage } from '../worlds/stored-image.ts';
import { LedgerWorld } from './ledger-world.ts';
import { stateOfImage } from './toy-kernel.ts';
import { Violation } from './violation.ts';

/** By the key of its lease. */
const PARTITIONS = new Map(PARTITION_SLOTS.map(({ lease }, partition) => [lease, partition]));

/** Gets what the store accepts. */
export interface LedgerListener {
  created(number: number): void;
  changed(world: LedgerWorld, tick: number, by: PartitionWriter): void;
  removed(world: LedgerWorld): void;
  /** `former`: tick of its former start, if that was under the same kernel. */
  startedOver(world: LedgerWorld, former: number | 'other', by: PartitionWriter): void;
  /** Also of a former grant, where the store has lost that a later one was given. */
  granted(partition: number, boot: string, epoch: number): void;
  /** What the store has accepted since then. */
  lostTail(sinceMs: number): void;
}

/** Whoever writes under a grant. */
export interface PartitionWriter {
  boot: string;
  epoch: number;
  session: number;
}

/** What the Redis server has accepted, as commands arrive there: the truth of a run. */
export class Ledger {
  readonly #nowMs: () => number;
  readonly #listener: LedgerListener;
  readonly #worlds = new Map<number, LedgerWorld>();
  readonly #epochs = new Map<string, number>();
  /** By partition: the last grant of which the store has said that it holds it. */
  readonly #holders = new Map<number, string>();
  #writers = new Map<number, PartitionWriter>();

  constructor(nowMs: () => number, listener: LedgerListener) {
    this.#nowMs = nowMs;
    this.#listener = listener;
  }

  world(number: number): LedgerWorld | undefined {
    return this.#worlds.get(number);
  }

  /** Those that are not deleted. */
  worlds(): readonly LedgerWorld[] {
    return [...this.#worlds.values()].filter(({ isRemoved }) => !isRemoved);
  }

  epochOf(boot: string): number | undefined {
    return this.#epochs.get(boot);
  }

  /** A command was executed. */
  executed(command: string, args: readonly RedisArgument[], reply: RedisReply): void {
    if (command !== 'EVALSHA') return;
    const [sha1, keyCount, lease] = args;
    if (sha1 !== SCRIPTS.lease.sha1 && sha1 !== SCRIPTS.commit.sha1) return;
    const partition = PARTITIONS.get(String(lease));
    if (partition === undefined) return;
    const rest = args.slice(2 + Number(keyCount));
    if (sha1 === SCRIPTS.lease.sha1) this.#leased(partition, reply);
    else if (Number(reply) > 0) this.#committed(partition, rest);
  }

  #leased(partition: number, reply: RedisReply): void {
    const [isMine, token, , , epoch] = reply as RedisReply[];
    if (isMine !== 1) return;
    const { boot } = writerOf(String(token));
    if (this.#holders.get(partition) === boot) return;
    this.#holders.set(partition, boot);
    this.#epochs.set(boot, Number(epoch));
    this.#listener.granted(partition, boot, Number(epoch));
  }

  #committed(partition: number, [token, checkCount, ...rest]: readonly RedisArgument[]): void {
    const { boot, session } = writerOf(String(token));
    const epoch = this.#epochs.get(boot) ?? 0;
    const last = this.#writers.get(partition);
    const where = `partition ${partition}`;
    if (last !== undefined && epoch < last.epoch) {
      throw new Violation('I1', `${where}: ${boot} (${epoch}) wrote after ${last.boot}`);
    }
    if (last !== undefined && boot !== last.boot && epoch === last.epoch) {
      throw new Violation('I1', `${where}: ${boot} and ${last.boot} have the epoch ${epoch}`);
    }
    if (boot === last?.boot && session < last.session) {
      throw new Violation('I1', `${where}: ${boot} wrote over an earlier connection`);
    }
    const writer = { boot, epoch, session };
    this.#writers.set(partition, writer);
    for (let i = 2 * Number(checkCount); i < rest.length; i += 3) {
      const [key, kind, value] = rest.slice(i, i + 3);
      this.#written(decodeKey(key as Buffer), kind === '+' ? (value as Buffer) : undefined, writer);
    }
  }

  #written(
    key: readonly (string | number)[],
    value: Buffer | undefined,
    writer: PartitionWriter,
  ): void {
    const [, , kind, number, seq] = key;
    const known = this.#worlds.get(Number(number));
    if (kind === 'world' && value === undefined) {
      if (known === undefined || known.isRemoved) return;
      known.isRemoved = true;
      this.#listener.removed(known);
    } else if (kind === 'world' && known === undefined) {
      const record = unpackValue(value as Buffer) as WorldRecord;
      this.#worlds.set(Number(number), new LedgerWorld(Number(number), record));
      this.#listener.created(Number(number));
    } else if (known === undefined || known.isRemoved || value === undefined) return;
    else if (kind === 'world') {
      const record = unpackValue(value) as WorldRecord;
      const former = known.recorded(record);
      if (former !== undefined) this.#listener.startedOver(known, former, writer);
    } else if (kind === 'journal') {
      const [tick = 0, car = 0, touched = 0, values = 0] = unpackValue(value) as number[];
      const atMs = this.#nowMs();
      const acknowledgedMs = Number.POSITIVE_INFINITY;
      const change = { tick, car, touched, values };
      known.append(Number(seq), { ...change, atMs, acknowledgedMs });
      this.#listener.changed(known, tick, writer);
    } else if (kind === 'image') checkImage(known, value);
  }

  /** For `restore`, once the store has lost what it accepted since now. */
  save(): () => void {
    const worlds = [...this.#worlds.values()].map(
      (world) => [world, world.size, world.isRemoved] as const,
    );
    const writers = new Map(this.#writers);
    const savedMs = this.#nowMs();
    return () => {
      const kept = new Set(worlds.map(([world]) => world));
      for (const world of this.#worlds.values()) {
        if (!kept.has(world)) this.#worlds.delete(world.number);
      }
      for (const [world, size, isRemoved] of worlds) {
        world.cut(size);
        world.isRemoved = isRemoved;
      }
      this.#writers = writers;
      this.#listener.lostTail(savedMs);
    };
  }
}

function writerOf(token: string): Omit<PartitionWriter, 'epoch'> {
  const end = token.lastIndexOf('#');
  return { boot: token.slice(0, end), session: Number(token.slice(end + 1)) };
}

/** An image that a holder has stored shows what the journal says. */
function checkImage(world: LedgerWorld, value: Buffer): void {
  const { tick, seq, kernel, bytes } = unpackValue(value) as StoredImage;
  if (!world.wasState(kernel, seq, stateOfImage(bytes))) {
    const which = `the image of world ${worldIdOf(world.number)} at tick ${tick}`;
    throw new Violation('I5', `${which} is not that after ${seq} changes`);
  }
}
