import type { Hello, Snapshot } from '../api/types.ts';
import { pauseMs } from './backoff.ts';

/** What is true of the connection now. `behind` is latest by the clock of the frames, see Playback. */
export type Link = 'connecting' | 'streaming' | 'reconnecting' | 'polling' | 'gone';

/** A WebSocket as far as it is needed here. */
export interface Socket {
  onmessage: ((message: Hello | Snapshot) => void) | null;
  onclose: ((code: number) => void) | null;
  close(): void;
}

/** What REST says of the world. */
export type WorldAnswer = 'there' | 'gone' | 'unavailable';

export interface Transport {
  openSocket(): Socket;
  /** Never rejects. */
  checkWorld(): Promise<WorldAnswer>;
  /** One snapshot by REST, or why there is none. Never rejects. */
  readState(): Promise<Snapshot | Exclude<WorldAnswer, 'there'>>;
  /** Calls once, later; the answer takes it back. */
  after(ms: number, call: () => void): () => void;
  /** 0 to 1. */
  random(): number;
}

export interface Listener {
  hello(hello: Hello): void;
  snapshot(snapshot: Snapshot): void;
  link(link: Link): void;
}

/** An open stream is never silent for so long: what is at the other end is no node. */
const SILENCE_MS = 5000;
/** A page that was busy or asleep finds its timers ended before it reads what has come. */
const GRACE_MS = 500;
/** So many streams in a row that brought nothing while REST answered: something blocks them. */
const BLOCKED_AFTER = 3;
const POLL_MS = 400;
/** How often the stream is tried again while it is polled. */
const RETRY_STREAM_MS = 20_000;

/**
 * Watches a world: by its stream where that can be had, else by polling, until the world is gone.
 * A browser shows every refusal of an upgrade as 1006, so the world itself is asked by REST.
 */
export class Connection {
  readonly #transport: Transport;
  readonly #listener: Listener;
  #socket: Socket | undefined;
  #link: Link = 'connecting';
  /** Streams lost or refused since a snapshot came last. */
  #failures = 0;
  /** Of these, the last ones in a row after which REST answered. */
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

  get link(): Link {
    return this.#link;
  }

  /** Tries again without waiting any longer: the network is back, or somebody looks again. */
  retryNow(): void {
    if (this.#stopped || this.#socket !== undefined) return;
    this.#cancelRetry();
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
    const socket = this.#transport.openSocket();
    this.#socket = socket;
    this.#watch();
    socket.onmessage = (message) => {
      this.#watch();
      if (message.type === 'hello') this.#listener.hello(message);
      else this.#receive(message);
    };
    socket.onclose = (code) => this.#handleClose(code);
  }

  /** Ends the socket when it stays silent. Its close may take long where the network is dead. */
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
    this.#blocked = 0;
    this.#cancelPoll();
    this.#setLink('streaming');
    this.#listener.snapshot(snapshot);
  }

  async #handleClose(code: number): Promise<void> {
    this.#cancelWatchdog();
    this.#socket = undefined;
    this.#failures++;
    if (this.#link !== 'polling') this.#setLink('reconnecting');
    const pause = pauseMs(this.#failures, code, this.#transport.random());
    if (pause === 0) return this.#open();
    const answer = await this.#transport.checkWorld();
    if (this.#stopped || this.#socket !== undefined) return;
    if (answer === 'gone') return this.#end();
    this.#blocked = answer === 'there' ? this.#blocked + 1 : 0;
    const isBlocked = this.#blocked >= BLOCKED_AFTER;
    if (isBlocked && this.#link !== 'polling') this.#poll();
    this.#cancelRetry = this.#transport.after(isBlocked ? RETRY_STREAM_MS : pause, () =>
      this.#open(),
    );
  }

  async #poll(): Promise<void> {
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
