/** The interface for the host. Addresses of slabs are opaque to it. */
import { LAYOUT_VERSION, SLAB_BYTES } from './layout';

export { apply } from './commands';
export { effective } from './features';
export { hash } from './hash';
export { pack } from './snapshot';
export { step } from './step';
export { create } from './world';

export function layoutVersion(): i32 {
  return LAYOUT_VERSION;
}

export function slabBytes(): i32 {
  return SLAB_BYTES;
}
