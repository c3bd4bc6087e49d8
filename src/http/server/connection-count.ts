import type { Config } from '../../config.ts';
import type { TokenBuckets } from '../../token-buckets.ts';
import { addressKey, addressText } from './address-key.ts';

/**
 * Share of all connections beyond which an address is refused what it opens too fast. Silent ones that
 * were opened together the library also ends together, at some 8 µs each.
 */
const BUSY_RATIO = 0.25;
/** Share of all connections beyond which they are no longer kept for further requests. */
const CROWDED_RATIO = 0.75;

/**
 * Admits connections to the servers of a node. Nobody says whose connection has ended. So all are
 * counted, but of an address only what it opens: the library ends silent connections after 10 s, and
 * where there are many, all others end with an answer.
 */
export class ConnectionCount {
  readonly #totalMax: number;
  readonly #opening: TokenBuckets | undefined;
  #total = 0;
  #refused = 0;

  /** @param opening by address key; undefined: no limit but the total */
  constructor(totalMax: number, opening: TokenBuckets | undefined) {
    this.#totalMax = totalMax;
    this.#opening = opening;
  }

  get total(): number {
    return this.#total;
  }

  get refused(): number {
    return this.#refused;
  }

  /** Whether connections must end with their next answer. */
  get isCrowded(): boolean {
    return this.#opening !== undefined && this.#total > this.#totalMax * CROWDED_RATIO;
  }

  /**
   * Counts a connection. Returns false if it must be closed; then `closed` follows as well.
   * @param remote undefined: the total is its only limit
   */
  opened(remote: string | undefined): boolean {
    this.#total += 1;
    const isTooFast = !this.#spend(remote) && this.#total > this.#totalMax * BUSY_RATIO;
    const isAdmitted = this.#total <= this.#totalMax && !isTooFast;
    if (!isAdmitted) this.#refused += 1;
    return isAdmitted;
  }

  closed(): void {
    this.#total -= 1;
  }

  /** Returns false if the address has opened too many. */
  #spend(remote: string | undefined): boolean {
    if (this.#opening === undefined || remote === undefined) return true;
    const key = addressKey(remote);
    if (this.#opening.level(key).left < 1) return false;
    this.#opening.spend(key);
    return true;
  }
}

/** The part of an app of the library that tells of connections. */
interface ConnectionSource {
  filter(tell: (connection: Connection, change: number) => void): unknown;
}

interface Connection {
  getRemoteAddress(): ArrayBuffer;
  close(): unknown;
}

/**
 * Counts the connections to a server. The library tells its filter of each one, and of its end unless
 * it has become a stream.
 */
export function countConnections(
  app: ConnectionSource,
  connections: ConnectionCount,
  proxies: Config['proxies'],
): void {
  const count = (connection: Connection, change: number) => {
    if (change < 0) {
      connections.closed();
      return;
    }
    const remote = addressText(new Uint8Array(connection.getRemoteAddress()));
    if (!connections.opened(proxies?.isTrusted(remote) ? undefined : remote)) connection.close();
  };
  app.filter(count);
}
