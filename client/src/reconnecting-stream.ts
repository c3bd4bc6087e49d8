import type { StopTimer } from '../../src/time.ts';
import type { Platform } from './platform.ts';
import { type OpenSocket, type Socket, VANISHED } from './socket.ts';

/** The node restarts, or hands the world over: reconnect at once. */
const RESTARTS = 1012;
/** The node is overloaded, or this reader too slow: reconnect later. */
const OVERLOADED = 1013;
/** Clients that reconnect at once spread over this time, ms. */
const AT_ONCE_MS = 250;
const OVERLOADED_MS = 1000;
const BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 15_000;
/**
 * Where nothing has come within this time, another connection is tried: a node to which very many connect at
 * once loses some attempts, which the operating system repeats after 1, 3, 7, 15 and 31 s.
 */
const FIRST_MS = 10_000;
/** A connection that lasted so long was a good one: backoff begins anew. */
const LASTING_MS = 5000;

export interface StreamDependencies {
  readonly platform: Platform;
  readonly openSocket: OpenSocket;
  /** The address of the next connection. */
  url(): string;
  /** A stream in which nothing comes for so long is dead. */
  readonly silenceMs: number;
  received(content: string | Uint8Array): void;
  /** The connection has ended; the next one is on its way. `hasHeard`: something came by it. */
  lost(hasHeard: boolean): void;
  /** Asked after a connection that brought nothing. True: there is nothing to connect to any more. */
  isGone(): Promise<boolean>;
  /** Called once, if that is so. */
  gone(): void;
}

/** A stream that connects again, with backoff and jitter, until it is closed. */
export class ReconnectingStream {
  readonly #dependencies: StreamDependencies;
  #socket: Socket | undefined;
  /** Connections that did not last, one after the other. */
  #failures = 0;
  #openedMs = 0;
  /** Undefined: nothing has come yet. */
  #heardMs: number | undefined;
  #stopTimer: StopTimer | undefined;
  #isClosed = false;

  constructor(dependencies: StreamDependencies) {
    this.#dependencies = dependencies;
    this.#connect();
  }

  #connect(): void {
    const { platform, openSocket, url } = this.#dependencies;
    this.#openedMs = platform.now();
    this.#heardMs = undefined;
    let socket: Socket | undefined;
    // What comes of a connection that was given up does not count.
    const isCurrent = () => !this.#isClosed && (socket === undefined || socket === this.#socket);
    socket = openSocket(url(), {
      received: (content) => {
        if (!isCurrent()) return;
        this.#heardMs = platform.now();
        this.#dependencies.received(content);
      },
      closed: (code) => {
        if (isCurrent()) this.#lost(code);
      },
    });
    this.#socket = socket;
    this.#listen();
  }

  /** Ends a connection that is silent for too long. */
  #listen(): void {
    const { platform, silenceMs } = this.#dependencies;
    const heardMs = this.#heardMs ?? this.#openedMs;
    const isFirst = this.#heardMs === undefined;
    const patienceMs = isFirst ? Math.min(FIRST_MS, silenceMs) : silenceMs;
    this.#stopTimer = platform.after(heardMs + patienceMs - platform.now(), () => {
      const hasBegun = isFirst && this.#heardMs !== undefined;
      if (hasBegun || (this.#heardMs ?? this.#openedMs) > heardMs) return this.#listen();
      this.#socket?.close();
      this.#lost(VANISHED);
    });
  }

  #lost(code: number): void {
    const { platform } = this.#dependencies;
    this.#stopTimer?.();
    this.#socket = undefined;
    const hasHeard = this.#heardMs !== undefined;
    const isLasting = hasHeard && platform.now() - this.#openedMs >= LASTING_MS;
    const waitMs = this.#waitMs(code, isLasting);
    this.#failures = isLasting ? 0 : this.#failures + 1;
    this.#dependencies.lost(hasHeard);
    // Whoever was told may have closed it, or begun anew.
    if (this.#isClosed || this.#socket !== undefined) return;
    this.#stopTimer = platform.after(waitMs, () => void this.#again(hasHeard));
  }

  #waitMs(code: number, isLasting: boolean): number {
    const random = this.#dependencies.platform.random();
    if (code === RESTARTS && (isLasting || this.#failures === 0)) return random * AT_ONCE_MS;
    const mostMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** (isLasting ? 0 : this.#failures));
    return (code === OVERLOADED ? OVERLOADED_MS : 0) + random * mostMs;
  }

  async #again(hasHeard: boolean): Promise<void> {
    const attempt = this.#openedMs;
    // A browser does not tell how a connection was refused.
    const isGone = !hasHeard && (await this.#dependencies.isGone().catch(() => false));
    if (this.#isClosed || this.#socket !== undefined || attempt !== this.#openedMs) return;
    if (!isGone) return this.#connect();
    this.close();
    this.#dependencies.gone();
  }

  /** What came cannot be used: ends the connection, and opens another one later. */
  fail(): void {
    if (this.#socket === undefined) return;
    this.#socket.close();
    this.#lost(OVERLOADED);
  }

  /** Ends the connection and opens another one at once. */
  restart(): void {
    if (this.#isClosed) return;
    this.#drop();
    this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #drop(): void {
    this.#stopTimer?.();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}
