import type { Hello, Snapshot } from '../api/types.ts';

/** The state of the connection. Playback knows whether its frames are too old. */
export type Link = 'connecting' | 'streaming' | 'reconnecting' | 'polling' | 'gone';

/** The part of a WebSocket that is used here. */
export interface Socket {
  onmessage: ((message: Hello | Snapshot) => void) | null;
  onclose: ((code: number) => void) | null;
  close(): void;
}

/** What the REST interface answers about the world. */
export type WorldAnswer = 'there' | 'gone' | 'unavailable';

export interface Transport {
  openSocket(): Socket;
  /** Never rejects. */
  checkWorld(): Promise<WorldAnswer>;
  /** A snapshot by REST, or why there is none. Never rejects. */
  readState(): Promise<Snapshot | Exclude<WorldAnswer, 'there'>>;
  /** Calls once after `ms`; the result cancels that. */
  after(ms: number, call: () => void): () => void;
  /** 0 to 1. */
  random(): number;
}

export interface Listener {
  hello(hello: Hello): void;
  snapshot(snapshot: Snapshot): void;
  link(link: Link): void;
}

/** An open stream that is silent for longer does not come from a node. */
const SILENCE_MS = 5000;
/** After a pause, a page's timers fire before it reads the messages that have arrived. */
const GRACE_MS = 500;
/** After this many streams in a row without a message, while REST answers, WebSockets are blocked. */
const BLOCKED_AFTER = 3;
const POLL_MS = 400;
/** How often the stream is tried again during polling. */
const RETRY_STREAM_MS = 20_000;
const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 15_000;
/** The node restarts or hands the world over: another node may already serve it. */
const CLOSED_RESTART = 1012;
/** The node is overloaded, or this page did not read for too long. */
const CLOSED_OVERLOADED = 1013;
const PAUSE_OVERLOADED_MS = 2000;

/**
 * Watches a world until it is gone: by its stream, or by polling where streams are blocked. A
 * browser reports every refused upgrade as 1006, so REST tells whether the world still exists.
 */
export class Connection {
  readonly #transport: Transport;
  readonly #listener: Listener;
  #socket: Socket | undefined;
  #link: Link = 'connecting';
  /** Streams lost or refused since the last snapshot. */
  #failures = 0;
  /** How many of the last of these in a row were followed by an answer of REST. */
  #blocked = 0;
  #stopped = false;
  #cancelWatchdog = () => {};
  #cancelRetry = () => {};
  #cancelPoll = () => {};

  constructor(transport: Transport, listener: Listener) {
    this.#transport = transport;
    this.#listener = listener;
    listener.link(this.#link);
    this.#open();
  }

  /** Reconnects at once: the network is back, or the page is visible again. */
  retryNow(): void {
    this.#open();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelWatchdog();
    this.#cancelRetry();
    this.#cancelPoll();
    this.#drop();
  }

  #setLink(link: Link): void {
    if (link === this.#link) return;
    this.#link = link;
    this.#listener.link(link);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  #open(): void {
    // Several can want it at once: a timer, and whoever asked for it.
    if (this.#stopped || this.#socket !== undefined) return;
    this.#cancelRetry();
    const socket = this.#transport.openSocket();
    this.#socket = socket;
    this.#watch();
    socket.onmessage = (message) => {
      this.#watch();
      this.#blocked = 0;
      if (message.type === 'hello') this.#listener.hello(message);
      else this.#receive(message);
    };
    socket.onclose = (code) => this.#handleClose(code);
  }

  /** Ends a silent socket without waiting for its close, which a dead network delays. */
  #watch(): void {
    this.#cancelWatchdog();
    this.#cancelWatchdog = this.#transport.after(SILENCE_MS, () => {
      this.#cancelWatchdog = this.#transport.after(GRACE_MS, () => {
        this.#drop();
        this.#handleClose(1006);
      });
    });
  }

  #receive(snapshot: Snapshot): void {
    this.#failures = 0;
    this.#cancelPoll();
    this.#setLink('streaming');
    this.#listener.snapshot(snapshot);
  }

  async #handleClose(code: number): Promise<void> {
    this.#cancelWatchdog();
    this.#socket = undefined;
    this.#failures++;
    const pause = pauseMs(this.#failures, code, this.#transport.random());
    // Nobody needs to notice that a world moves, unless the next stream brings nothing either.
    if (pause === 0) return this.#open();
    if (this.#link !== 'polling') this.#setLink('reconnecting');
    const answer = await this.#transport.checkWorld();
    if (this.#stopped || this.#socket !== undefined) return;
    if (answer === 'gone') return this.#end();
    this.#blocked = answer === 'there' ? this.#blocked + 1 : 0;
    const isBlocked = this.#blocked >= BLOCKED_AFTER;
    if (isBlocked && this.#link !== 'polling') this.#poll();
    // Another stream may have been lost while this answer was on its way.
    this.#cancelRetry();
    this.#cancelRetry = this.#transport.after(isBlocked ? RETRY_STREAM_MS : pause, () =>
      this.#open(),
    );
  }

  async #poll(): Promise<void> {
    // A poll that failed goes on too, while the connection counts as lost.
    this.#cancelPoll();
    let isCancelled = false;
    this.#cancelPoll = () => {
      isCancelled = true;
    };
    const answer = await this.#transport.readState();
    if (isCancelled || this.#stopped) return;
    if (answer === 'gone') return this.#end();
    this.#setLink(answer === 'unavailable' ? 'reconnecting' : 'polling');
    if (answer !== 'unavailable') this.#listener.snapshot(answer);
    this.#cancelPoll = this.#transport.after(POLL_MS, () => this.#poll());
  }

  #end(): void {
    this.stop();
    this.#setLink('gone');
  }
}

/**
 * Milliseconds to wait before the next try.
 * @param failures connections lost since the last frame, this one included
 * @param code close code; 1006 where there was none
 * @param chance random, 0 to 1: the pages of a lost node must not reconnect all at once
 */
function pauseMs(failures: number, code: number, chance: number): number {
  if (code === CLOSED_RESTART && failures <= 1) return 0;
  const least = code === CLOSED_OVERLOADED ? PAUSE_OVERLOADED_MS : PAUSE_MIN_MS;
  const ceiling = Math.min(PAUSE_MAX_MS, least * 2 ** Math.max(0, failures - 1));
  return ceiling * (0.5 + chance / 2);
}
