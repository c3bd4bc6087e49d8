import type { LocalWorld } from '../../../../../client/src/local-world.ts';
import type { FeatureName } from '../../../../../src/twin/catalogue.ts';
import type { Incident, Snapshot } from '../../api/types.ts';
import type { Extent, Switching } from '../life.ts';
import { nextTurn } from './next-turn.ts';

/** A branch takes a slab of the kernel and its images. */
const BRANCHES_MAX = 4;
/** Ticks between two turns for others: some 5 ms of work. */
const CHUNK_TICKS = 1000;
/** States between two turns. */
const AT_ONCE = 25;

interface Branch {
  world: LocalWorld;
  fromTick: number;
}

/** Private copies of the world, by number. All but `open` throw for one that is closed. */
export class Branches {
  readonly #branches = new Map<number, Branch>();
  #count = 0;

  /** Rejects with RangeError for a tick that is not known, or if there are too many. */
  async open(of: LocalWorld, tick: number, switchings: readonly Switching[]): Promise<number> {
    if (this.#branches.size >= BRANCHES_MAX) throw new RangeError('too many branches are open');
    const number = this.#count++;
    const world = of.fork(tick);
    this.#branches.set(number, { world, fromTick: tick });
    for (const each of switchings) {
      await this.#liveTo(number, each.tick - 1);
      world.set(each.vin, each.features as Partial<Record<FeatureName, boolean>>);
    }
    return number;
  }

  close(number: number): void {
    this.#branches.get(number)?.world.close();
    this.#branches.delete(number);
  }

  #at(number: number): Branch {
    const branch = this.#branches.get(number);
    if (branch === undefined) throw new RangeError('the branch is closed');
    return branch;
  }

  /** States of a part of its life, and how far it has been lived then. */
  async frames(number: number, [first, last]: Extent, everyTicks: number) {
    const frames: Snapshot[] = [];
    for (let tick = first; tick <= last; tick += everyTicks) {
      await this.#liveTo(number, tick);
      const { world } = this.#at(number);
      frames.push(world.tick === tick ? world.snapshot() : world.at(tick).snapshot());
      if (frames.length % AT_ONCE === 0) await nextTurn();
    }
    return { frames, tick: this.#at(number).world.tick };
  }

  async #liveTo(number: number, tick: number): Promise<void> {
    for (;;) {
      const { world } = this.#at(number);
      const left = tick - world.tick;
      if (left > 0) world.step(Math.min(left, CHUNK_TICKS));
      if (left <= CHUNK_TICKS) return;
      await nextTurn();
    }
  }

  incidents(number: number): Incident[] {
    const { world, fromTick } = this.#at(number);
    return world.incidents().filter(({ tick }) => tick > fromTick);
  }
}
