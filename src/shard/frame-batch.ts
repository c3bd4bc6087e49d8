import { OUT_LENGTH } from '../../assembly/layout.ts';
import { FRAME_BATCH_WORLDS } from '../limits.ts';
import type { FrameBatch } from './protocol.ts';

/**
 * The memory of a frame batch. It begins with one entry of doubles for each world: world number,
 * tick, offset and length of the JSON frame, offset and length of the MessagePack frame, offset of
 * the packed snapshot. Length 0, or offset 0 of the packed one, means that nobody needs it. The frames
 * follow.
 */
const ENTRY_DOUBLES = 7;
export const FRAMES_OFFSET = FRAME_BATCH_WORLDS * ENTRY_DOUBLES * 8;

/** A frame as views into the memory of its batch. */
export interface BatchFrame {
  tick: number;
  json: Uint8Array | undefined;
  msgpack: Uint8Array | undefined;
  packed: Int32Array | undefined;
}

interface Entry {
  /** Of the world. */
  number: number;
  tick: number;
  /** 0: nobody needs it. */
  packedOffset: number;
  jsonOffset: number;
  jsonEnd: number;
  msgpackOffset: number;
  msgpackEnd: number;
}

export function writeEntry(entries: Float64Array, i: number, entry: Entry): void {
  const first = i * ENTRY_DOUBLES;
  entries[first] = entry.number;
  entries[first + 1] = entry.tick;
  entries[first + 2] = entry.jsonOffset;
  entries[first + 3] = entry.jsonEnd - entry.jsonOffset;
  entries[first + 4] = entry.msgpackOffset;
  entries[first + 5] = entry.msgpackEnd - entry.msgpackOffset;
  entries[first + 6] = entry.packedOffset;
}

/**
 * The next offset at which a part may begin. V8 copies shared memory word by word if source and
 * target are aligned in the same way, otherwise byte by byte.
 */
export function aligned(offset: number): number {
  return (offset + 7) & ~7;
}

/** Calls `take` with the world number and the frame of each entry. */
export function eachFrame(
  { bytes: { buffer, byteOffset }, worlds }: FrameBatch,
  take: (world: number, frame: BatchFrame) => void,
): void {
  const entries = new Float64Array(buffer, byteOffset, worlds * ENTRY_DOUBLES);
  const part = (index: number) => {
    const length = entries[index + 1] as number;
    return length === 0
      ? undefined
      : new Uint8Array(buffer, byteOffset + (entries[index] as number), length);
  };
  for (let first = 0; first < entries.length; first += ENTRY_DOUBLES) {
    const offset = entries[first + 6] as number;
    take(entries[first] as number, {
      tick: entries[first + 1] as number,
      json: part(first + 2),
      msgpack: part(first + 4),
      packed: offset === 0 ? undefined : new Int32Array(buffer, byteOffset + offset, OUT_LENGTH),
    });
  }
}
