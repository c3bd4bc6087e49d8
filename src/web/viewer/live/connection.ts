import type { Hello, Snapshot } from '../api/types.ts';
import { pauseMs } from './backoff.ts';

/** What is true of the connection now. `behind` is told by the clock of the frames, see Playback. */
export type Link = 'connecting' | 'streaming' | 'reconnecting' | 'polling' | 'gone';

/** A WebSocket as far as it is needed here. */
export interface Socket {
  onmessage: ((message: Hello | Snapshot) => void) | null;
  onclose: ((code: number) => void) | null;
  close(): void;
}

/** What REST says of the world. */
export type WorldAnswer = 'there' | 'gone' | 'unavailable';

export interface Outside {
  openSocket(): Socket;
  /** Never rejects. */
  askWorld(): Promise<WorldAnswer>;
  /** One snapshot by REST, or why there is none. Never rejects. */
  readState(): Promise<Snapshot | Exclude<WorldAnswer, 'there'>>;
  /** Calls once, later; the answer takes it back. */
  after(ms: number, call: () => void): () => void;
  /** 0 to 1. */
  chance(): number;
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
  readonly #outside: Outside;
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

  constructor(outside: Outside, listener: Listener) {
    this.#outside = outside;
    this.#listener = listener;
    listener.link(this.#link);
    this.#open();
  }

  get link(): Link {
    return this.#link;
  }

  /** Tries again without waiting any longer: the network is back, or somebody looks again. */
  hurry(): void {
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

  #say(link: Link): void {
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
    const socket = this.#outside.openSocket();
    this.#socket = socket;
    this.#watch();
    socket.onmessage = (message) => {
      this.#watch();
      if (message.type === 'hello') this.#listener.hello(message);
      else this.#took(message);
    };
    socket.onclose = (code) => this.#lost(code);
  }

  /** Ends the socket when it stays silent. Its close may take long where the network is dead. */
  #watch(): void {
    this.#cancelWatchdog();
    this.#cancelWatchdog = this.#outside.after(SILENCE_MS, () => {
      this.#cancelWatchdog = this.#outside.after(GRACE_MS, () => {
        this.#drop();
        this.#lost(1006);
      });
    });
  }

  #took(snapshot: Snapshot): void {
    this.#failures = 0;
    this.#blocked = 0;
    this.#cancelPoll();
    this.#say('streaming');
    this.#listener.snapshot(snapshot);
  }

  async #lost(code: number): Promise<void> {
    this.#cancelWatchdog();
    this.#socket = undefined;
    this.#failures++;
    if (this.#link !== 'polling') this.#say('reconnecting');
    const pause = pauseMs(this.#failures, code, this.#outside.chance());
    if (pause === 0) return this.#open();
    const answer = await this.#outside.askWorld();
    if (this.#stopped || this.#socket !== undefined) return;
    if (answer === 'gone') return this.#end();
    this.#blocked = answer === 'there' ? this.#blocked + 1 : 0;
    const isBlocked = this.#blocked >= BLOCKED_AFTER;
    if (isBlocked && this.#link !== 'polling') this.#poll();
    this.#cancelRetry = this.#outside.after(isBlocked ? RETRY_STREAM_MS : pause, () =>
      this.#open(),
    );
  }

  async #poll(): Promise<void> {
    let isCancelled = false;
    this.#cancelPoll = () => {
      isCancelled = true;
    };
    const answer = await this.#outside.readState();
    if (isCancelled || this.#stopped) return;
    if (answer === 'gone') return this.#end();
    this.#say(answer === 'unavailable' ? 'reconnecting' : 'polling');
    if (answer !== 'unavailable') this.#listener.snapshot(answer);
    this.#cancelPoll = this.#outside.after(POLL_MS, () => this.#poll());
  }

  #end(): void {
    this.stop();
    this.#say('gone');
  }
}
