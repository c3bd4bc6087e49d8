import { CHAIN_TICKS } from '../../../assembly/layout.ts';
import { BEHIND_TICKS, LEAD_TICKS_MAX, PINS_MAX } from '../../limits.ts';
import type { Chain, ContactFacts } from '../../twin/incidents.ts';
import type { Resident } from '../loaded-world.ts';
import type { NumberedChange } from '../protocol.ts';
import type { Scene } from './rewind.ts';

interface Pin {
  tick: number;
  image: Uint8Array;
  /** Those from the image to the end of a re-run; until they are known, the stay that knows them. */
  changes: readonly NumberedChange[] | { stay: number };
}

/** States from before collisions, for explanations and replays: as many as there is room for. */
export class Pins {
  /** The least recently used first. */
  readonly #pins = new Map<string, Pin>();

  /**
   * Keeps what a collision needs that has just happened, where the world has it. One of a world that
   * catches up, and should be at `dueTick`, happened long ago: very many come at once then, and would
   * take the place of those that somebody sees happen.
   */
  keep(
    resident: Resident,
    { tick, order, chainTick, chainOrder }: ContactFacts,
    dueTick: number,
  ): void {
    if (tick !== chainTick || order !== chainOrder || dueTick - tick > BEHIND_TICKS) return;
    const image =
      resident.images.findLast((each) => each.tick <= tick - LEAD_TICKS_MAX) ??
      resident.images.find((each) => each.tick === 0);
    if (image === undefined) return;
    const { world, stay } = resident;
    // The ring of kept images is written over in place.
    const pin = { tick: image.tick, image: image.bytes.slice(), changes: { stay } };
    this.#set(keyOf(world, { tick, order }), pin);
  }

  /** Keeps what was lived again for a collision. */
  add(world: number, [first]: Chain, tick: number, { image, changes }: Scene): void {
    this.#set(keyOf(world, first), { tick, image, changes: until(first, changes) });
  }

  #set(key: string, pin: Pin): void {
    this.#pins.delete(key);
    this.#pins.set(key, pin);
    const [oldest] = this.#pins.keys();
    if (this.#pins.size > PINS_MAX && oldest !== undefined) this.#pins.delete(oldest);
  }

  /** What is kept of a collision; `resident`: its world, where that is in memory. */
  scene(world: number, [first]: Chain, resident: Resident | undefined): Scene | undefined {
    const key = keyOf(world, first);
    const pin = this.#pins.get(key);
    if (pin === undefined) return undefined;
    const { tick, image } = pin;
    const { changes } = pin;
    if (!('stay' in changes)) {
      this.#set(key, pin);
      return { image, changes };
    }
    const known = resident?.stay === changes.stay ? resident.changesAfter(tick) : undefined;
    if (known === undefined) {
      this.#pins.delete(key);
      return undefined;
    }
    const scene = { image, changes: until(first, known) };
    // A world that has not come to the end of it yet may be given more changes.
    if ((resident?.tick ?? 0) >= first.tick + CHAIN_TICKS) this.#set(key, { tick, ...scene });
    return scene;
  }
}

function until({ tick }: ContactFacts, changes: readonly NumberedChange[]): NumberedChange[] {
  return changes.filter((change) => change.tick <= tick + CHAIN_TICKS);
}

function keyOf(world: number, { tick, order }: { tick: number; order: number }): string {
  return `${world} ${tick}-${order}`;
}
