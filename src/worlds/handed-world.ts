import type { StreamEncoding } from '../codec/encoding.ts';
import type { FrozenWorld } from '../shard/protocol.ts';
import type { WorldRecord } from './records.ts';

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
