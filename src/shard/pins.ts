import { LEAD_TICKS_MAX, PINS_MAX } from '../limits.ts';
import type { ContactFacts } from '../twin/incidents.ts';
import type { Resident } from './resident.ts';

interface Pin {
  stay: number;
  tick: number;
  bytes: Uint8Array;
}

/** Of each collision in a watched world the state from before it, until it is explained. */
export class Pins {
  /** The oldest first. */
  readonly #pins = new Map<string, Pin>();

  /** Keeps what a collision needs that has just happened, where the world has it. */
  keep(resident: Resident, { tick, order, chainTick, chainOrder }: ContactFacts): void {
    if (tick !== chainTick || order !== chainOrder) return;
    const image = resident.images.findLast((each) => each.tick <= tick - LEAD_TICKS_MAX);
    if (image === undefined) return;
    const { world, stay } = resident;
    const key = keyOf(world, { tick, order });
    // The ring of kept images is written over in place.
    this.#pins.set(key, { stay, tick: image.tick, bytes: image.bytes.slice() });
    if (this.#pins.size <= PINS_MAX) return;
    const [oldest] = this.#pins.keys();
    if (oldest !== undefined) this.#pins.delete(oldest);
  }

  /** What was kept of a collision of this stay of a world; it is kept no longer. */
  take(world: number, stay: number, first: ContactFacts): Pin | undefined {
    const key = keyOf(world, first);
    const pin = this.#pins.get(key);
    this.#pins.delete(key);
    return pin?.stay === stay ? pin : undefined;
  }
}

function keyOf(world: number, { tick, order }: { tick: number; order: number }): string {
  return `${world} ${tick}-${order}`;
}
