import { unpack } from 'msgpackr';
import { WatchSocket } from '../../bench/common/watch-socket.ts';
import type { KnownJournal, LockstepChange, LockstepMessage } from '../../src/twin/lockstep.ts';

export interface StreamEvents {
  hello(stream: LockstepStream, bytes: number): void;
  change(stream: LockstepStream, change: LockstepChange): void;
  /** Of any kind but a hello. */
  message(bytes: number): void;
  closed(stream: LockstepStream, code: number, wasOpen: boolean): void;
}

/** A client that could live its world: it reads what the node tells, and asks only for what it lacks. */
export class LockstepStream {
  readonly world: string;
  readonly #url: URL;
  readonly #events: StreamEvents;
  /** It has had its hello. */
  #isOpen = false;
  #known: KnownJournal | undefined;
  #socket: WatchSocket | undefined;

  constructor(url: URL, world: string, events: StreamEvents) {
    this.#url = url;
    this.world = world;
    this.#events = events;
  }

  /** Rejects where the upgrade is refused or nothing listens. */
  async open(): Promise<void> {
    const known = this.#known;
    const since = known === undefined ? '' : `&since=${known.seq}&journal=${known.journal}`;
    const path = `/ws/worlds/${this.world}?encoding=lockstep${since}`;
    this.#socket = await WatchSocket.open(this.#url, path, {
      message: (_, payload) => this.#take(unpack(payload), payload.length),
      closed: (code) => {
        const wasOpen = this.#isOpen;
        this.#isOpen = false;
        this.#events.closed(this, code, wasOpen);
      },
    });
  }

  #take(message: LockstepMessage, bytes: number): void {
    if (message.type !== 'incident') this.#known = { seq: message.seq, journal: message.journal };
    if (message.type === 'hello') {
      this.#isOpen = true;
      this.#events.hello(this, bytes);
      return;
    }
    this.#events.message(bytes);
    if (message.type === 'change') this.#events.change(this, message);
  }

  /** All that came since it was opened last. */
  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  close(): void {
    this.#socket?.close();
  }
}
