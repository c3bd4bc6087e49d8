import { RUNG_TICKS, RUNGS_MAX } from '../limits.ts';
import { phaseOf } from '../phase.ts';
import type { StateImage } from '../shard/protocol.ts';
import type { Write } from '../store/contract.ts';
import type { Records, WorldRecord } from './records.ts';
import { deflated, inflated, type StoredImage, sealed, whole } from './stored-image.ts';

/**
 * The state images of a world in the store: the newest, from which it is stepped on, and some earlier ones,
 * the rungs, from which past states are lived. There are RUNGS_MAX of them, thinner further back.
 */
export class ImageLadder {
  readonly #world: number;
  readonly #record: WorldRecord;
  readonly #records: Records;
  /** Of the rungs, in order; undefined: not read yet. */
  #ticks: readonly number[] | undefined;

  constructor(world: number, record: WorldRecord, records: Records) {
    this.#world = world;
    this.#record = record;
    this.#records = records;
  }

  async #known(): Promise<readonly number[]> {
    if (this.#ticks !== undefined) return this.#ticks;
    const prefix = this.#records.key(this.#world, 'rung');
    const entries = await this.#records.first(prefix, 2 * RUNGS_MAX);
    this.#ticks ??= entries.map(({ key }) => Number(key.at(-1)));
    return this.#ticks;
  }

  #keyOf(tick: number) {
    return this.#records.key(this.#world, 'rung', tick);
  }

  /** Stores the newest image, which may become a rung as well. */
  async save(image: StateImage, kernel: string): Promise<void> {
    const stored = sealed({ ...image, kernel });
    const { tick: from } = this.#record.from;
    // The first comes earlier by a part of the time that is the world's own.
    const start = from - phaseOf(this.#world, RUNG_TICKS);
    const isYoung = image.tick - start < RUNG_TICKS;
    const ticks = isYoung ? [] : await this.#known();
    const last = ticks.findLast((tick) => tick > from) ?? start;
    if (isYoung || image.tick - last < RUNG_TICKS) {
      return this.#records.saveImage(this.#world, stored);
    }
    const next = nextTicks(ticks, image.tick, from);
    const gone = ticks.filter((tick) => !next.includes(tick));
    const writes: Write[] = gone.map((tick) => ({ key: this.#keyOf(tick), remove: true }));
    writes.push({ key: this.#keyOf(image.tick), value: deflated(stored) });
    await this.#records.saveImage(this.#world, stored, writes);
    this.#ticks = next;
  }

  /** The last stored state up to a tick, if it is later than another one. */
  async nearest(tick: number, laterThan = -1): Promise<StateImage | undefined> {
    const newest = await this.#records.image(this.#world, this.#record);
    if (newest !== undefined && newest.tick <= laterThan) return undefined;
    if (newest !== undefined && newest.tick <= tick) return stateOf(newest);
    const rungs = (await this.#known()).filter((each) => each > laterThan && each <= tick);
    for (const rung of rungs.toReversed()) {
      const found = inflated(await this.#records.read<StoredImage>(this.#keyOf(rung)));
      const image = whole(found, this.#record);
      if (image?.tick === rung) return stateOf(image);
    }
    return undefined;
  }
}

function stateOf({ tick, seq, bytes }: StoredImage): StateImage {
  return { tick, seq, bytes };
}

/** The ticks of the rungs with a new one. Those of an earlier kernel are of no use any more. */
export function nextTicks(ticks: readonly number[], newTick: number, fromTick: number): number[] {
  const all = [...ticks.filter((tick) => tick > fromTick && tick < newTick), newTick];
  while (all.length > RUNGS_MAX) all.splice(leastMissed(all, fromTick), 1);
  return all;
}

/** The index of the rung whose gap would be the smallest without it, beside its age; never the last. */
function leastMissed(ticks: readonly number[], fromTick: number): number {
  const newest = ticks.at(-1) ?? 0;
  const scores = ticks.slice(0, -1).map((tick, i) => {
    const gap = (ticks[i + 1] ?? 0) - (ticks[i - 1] ?? fromTick);
    return gap / Math.sqrt(newest - tick);
  });
  return scores.indexOf(Math.min(...scores));
}
