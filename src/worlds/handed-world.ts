import type { StreamEncoding } from '../codec/encoding.ts';
import type { FrozenWorld, StateImage } from '../shard/protocol.ts';
import type { WorldRecord } from './records.ts';
import { hashedAt } from './world-journal.ts';
import type { WorldParts } from './world-parts.ts';

/** A world that goes on, as another node can prepare for it. All of it is plain data. */
export interface CopiedWorld
  extends StateImage,
    Pick<WorldRecord, 'seed' | 'city' | 'createdAtMs' | 'from'> {
  number: number;
  /** At the node that has it. */
  residency: number;
  /** In which it is watched. */
  encodings: readonly StreamEncoding[];
}

/** A world at hand, as one node hands it to another. All of it is plain data. */
export interface HandedWorld {
  number: number;
  /** With the masks after all durable changes. */
  record: WorldRecord;
  /** Its slot of the idle index, in the store. */
  due: number;
  lastTouchMs: number;
  trapsMs: readonly number[];
  /** The highest tick in any answer to a client. */
  answeredTick: number;
  /** Its steps up to this tick are paid. */
  paidTick: number;
  /** Null: it is not in memory. */
  frozen: FrozenWorld | null;
  /** Encodings in which it is watched. */
  encodings: readonly StreamEncoding[];
  /** Tick of the last frame that its watchers have got; null: nobody watches it. */
  sentTick: number | null;
}

/** What a world tells of itself, and its parts. */
export function handedFrom(
  { record, journal, guard, ticks, demand }: WorldParts,
  own: Pick<HandedWorld, 'number' | 'due' | 'lastTouchMs' | 'frozen' | 'sentTick'>,
): HandedWorld {
  const { masks, seq: maskSeq, lastTick: maskTick, hash } = journal;
  return {
    ...own,
    record: { ...record, masks, maskSeq, maskTick, ...hashedAt(maskSeq, hash) },
    trapsMs: guard.trapsMs,
    ...{ answeredTick: ticks.answered, paidTick: ticks.paid },
    encodings: demand.encodings,
  };
}
