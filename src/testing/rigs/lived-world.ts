import { inflateRawSync } from 'node:zlib';
import { at } from '../../city/geometry.ts';
import { Kernel, type Slab } from '../../kernel/kernel.ts';
import { CAR_TYPES, carTypesOf } from '../../twin/fleet.ts';
import type { NumberedChange } from '../../twin/journal.ts';
import { JournalHash } from '../../twin/journal-hash.ts';
import type { LockstepHello } from '../../twin/lockstep.ts';
import { cities, wasmOf } from './kernel.ts';

const module = new WebAssembly.Module(wasmOf('release'));

/** A world as a client lives it from a hello and what follows, in the simplest way. */
export class LivedWorld {
  readonly kernel: Kernel;
  readonly slab: Slab;
  readonly hash: JournalHash;
  readonly changes: NumberedChange[] = [];
  #applied = 0;

  /** `hello`: not a resumed one. */
  constructor(hello: LockstepHello) {
    const { city, seed, start, image } = hello;
    const table = at(
      cities.tables,
      cities.cities.findIndex(({ name }) => name === city),
    );
    this.kernel = new Kernel({ module, cityTables: [table], carTypes: CAR_TYPES, slabCount: 1 });
    this.slab = this.kernel.acquire() ?? -1;
    if (image === null) {
      const { tick, masks } = start;
      this.kernel.create(this.slab, {
        ...{ cityIndex: 0, seed, carTypes: carTypesOf(seed), tick, masks },
      });
    } else this.kernel.restore(this.slab, inflateRawSync(image.bytes));
    this.hash =
      image === null
        ? JournalHash.ofStart(seed, start)
        : (JournalHash.parse(hello.journal) as JournalHash);
    for (const change of hello.changes) this.#take(change, image === null);
  }

  change(change: NumberedChange): void {
    this.#take(change, true);
  }

  #take(change: NumberedChange, isHashed: boolean): void {
    this.changes.push(change);
    if (isHashed) this.hash.add(change);
  }

  get tick(): number {
    return this.kernel.tick(this.slab);
  }

  /** Lives on to a tick. Throws if a change came too late for it. */
  live(untilTick: number): void {
    while (this.tick < untilTick) {
      this.#apply(this.tick + 1);
      const next = this.changes[this.#applied]?.tick ?? Number.POSITIVE_INFINITY;
      this.kernel.step(this.slab, Math.min(untilTick, next - 1) - this.tick);
    }
  }

  #apply(tick: number): void {
    for (;;) {
      const change = this.changes[this.#applied];
      if (change === undefined || change.tick > tick) return;
      if (change.tick < tick && tick > 1) throw new Error(`change ${change.seq} came too late`);
      const { car, touched, values } = change;
      this.kernel.apply(this.slab, change.tick, car, touched, values);
      this.#applied++;
    }
  }
}
