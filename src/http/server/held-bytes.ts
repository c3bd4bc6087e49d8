import { TwinError } from '../../errors.ts';
import type { Exchange } from './exchange.ts';
import { PRICES_US } from './prices.ts';
import type { RateLimits } from './rate-limits.ts';

const BYTES_MAX = 64 * 1024 * 1024;
const BYTES_PER_ADDRESS_MAX = 8 * 1024 * 1024;
/** Bodies are counted in units of so many bytes. */
const COUNTED_BYTES = 1024;

/** A body may have so many parts, and one more for so many bytes: a slow way delivers packet by packet. */
const PARTS_FREE = 512;
const PART_BYTES = 512;
/** Parts are paid so many at a time: the first ones of a body are free. */
const PARTS_PAID_AT_ONCE = 64;

/** Bodies that are still arriving: their parts, and their bytes in total and by address. */
export class HeldBytes {
  #total = 0;
  readonly #byAddress = new Map<string, number>();
  readonly #work: RateLimits['work'];

  constructor(work: RateLimits['work']) {
    this.#work = work;
  }

  /**
   * Counts a part, which costs a callback, however short it is. Returns false if the body has too many, or
   * more than its address can pay for.
   */
  takesPart(exchange: Exchange): boolean {
    const count = ++exchange.chunkCount;
    if (count % PARTS_PAID_AT_ONCE !== 0) return true;
    if (count > PARTS_FREE + exchange.chunkBytes / PART_BYTES) return false;
    const work = this.#work;
    const price = PRICES_US.bodyPart * PARTS_PAID_AT_ONCE;
    if (work?.affords(exchange.addressKey(), price) === false) return false;
    work?.spend(exchange.addressKey(), price);
    return true;
  }

  /**
   * Counts a body that has so many bytes now.
   * Throws TwinError `overloaded` if the total, or that of the address, exceeds its limit, and
   * `rate_limited` if the address could not pay for the body: then the rest need not be kept.
   */
  hold(exchange: Exchange, bodyBytes: number): void {
    // A body may come byte by byte.
    if (bodyBytes <= exchange.heldBytes) return;
    const held = Math.ceil(bodyBytes / COUNTED_BYTES) * COUNTED_BYTES;
    const bytes = held - exchange.heldBytes;
    exchange.heldBy ??= exchange.addressKey();
    this.#work?.checkUpToBurst(exchange.heldBy, PRICES_US.parsedByte * bodyBytes);
    const ofAddress = (this.#byAddress.get(exchange.heldBy) ?? 0) + bytes;
    if (ofAddress > BYTES_PER_ADDRESS_MAX || this.#total + bytes > BYTES_MAX) {
      exchange.isLast = true;
      throw new TwinError(
        'overloaded',
        'Too many request bodies are incomplete; send fewer at the same time.',
      );
    }
    this.#byAddress.set(exchange.heldBy, ofAddress);
    this.#total += bytes;
    exchange.heldBytes = held;
  }

  release(exchange: Exchange): void {
    if (exchange.heldBy === undefined) return;
    const left = (this.#byAddress.get(exchange.heldBy) ?? 0) - exchange.heldBytes;
    if (left > 0) this.#byAddress.set(exchange.heldBy, left);
    else this.#byAddress.delete(exchange.heldBy);
    this.#total -= exchange.heldBytes;
    exchange.heldBy = undefined;
    exchange.heldBytes = 0;
  }
}
