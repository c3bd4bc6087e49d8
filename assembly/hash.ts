import { SLAB_BYTES } from './layout';

/** FNV-1a over the 64-bit words of a whole slab: equal worlds have equal hashes. */
export function hash(slab: usize): u64 {
  let value: u64 = 0xcbf29ce484222325;
  for (let address: usize = 0; address < <usize>SLAB_BYTES; address += 8) {
    value = (value ^ load<u64>(slab + address)) * 0x100000001b3;
  }
  return value;
}
