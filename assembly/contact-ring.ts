import {
  CONTACTS,
  CONTACT_BYTES,
  CONTACT_RING,
  H_CONTACT_COUNT,
  H_CONTACT_ORDER,
  H_CONTACT_TICK,
  H_TICK,
  K_CHAIN_ORDER,
  K_CHAIN_TICK,
  K_KIND,
  K_ORDER,
  K_TICK,
} from './layout';

/** A new record of this tick, all else 0. `kind`: CONTACT_. */
export function newRecord(slab: usize, kind: i32): usize {
  const tick = load<u32>(slab + H_TICK);
  const count = load<u32>(slab + H_CONTACT_COUNT);
  const again = count > 0 && load<u32>(slab + H_CONTACT_TICK) == tick;
  const order = again ? load<u32>(slab + H_CONTACT_ORDER) + 1 : 0;
  store<u32>(slab + H_CONTACT_TICK, tick);
  store<u32>(slab + H_CONTACT_ORDER, order);
  store<u32>(slab + H_CONTACT_COUNT, count + 1);
  const record = <usize>CONTACTS + <usize>(count % CONTACT_RING) * CONTACT_BYTES;
  memory.fill(record, 0, CONTACT_BYTES);
  store<u32>(record + K_TICK, tick);
  store<u32>(record + K_ORDER, order);
  store<i32>(record + K_KIND, kind);
  return record;
}

export function setChain(record: usize, tick: u32, order: u32): void {
  store<u32>(record + K_CHAIN_TICK, tick);
  store<u32>(record + K_CHAIN_ORDER, order);
}
