import { CAR_COUNT, F_ALL, TICK_MS } from '../../assembly/layout.ts';
import type { City } from '../city/types.ts';
import type { Clock } from '../clock.ts';
import { BetweenNodes } from '../errors.ts';
import { PARTITION_COUNT } from '../limits.ts';
import type { Random } from '../random.ts';
import { numbered } from '../shard/protocol.ts';
import { inPartition, partitionOf, randomWorldNumber } from '../twin/ids.ts';
import { countPacked, lastTickOf, withPacked } from '../twin/journal.ts';
import { JournalHash } from '../twin/journal-hash.ts';
import type { WorldStart } from '../twin/lockstep.ts';
import type { WorldOptions } from '../twin/world-options.ts';
import type { HeldPartitions } from './held-partitions.ts';
import type { IdleIndex } from './idle-index.ts';
import type { WorldRecord } from './records.ts';
import { hashedAt } from './world-journal.ts';

interface NewWorldsDependencies {
  clock: Clock;
  random: Random;
  ranges: Pick<HeldPartitions, 'shown'>;
  cities: readonly City[];
  /** Identity of this node's kernel. */
  kernel: string;
  idle: Pick<IdleIndex, 'slotOf'>;
}

const ALL_ON: readonly number[] = Array.from({ length: CAR_COUNT }, () => F_ALL);
/** The start of a new world. One object for all worlds, to save memory. */
const START = { tick: 0, seq: 0, masks: ALL_ON };
const NO_CHANGES = new Int32Array(0);

/** What new worlds are made of: their numbers and records. */
export class NewWorlds {
  readonly #dependencies: NewWorldsDependencies;

  constructor(dependencies: NewWorldsDependencies) {
    this.#dependencies = dependencies;
  }

  /** In a partition that this node holds. Throws TwinError `store_unavailable` if there is none. */
  number(): number {
    const { random, ranges } = this.#dependencies;
    const number = randomWorldNumber((count) => random.bytes(count));
    const shown = ranges.shown();
    if (shown.length === PARTITION_COUNT) return number;
    const partition = shown[partitionOf(number) % shown.length];
    if (partition === undefined) throw new BetweenNodes();
    return inPartition(number, partition);
  }

  /** The record of a world that is made now, and the changes that it was created with, packed. */
  record({ seed, city, startTick, journal, origin }: WorldOptions): {
    record: WorldRecord;
    changes: Int32Array;
  } {
    const changes = journal?.changes ?? NO_CHANGES;
    const livedCount = countPacked(changes);
    const from = origin?.from ?? START;
    const { clock, cities, kernel, random, idle } = this.#dependencies;
    const createdAtMs = clock.now() - startTick * TICK_MS;
    const own = seed ?? new DataView(random.bytes(4).buffer).getUint32(0);
    const record = {
      seed: own,
      city: city ?? cities[0]?.name ?? '',
      createdAtMs,
      kernel,
      exact: origin?.exact ?? (journal === undefined || journal.kernel === kernel),
      due: idle.slotOf({ createdAtMs }, clock.now()),
      livedCount,
      masks: livedCount === 0 ? ALL_ON : withPacked(ALL_ON, changes),
      maskSeq: livedCount,
      maskTick: lastTickOf(changes) ?? 0,
      from,
      ...(livedCount > from.seq ? hashedAt(livedCount, hashOf(own, from, changes)) : {}),
    };
    return { record, changes };
  }
}

/** Of a journal that a world is made with: whoever takes the world over tells it without reading that. */
function hashOf(seed: number, from: WorldStart, changes: Int32Array): JournalHash {
  const hash = JournalHash.ofStart(seed, from);
  hash.addPacked(numbered(changes, from.seq));
  return hash;
}
