import type { CarRecord } from './records.ts';
import type { Ordered } from './sorted-items.ts';

/** A car in memory, with the JSON of its two views: with owner and flags, and without. */
export class ListedCar implements Ordered {
  readonly record: CarRecord;
  /** The world of its VIN, if a world could have the VIN. */
  readonly worldNumber: number | undefined;
  #world: string | null | undefined;
  #open: string | undefined;
  #closed: string | undefined;

  constructor(record: CarRecord, worldNumber: number | undefined, world?: string | null) {
    this.record = record;
    this.worldNumber = worldNumber;
    this.#world = worldNumber === undefined ? null : world;
  }

  get order(): string {
    return this.record.vin;
  }

  /** Id of its living world. Undefined: not known; null: it has none, and never will. */
  get world(): string | null | undefined {
    return this.#world;
  }

  set world(id: string | null | undefined) {
    this.#world = id;
    this.#open = undefined;
    this.#closed = undefined;
  }

  /** The JSON of a view, made by `encode` when it is first needed. */
  json(isOpen: boolean, encode: () => string): string {
    if (isOpen) {
      this.#open ??= encode();
      return this.#open;
    }
    this.#closed ??= encode();
    return this.#closed;
  }
}
