import { PARTITION_COUNT } from '../limits.ts';

/**
 * A world number is a random 50-bit integer. A world id is the same number in ten characters. Its
 * top 6 bits are the partition.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 10;
const HALF = 2 ** 25;

export const WORLD_NUMBER_END = 2 ** 50;
const PARTITION_SIZE = WORLD_NUMBER_END / PARTITION_COUNT;

const DIGIT_OF_CODE = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit++) {
  DIGIT_OF_CODE[ALPHABET.charCodeAt(digit)] = digit;
}

/** Ten characters of lower-case Crockford base 32, most significant first. */
export function worldIdOf(worldNumber: number): string {
  return halfId(Math.floor(worldNumber / HALF)) + halfId(worldNumber % HALF);
}

function halfId(half: number): string {
  let id = '';
  for (let shift = 20; shift >= 0; shift -= 5) id += ALPHABET.charAt((half >> shift) & 31);
  return id;
}

/** The number of a world id; undefined for anything that `worldIdOf` does not write. */
export function parseWorldId(id: string): number | undefined {
  if (id.length !== ID_LENGTH) return undefined;
  let worldNumber = 0;
  for (let i = 0; i < ID_LENGTH; i++) {
    const digit = DIGIT_OF_CODE[id.charCodeAt(i)] ?? -1;
    if (digit < 0) return undefined;
    worldNumber = worldNumber * 32 + digit;
  }
  return worldNumber;
}

/** 0 to `PARTITION_COUNT` − 1. */
export function partitionOf(worldNumber: number): number {
  return Math.floor(worldNumber / PARTITION_SIZE);
}

/** The number with the same random part in a partition. */
export function inPartition(worldNumber: number, partition: number): number {
  return partition * PARTITION_SIZE + (worldNumber % PARTITION_SIZE);
}

/** @param random returns this number of cryptographically random bytes */
export function randomWorldNumber(random: (byteCount: number) => Uint8Array): number {
  return random(7).reduce((number, byte) => (number % (WORLD_NUMBER_END / 256)) * 256 + byte, 0);
}

/** A random number in one of some partitions, in any of them alike; undefined if there is none. */
export function newWorldNumber(
  random: (byteCount: number) => Uint8Array,
  partitions: readonly number[],
): number | undefined {
  const number = randomWorldNumber(random);
  const partition = partitions[partitionOf(number) % partitions.length];
  return partition === undefined ? undefined : inPartition(number, partition);
}
