import type { Kernel, Slab } from '../../kernel/kernel.ts';
import type { ContactRecord } from '../../twin/contact-records.ts';
import type { NumberedChange } from '../../twin/journal.ts';
import { placePast } from '../loaded-world.ts';
import { countNumbered, countUpTo, packNumbered, unpackedAt, type WorldPast } from '../protocol.ts';

/** Ticks between two yields: about 0.1 ms of work. */
const CHUNK_TICKS = 20;
/** The same for changes that are applied: there may be 65,536 at one tick. */
const CHUNK_CHANGES = 200;
const NO_CHANGES = new Int32Array();

/** Work in small steps: it may be interrupted at every `yield`. */
export type Slices<T> = Generator<void, T, void>;

/** The state from which a re-run starts, and the changes after it. */
export interface RewindStart {
  image: Uint8Array;
  /** In order of tick; the image contains those up to its own tick. */
  changes: readonly NumberedChange[];
}

/** A slab in which parts of worlds are re-run, without any effect on the worlds themselves. */
export class Rewind {
  readonly kernel: Kernel;
  readonly slab: Slab;
  /** Of contacts and crash pulses. */
  readonly records: ContactRecord[] = [];
  /** Ticks stepped since it was made. */
  stepped = 0;
  /** See `packNumbered`. */
  #changes: Int32Array = NO_CHANGES;
  /** Index and tick of the next change. */
  #next = 0;
  #nextTick = Number.POSITIVE_INFINITY;
  /** By car: features that stay on even if the journal switches them off. */
  #on: ReadonlyMap<number, number> = new Map();

  constructor(kernel: Kernel, slab: Slab) {
    this.kernel = kernel;
    this.slab = slab;
  }

  get tick(): number {
    return this.kernel.tick(this.slab);
  }

  /**
   * Starts at the image of a world, or at its beginning. Until something is switched on, the slab is that
   * of the world itself to the bit.
   */
  *begin(cityIndex: number, past: WorldPast): Slices<void> {
    const { changes, image } = past;
    placePast(this.kernel, this.slab, cityIndex, past);
    this.#take(changes, image === undefined ? 0 : countUpTo(changes, this.tick));
    if (this.tick === 0) yield* this.#applyUpTo(0);
  }

  restore({ image, changes }: RewindStart): void {
    this.kernel.restore(this.slab, image);
    const packed = packNumbered(changes);
    this.#take(packed, countUpTo(packed, this.tick));
    this.kernel.clearActed(this.slab);
  }

  /** Keeps nothing of what was run. */
  forget(): void {
    this.#take(NO_CHANGES, 0);
  }

  /** @param next index of the first change that is not in the slab */
  #take(changes: Int32Array, next: number): void {
    this.#changes = changes;
    this.#toNext(next);
    this.#on = new Map();
    this.records.length = 0;
  }

  #toNext(index: number): void {
    this.#next = index;
    const isThere = index < countNumbered(this.#changes);
    this.#nextTick = isThere ? unpackedAt(this.#changes, index).tick : Number.POSITIVE_INFINITY;
  }

  /** Switches features of some cars on, from the next tick on. */
  switchOn(on: ReadonlyMap<number, number>): void {
    this.#on = on;
    for (const [car, mask] of on) this.kernel.apply(this.slab, this.tick + 1, car, mask, mask);
  }

  /** Steps to a tick; calls `inspect` at every multiple of `everyTicks`. */
  *stepTo(target: number, everyTicks = CHUNK_TICKS, inspect: () => void = () => {}): Slices<void> {
    for (let done = 0; this.tick < target; ) {
      const { tick } = this;
      if (this.#nextTick <= tick + 1) yield* this.#applyUpTo(tick + 1);
      const stop = (Math.floor(tick / everyTicks) + 1) * everyTicks;
      const end = Math.min(target, stop, this.#nextTick - 1);
      const known = this.kernel.contactCount(this.slab);
      const moved = this.kernel.step(this.slab, end - tick);
      done += moved;
      this.stepped += moved;
      if (this.kernel.contactCount(this.slab) > known) {
        this.records.push(...this.kernel.records(this.slab, known));
      }
      if (this.tick % everyTicks === 0) inspect();
      if (done < CHUNK_TICKS) continue;
      done = 0;
      yield;
    }
  }

  *#applyUpTo(tick: number): Slices<void> {
    for (let done = 1; this.#nextTick <= tick; done++) {
      const change = unpackedAt(this.#changes, this.#next);
      const { car, values } = change;
      const touched = change.touched & ~(this.#on.get(car) ?? 0);
      if (touched !== 0) this.kernel.apply(this.slab, change.tick, car, touched, values);
      this.#toNext(this.#next + 1);
      if (done % CHUNK_CHANGES === 0) yield;
    }
  }
}
