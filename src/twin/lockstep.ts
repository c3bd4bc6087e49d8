import type { NumberedChange } from './journal.ts';
import type { FleetEntry } from './wire.ts';

/**
 * The lockstep stream: a client that has the kernel lives the world itself, and is told only what
 * changes. All messages are MessagePack. Ticks of a clock have fractions: 1 is 20 ms.
 */

/** Where the state of a world begins under its kernel: its declared masks at a tick. */
export interface WorldStart {
  tick: number;
  /** Number of the last change before it. */
  seq: number;
  /** Of each car. */
  masks: readonly number[];
}

/** Addresses of what a world is lived with. Their contents never change. */
export interface LockstepAssets {
  /** The compiled kernel. */
  kernel: string;
  /** What writes the states that it packs as JSON and MessagePack, compiled. */
  frames: string;
  /** Its table of the city, coded: see `decodeTable`. */
  table: string;
  /** The types of cars, as JSON. */
  car_types: string;
}

/** What a client lives the worlds of a city with. */
export interface LockstepKernel {
  /** Identifies the code, the table of the city and the types of cars: it decides how a world goes on. */
  kernel: string;
  assets: LockstepAssets;
}

/** The first message. */
export interface LockstepHello extends LockstepKernel {
  type: 'hello';
  world: string;
  rate_hz: number;
  fleet: readonly FleetEntry[];
  /** The tick of the server's clock, with its fraction. */
  tick: number;
  seed: number;
  city: string;
  start: WorldStart;
  /** True: the journal that the client has is the beginning of this one; `changes` are those after it. */
  resumed: boolean;
  /** A later state than `start`, where there is one; its bytes are deflated (RFC 1951). */
  image: { tick: number; seq: number; bytes: Uint8Array } | null;
  /**
   * Those after the image, else after the start; where resumed, after the client's last one. Each is five
   * 32-bit integers, little-endian: number in the journal, tick, index of the car, mask of the touched
   * features, their values.
   */
  changes: Uint8Array;
  /** Of the last change. */
  seq: number;
  /** Hash of the journal up to `seq`: see `JournalHash`. */
  journal: string;
  watchers: number;
}

/** A durable change. */
export interface LockstepChange {
  type: 'change';
  seq: number;
  tick: number;
  car: number;
  touched: number;
  values: number;
  /** Hash of the journal up to this change. */
  journal: string;
}

/** What the server's clock and journal show now. */
export interface LockstepPulse {
  type: 'pulse';
  tick: number;
  seq: number;
  journal: string;
  watchers: number;
}

/** The server has stored an incident, or its explanation. */
export interface LockstepIncident {
  type: 'incident';
  incident: string;
  is_explained: boolean;
}

export type LockstepMessage = LockstepHello | LockstepChange | LockstepPulse | LockstepIncident;

/** What a message tells of a world: a pulse all, a change how far the journal goes. */
export type LockstepBeat = Partial<Omit<LockstepPulse, 'type'>>;

/** A message for all that live a world, encoded. */
export interface LockstepNews {
  beat: LockstepBeat;
  bytes: Uint8Array;
  /** Of a change: its number in the journal. */
  seq: number | undefined;
}

/** An encoded hello, and what it tells of the world. */
export interface EncodedHello {
  beat: Omit<LockstepPulse, 'type'>;
  bytes: Uint8Array;
}

/** What a client has of the journal: the number of its last change, and the hash up to that. */
export interface KnownJournal {
  seq: number;
  journal: string;
}

/**
 * A rolling hash of 64 bits: of the seed and the start of a world, and of each change after it, in order.
 * It finds faults, such as a lost or a repeated change; it is no protection against forgery. The two words
 * are mixed as in the finalizer of MurmurHash3.
 */
export class JournalHash {
  #high: number;
  #low: number;

  private constructor(high: number, low: number) {
    this.#high = high;
    this.#low = low;
  }

  /** Before any change. */
  static ofStart(seed: number, { tick, seq, masks }: WorldStart): JournalHash {
    const hash = new JournalHash(0x9e3779b9, 0x7f4a7c15);
    for (const word of [seed, tick, seq, ...masks]) hash.#mix(word);
    return hash;
  }

  /** Undefined if a text is no hash. */
  static parse(text: string): JournalHash | undefined {
    if (!/^[0-9a-f]{16}$/.test(text)) return undefined;
    return new JournalHash(
      Number.parseInt(text.slice(0, 8), 16),
      Number.parseInt(text.slice(8), 16),
    );
  }

  copy(): JournalHash {
    return new JournalHash(this.#high, this.#low);
  }

  /** The next change. */
  add({ seq, tick, car, touched, values }: NumberedChange): void {
    this.#mix(seq);
    this.#mix(tick);
    this.#mix(car);
    this.#mix(touched);
    this.#mix(values);
  }

  #mix(word: number): void {
    const high = Math.imul(this.#high ^ word, 0x85ebca6b);
    this.#high = (high ^ (high >>> 13)) + this.#low;
    const low = Math.imul(this.#low ^ word ^ this.#high, 0xc2b2ae35);
    this.#low = low ^ (low >>> 16);
  }

  /** 16 hexadecimal digits. */
  toString(): string {
    return digits(this.#high) + digits(this.#low);
  }
}

function digits(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
