import { DiallerHandshake } from '../../../link/handshake.ts';
import { dialWebSocket } from '../../../link/link-client.ts';
import type { LinkSocket } from '../../../link/net.ts';
import { systemRandom } from '../../../random.ts';
import { until } from '../../rigs/until.ts';
import { TEST_KEY } from './link-stage.ts';

interface Names {
  from: string;
  to: string;
  key?: Uint8Array;
}

/** A connection to a node, whose owner sends what it likes. */
export class RawDialler {
  readonly received: Uint8Array[] = [];
  isClosed = false;
  readonly #socket: LinkSocket;
  #heard: () => void = () => {};

  private constructor(url: string, opened: () => void) {
    this.#socket = dialWebSocket(url, undefined, {
      opened,
      message: (bytes) => {
        this.received.push(bytes.slice());
        this.#heard();
      },
      drained: () => {},
      closed: () => {
        this.isClosed = true;
        opened();
        this.#heard();
      },
    });
  }

  static async open(url: string): Promise<RawDialler> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const dialler = new RawDialler(url, resolve);
    await promise;
    return dialler;
  }

  /** With a handshake that succeeds. Returns the messages that were sent for it as well. */
  static async proven(url: string, { from, to, key = TEST_KEY }: Names) {
    const dialler = await RawDialler.open(url);
    const handshake = new DiallerHandshake(key, from, to, systemRandom);
    const sent = [handshake.hello()];
    for (let message = sent[0]; message !== undefined; message = sent.at(-1)) {
      dialler.send(message);
      const answer = await dialler.next();
      if (answer === undefined) throw new Error('the handshake was refused');
      const next = handshake.receive(answer);
      if (next === undefined) break;
      sent.push(next);
    }
    return { dialler, sent };
  }

  send(message: Uint8Array): void {
    this.#socket.send(message);
  }

  /** The next message that has not been taken; undefined once the connection is closed. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.received.length === 0 && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
    return this.received.shift();
  }

  closed(): Promise<boolean> {
    return until('the end of the connection', () => this.isClosed);
  }

  end(): void {
    this.#socket.end();
  }
}
