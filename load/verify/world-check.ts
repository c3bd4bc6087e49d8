import type { LocalWorld } from '../../client/src/local-world.ts';
import type { Encoding } from '../../src/codec/encoding.ts';
import { systemTime } from '../../src/time.ts';
import type { NumberedChange } from '../../src/twin/journal.ts';
import type { Difference } from './difference.ts';

/** A change of the journal should be told within this time. */
export const TOLD_MS = 5000;

interface Received {
  encoding: Encoding;
  tick: number;
  bytes: Uint8Array;
}

interface Dependencies {
  local: LocalWorld;
  /** Number of changes in the journal of the node, now. */
  journalLength: () => Promise<number>;
  onDifference: (difference: Difference) => void;
}

/** Compares the frames of a world with those of a world that is lived here by its seed and its changes. */
export class WorldCheck {
  /** Frames that were equal, by encoding. */
  readonly same: Record<Encoding, number> = { json: 0, msgpack: 0 };
  readonly #local: LocalWorld;
  readonly #journalLength: () => Promise<number>;
  readonly #onDifference: (difference: Difference) => void;
  #suspects: Received[] = [];
  /** Those of the suspects for which the journal is read. */
  #judging = 0;
  #isSettling = false;
  #told = Promise.withResolvers<void>();

  constructor({ local, journalLength, onDifference }: Dependencies) {
    this.#local = local;
    this.#journalLength = journalLength;
    this.#onDifference = onDifference;
  }

  /** Frames that differ of which it is not known yet whether they count. */
  get waiting(): number {
    return this.#suspects.length + this.#judging;
  }

  /** Changes that the node tells of. */
  change(...changes: readonly NumberedChange[]): void {
    this.#local.change(...changes);
    this.#told.resolve();
    this.#told = Promise.withResolvers();
  }

  /**
   * `bytes` may be valid during the call only. A frame that differs may have come before a change that it
   * shows: it counts when all is known that the journal has.
   */
  frame(encoding: Encoding, tick: number, bytes: Uint8Array): void {
    if (this.#isSame({ encoding, tick, bytes })) return;
    this.#suspects.push({ encoding, tick, bytes: Uint8Array.from(bytes) });
    if (!this.#isSettling) void this.#settle();
  }

  #isSame({ encoding, tick, bytes }: Received): boolean {
    const isSame = Buffer.compare(this.#frameAt(encoding, tick), bytes) === 0;
    if (isSame) this.same[encoding]++;
    return isSame;
  }

  #frameAt(encoding: Encoding, tick: number): Uint8Array {
    const local = this.#local;
    if (tick > local.tick) local.step(tick - local.tick);
    return tick === local.tick ? local.frame(encoding) : local.at(tick).frame(encoding);
  }

  async #settle(): Promise<void> {
    this.#isSettling = true;
    while (this.#suspects.length > 0) {
      const suspects = this.#suspects;
      this.#suspects = [];
      this.#judging = suspects.length;
      const journal = await this.#journalLength();
      await this.#untilTold(journal);
      for (const each of suspects) if (!this.#isSame(each)) this.#report(each, journal);
      this.#judging = 0;
    }
    this.#isSettling = false;
  }

  async #untilTold(seq: number): Promise<void> {
    const endMs = systemTime.now() + TOLD_MS;
    while (this.#local.seq < seq && systemTime.now() < endMs) {
      await Promise.race([this.#told.promise, systemTime.sleep(TOLD_MS / 10)]);
    }
  }

  #report({ encoding, tick, bytes }: Received, journal: number): void {
    const { id, seq } = this.#local;
    this.#onDifference({
      ...{ world: id, tick, encoding, received: bytes },
      lived: this.#frameAt(encoding, tick),
      seq: { told: seq, journal },
    });
  }
}
