import type { Kernel, Slab } from '../../kernel/kernel.ts';
import type { ContactRecord } from '../../twin/contact-records.ts';
import type { NumberedChange } from '../../twin/journal.ts';
import { placePast } from '../loaded-world.ts';
import { packedParts, unpackNumbered, type WorldPast } from '../protocol.ts';

/** Ticks between two yields: about 0.1 ms of work. */
const CHUNK_TICKS = 20;
/** The same for changes that are read or applied: there may be 65,536 at one tick. */
const CHUNK_CHANGES = 200;

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
  #changes: readonly NumberedChange[] = [];
  #next = 0;
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
   * Starts at the image of a world, or at its beginning, and returns the changes after it. Until something
   * is switched on, the slab is that of the world itself to the bit.
   */
  *begin(cityIndex: number, past: WorldPast): Slices<readonly NumberedChange[]> {
    const changes: NumberedChange[] = [];
    for (const part of packedParts(past.changes, CHUNK_CHANGES)) {
      changes.push(...unpackNumbered(part));
      yield;
    }
    placePast(this.kernel, this.slab, cityIndex, past);
    this.#take(changes, past.image === undefined ? 0 : firstAfter(changes, this.tick));
    if (this.tick === 0) yield* this.#applyUpTo(0);
    return changes;
  }

  restore({ image, changes }: RewindStart): void {
    this.kernel.restore(this.slab, image);
    this.#take(changes, firstAfter(changes, this.tick));
    this.kernel.clearActed(this.slab);
  }

  /** Keeps nothing of what was run. */
  forget(): void {
    this.#take([], 0);
  }

  #take(changes: readonly NumberedChange[], next: number): void {
    this.#changes = changes;
    this.#next = next;
    this.#on = new Map();
    this.records.length = 0;
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

  /** Of the next change. */
  get #nextTick(): number {
    return this.#changes[this.#next]?.tick ?? Number.POSITIVE_INFINITY;
  }

  *#applyUpTo(tick: number): Slices<void> {
    for (let done = 1; ; done++) {
      const change = this.#changes[this.#next];
      if (change === undefined || change.tick > tick) return;
      const { car, values } = change;
      const touched = change.touched & ~(this.#on.get(car) ?? 0);
      if (touched !== 0) this.kernel.apply(this.slab, change.tick, car, touched, values);
      this.#next++;
      if (done % CHUNK_CHANGES === 0) yield;
    }
  }
}

/** Index of the first change after a tick, by bisection: there may be very many. */
function firstAfter(changes: readonly NumberedChange[], tick: number): number {
  let from = 0;
  for (let end = changes.length; from < end; ) {
    const middle = (from + end) >> 1;
    if ((changes[middle]?.tick ?? 0) > tick) end = middle;
    else from = middle + 1;
  }
  return from;
}
