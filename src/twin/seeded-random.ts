/**
 * Counter-based random numbers: each is a pure function of seed, purpose, entity and n, so that
 * more draws for one purpose do not shift those for another. 64-bit arithmetic as in splitmix64
 * (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
 */
const GOLDEN = 0x9e3779b97f4a7c15n;
const ENTITY_FACTOR = 0xd1b54a32d192ed03n;

function u64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/** The finaliser of splitmix64: a bijection of u64 in which every bit depends on all others. */
export function mix64(value: bigint): bigint {
  let z = u64(value);
  z = u64((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = u64((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** The first output of splitmix64 from a state; the n-th is that of `state + (n − 1) × GOLDEN`. */
export function splitmix64(state: bigint): bigint {
  return mix64(state + GOLDEN);
}

/** The key of the stream of one purpose and one entity of a world. */
export function streamKey(seed: number, purpose: number, entity: number): bigint {
  return splitmix64(
    u64(BigInt(seed) ^ u64(BigInt(purpose) * GOLDEN) ^ u64(BigInt(entity) * ENTITY_FACTOR)),
  );
}

/** Number n of a stream, a u64. */
export function draw(key: bigint, n: number): bigint {
  return mix64(key + BigInt(n) * GOLDEN);
}

/** A u64 as a double in [0, 1), from its upper 53 bits. */
export function uniform(bits: bigint): number {
  return Number(u64(bits) >> 11n) * 2 ** -53;
}
