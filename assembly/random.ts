/**
 * Counter-based random numbers with one stream per (world, purpose, entity): an additional draw for
 * one purpose never shifts another. splitmix64 (Steele, Lea, Flood 2014).
 */
export const PURPOSE_START = 1;
export const PURPOSE_DRIVER = 2;
export const PURPOSE_SIGNAL = 3;
export const PURPOSE_HAZARD = 4;
export const PURPOSE_RETURN = 5;

const GOLDEN: u64 = 0x9e3779b97f4a7c15;
const ENTITY: u64 = 0xd1b54a32d192ed03;

function mix(value: u64): u64 {
  let z = value;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/** The key of a stream. */
export function streamKey(seed: u64, purpose: u64, entity: u64): u64 {
  return mix((seed ^ (purpose * GOLDEN) ^ (entity * ENTITY)) + GOLDEN);
}

/** Draw number n of a stream. */
export function draw(key: u64, n: u64): u64 {
  return mix(key + n * GOLDEN);
}

/** Draw number n as a uniform number in [0, 1). */
export function uniform(key: u64, n: u64): f64 {
  return <f64>(draw(key, n) >> 11) * 1.1102230246251565e-16;
}

/** Draw number n as a uniform number in [low, high). */
export function uniformBetween(key: u64, n: u64, low: f64, high: f64): f64 {
  return low + (high - low) * uniform(key, n);
}
