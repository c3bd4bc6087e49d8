import {
  EVENTS,
  EVENT_BYTES,
  EVENT_RING,
  E_ARG,
  E_CAR,
  E_FEATURE,
  E_HAZARD,
  E_KIND,
  E_OTHER,
  E_SEQ,
  E_TICK,
  H_EVENT_COUNT,
} from './layout';

/** Address of the record of an event that is in the ring, counted from 0. */
@inline export function eventRecord(slab: usize, event: u32): usize {
  return slab + <usize>EVENTS + <usize>(event % EVENT_RING) * EVENT_BYTES;
}

/** The oldest event that is in the ring. */
@inline export function oldestEvent(slab: usize): u32 {
  const count = load<u32>(slab + H_EVENT_COUNT);
  return count > <u32>EVENT_RING ? count - EVENT_RING : 0;
}

/** Adds an event to the ring; −1 stands for "none" in car, feature, hazard and other. */
export function raise(
  slab: usize,
  tick: u32,
  kind: i32,
  car: i32,
  feature: i32,
  hazard: i32,
  arg: i32,
  other: i32,
): void {
  const count = load<u32>(slab + H_EVENT_COUNT);
  const record = eventRecord(slab, count);
  store<u32>(record + E_SEQ, count + 1);
  store<u32>(record + E_TICK, tick);
  store<i32>(record + E_KIND, kind);
  store<i32>(record + E_CAR, car);
  store<i32>(record + E_FEATURE, feature);
  store<i32>(record + E_HAZARD, hazard);
  store<i32>(record + E_ARG, arg);
  store<i32>(record + E_OTHER, other);
  store<u32>(slab + H_EVENT_COUNT, count + 1);
}
