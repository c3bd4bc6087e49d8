/** Where a page finds the stream of its world. */
interface Addresses {
  /** At the address of the page. Any node has the stream of any world. */
  here: string;
  /** At the node of the world, which may change. Rejects if nobody says. */
  ofNode: () => Promise<string>;
}

/**
 * The address of the next stream: that of the world's node, which saves another node's work. After a
 * stream there that brought nothing, as behind a firewall, it is that of the page once.
 */
export class StreamAddress {
  readonly #addresses: Addresses;
  #isAvoided = false;

  constructor(addresses: Addresses) {
    this.#addresses = addresses;
  }

  async next(): Promise<string> {
    const { here, ofNode } = this.#addresses;
    if (!this.#isAvoided) return ofNode();
    this.#isAvoided = false;
    return here;
  }

  /** A stream from this address has ended without a message. */
  failed(address: string): void {
    this.#isAvoided = address !== this.#addresses.here;
  }
}
