import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpack } from 'msgpackr';
import type { Encoding } from '../../src/codec/encoding.ts';

/** A frame that is not the one that its world leads to. */
export interface Difference {
  world: string;
  tick: number;
  encoding: Encoding;
  lived: Uint8Array;
  received: Uint8Array;
  /** Changes that the stream had told of, and those in the journal of the node. */
  seq: { told: number; journal: number };
}

/** Index of the first byte that two frames do not share. */
export function firstByte(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return at;
  return length;
}

/** Path of the first field that differs, such as `vehicles[3].speed`; empty where all values are equal. */
export function firstField(one: unknown, other: unknown, path = ''): string {
  if (Object.is(one, other)) return '';
  if (!isTree(one) || !isTree(other)) return path || 'all of it';
  const inList = Array.isArray(one);
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const dot = path === '' ? '' : '.';
    const deeper = firstField(one[key], other[key], path + (inList ? `[${key}]` : dot + key));
    if (deeper !== '') return deeper;
  }
  return '';
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** As far as the bytes are a frame at all. */
function decoded(encoding: Encoding, bytes: Uint8Array): unknown {
  try {
    return encoding === 'json' ? JSON.parse(Buffer.from(bytes).toString()) : unpack(bytes);
  } catch {
    return undefined;
  }
}

/** Writes both frames into a new folder; returns lines that say where, and where they differ. */
export function keepDifference(difference: Difference): string[] {
  const { world, tick, encoding, lived, received, seq } = difference;
  const folder = mkdtempSync(join(tmpdir(), 'twin-difference-'));
  const keep = (name: string, bytes: Uint8Array) => {
    const path = join(folder, `${world}-${tick}.${name}.${encoding}`);
    writeFileSync(path, bytes);
    return `${name}: ${path}`;
  };
  const byte = firstByte(lived, received);
  const field = firstField(decoded(encoding, lived), decoded(encoding, received));
  return [
    `world ${world}, tick ${tick}, ${encoding}: byte ${byte} differs, ${field || 'in no field'}`,
    `changes: the stream told of ${seq.told}, the journal has ${seq.journal}`,
    keep('lived', lived),
    keep('received', received),
  ];
}
