/** What the host may call. Addresses are opaque to it: it hands out slabs and gives them back. */
import { LAYOUT_VERSION, SLAB_BYTES } from './layout';
import { setFeatures } from './commands';
import { effectiveMask } from './features';
import { hashSlab } from './hash';
import { packSlab } from './snapshot';
import { stepSlab } from './step';
import { createWorld } from './world';

export function layoutVersion(): i32 {
  return LAYOUT_VERSION;
}

export function slabBytes(): i32 {
  return SLAB_BYTES;
}

export function create(slab: usize, city: i32, seed: u32): void {
  createWorld(slab, city, <u64>seed);
}

export function step(slab: usize, ticks: i32): i32 {
  return stepSlab(slab, ticks);
}

export function apply(slab: usize, tick: u32, car: i32, touched: i32, values: i32): void {
  setFeatures(slab, tick, car, touched, values);
}

export function pack(slab: usize): void {
  packSlab(slab);
}

export function hash(slab: usize): u64 {
  return hashSlab(slab);
}

export function effective(declared: i32): i32 {
  return effectiveMask(declared);
}
