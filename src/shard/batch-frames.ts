import { OUT_LENGTH } from '../../assembly/layout.ts';
import { BEAT_WORLDS } from '../limits.ts';
import type { BeatReport } from './protocol.ts';

/**
 * The buffer of a beat: first an entry of doubles for each world, world number, tick, then offset
 * and length of its JSON frame and of its MessagePack frame, length 0 where nobody wants it, and
 * the offset of its packed snapshot; behind the entries all that they point at.
 */
const ENTRY = 7;
/** Where the frames begin. */
export const FRAMES_AT = BEAT_WORLDS * ENTRY * 8;

/** A frame as it lies in the buffer of a beat. */
export interface BeatFrame {
  tick: number;
  json: Uint8Array | undefined;
  msgpack: Uint8Array | undefined;
  packed: Int32Array;
}

/** Where in the buffer a frame lies. */
export interface FramePlace {
  world: number;
  tick: number;
  packedAt: number;
  jsonAt: number;
  jsonEnd: number;
  msgpackAt: number;
  msgpackEnd: number;
}

/** Writes entry `i`. */
export function placeFrame(entries: Float64Array, i: number, place: FramePlace): void {
  const at = i * ENTRY;
  entries[at] = place.world;
  entries[at + 1] = place.tick;
  entries[at + 2] = place.jsonAt;
  entries[at + 3] = place.jsonEnd - place.jsonAt;
  entries[at + 4] = place.msgpackAt;
  entries[at + 5] = place.msgpackEnd - place.msgpackAt;
  entries[at + 6] = place.packedAt;
}

/**
 * Where the next part may begin. V8 copies shared memory by words where both sides are aligned alike,
 * else byte by byte.
 */
export function alignedAt(at: number): number {
  return (at + 7) & ~7;
}

/** Calls `take` with each frame of a beat and the number of its world. */
export function eachFrame(
  { buffer, worlds }: BeatReport,
  take: (world: number, frame: BeatFrame) => void,
): void {
  const entries = new Float64Array(buffer, 0, worlds * ENTRY);
  const part = (at: number) => {
    const length = entries[at + 1] as number;
    return length === 0 ? undefined : new Uint8Array(buffer, entries[at], length);
  };
  for (let at = 0; at < entries.length; at += ENTRY) {
    take(entries[at] as number, {
      tick: entries[at + 1] as number,
      json: part(at + 2),
      msgpack: part(at + 4),
      packed: new Int32Array(buffer, entries[at + 6], OUT_LENGTH),
    });
  }
}
