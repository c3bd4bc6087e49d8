import { conflict } from './errors.ts';

/** Bounds how much is in each of several rooms, such as cars in fleets. */
export class Rooms {
  readonly #max: number;
  readonly #refusal: string;
  /** Places that changes under way will take. */
  readonly #reserved = new Map<string, number>();

  /** @param refusal detail of the 409 */
  constructor(max: number, refusal: string) {
    this.#max = max;
    this.#refusal = refusal;
  }

  /** A place for one change, which takes it in its transaction and gives it back when it ends. */
  place(): Place {
    return new Place(this);
  }

  /** Use `Place.take`. */
  reserve(room: string, taken: number): void {
    const reserved = this.#reserved.get(room) ?? 0;
    if (taken + reserved >= this.#max) throw conflict(this.#refusal);
    this.#reserved.set(room, reserved + 1);
  }

  release(room: string): void {
    const left = (this.#reserved.get(room) ?? 0) - 1;
    if (left > 0) this.#reserved.set(room, left);
    else this.#reserved.delete(room);
  }
}

/** A place that is reserved from the check until the records count it. */
export class Place {
  readonly #rooms: Rooms;
  #room: string | undefined;

  /** Use `Rooms.place`. */
  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  /**
   * Reserves a place; a transaction that is repeated reserves it again. Throws DealerError 409 if the
   * room is full.
   * @param taken places of the room that the records count
   */
  take(room: string, taken: number): void {
    this.giveBack();
    this.#rooms.reserve(room, taken);
    this.#room = room;
  }

  giveBack(): void {
    if (this.#room !== undefined) this.#rooms.release(this.#room);
    this.#room = undefined;
  }
}
