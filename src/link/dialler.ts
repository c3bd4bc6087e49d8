import type { Histogram } from '../histogram.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import type { StopTimer, Time } from '../time.ts';
import { CallsOut } from './calls-out.ts';
import { Connection } from './connection.ts';
import {
  CALL_BYTES_MAX,
  type LinkAnswer,
  LinkBroken,
  type LinkHandlers,
  type PeerAddress,
  SILENCE_MS,
} from './contract.ts';
import { DiallerHandshake } from './handshake.ts';
import { MalformedMessage } from './msgpack-scan.ts';
import type { DialEvents, LinkNet, LinkSocket } from './net.ts';
import { asFromServer, type FromServer, MESSAGE, NOTE, pack, VALUE_BYTES_MAX } from './wire.ts';

/** Connecting and handshake together. */
const DIAL_MS = 1000;
/** Pause before another attempt: the upper end doubles each time, the lower end is half of it. */
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 500;
/** A link on which nothing comes for long is down. */
const ROUND_TRIP_MS_MAX = 10 * SILENCE_MS;

export interface DiallerParts {
  key: Uint8Array;
  /** The own name. */
  process: string;
  net: LinkNet;
  handlers: LinkHandlers;
  /** Of pings, each with its answer. */
  roundTrips: Histogram;
  time: Pick<Time, 'now' | 'immediate' | 'after'>;
  random: Random;
  log: Log;
}

/** What a connection has once the other end has proved itself. */
interface Proven {
  connection: Connection<FromServer>;
  calls: CallsOut;
}

/** An attempt to connect, and what comes of it. */
interface Attempt {
  handshake: DiallerHandshake;
  stopTimer: StopTimer;
}

/** The connection to one other node, which is made again whenever it ends. */
export class Dialler {
  readonly peer: PeerAddress;
  readonly #by: DiallerParts;
  #attempt: Attempt | undefined;
  #socket: LinkSocket | undefined;
  #proven: Proven | undefined;
  #failureCount = 0;
  #isClosed = false;
  #stopPause: StopTimer = () => {};

  constructor(peer: PeerAddress, by: DiallerParts) {
    this.peer = peer;
    this.#by = by;
  }

  get isUp(): boolean {
    return this.#proven !== undefined;
  }

  /** Connects, and connects again after a failure, until `close`. */
  dial(): void {
    const { key, process, net, time, random } = this.#by;
    const handshake = new DiallerHandshake(key, process, this.peer.process, random);
    const attempt: Attempt = {
      handshake,
      stopTimer: time.after(DIAL_MS, () => this.#giveUp(attempt, 'no answer')),
    };
    this.#attempt = attempt;
    try {
      this.#socket = net.dial(this.peer.url, this.#eventsOf(attempt));
    } catch (error) {
      // An address that is none.
      this.#gone(attempt, String(error));
    }
  }

  #eventsOf(attempt: Attempt): DialEvents {
    const isCurrent = () => this.#attempt === attempt;
    return {
      opened: () => {
        if (isCurrent()) this.#socket?.send(attempt.handshake.hello());
      },
      message: (bytes) => {
        if (!isCurrent()) return;
        if (this.#proven !== undefined) this.#proven.connection.receive(bytes);
        else this.#goOn(attempt, bytes);
      },
      drained: () => {
        if (isCurrent()) this.#proven?.connection.outbox.drained();
      },
      closed: (reason) => this.#gone(attempt, reason),
    };
  }

  #goOn(attempt: Attempt, bytes: Uint8Array): void {
    try {
      const answer = attempt.handshake.receive(bytes);
      if (answer !== undefined) this.#socket?.send(answer);
      else this.#prove(attempt);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.#giveUp(attempt, error.message);
    }
  }

  #prove(attempt: Attempt): void {
    const { handlers, time, log } = this.#by;
    const { process } = this.peer;
    attempt.stopTimer();
    this.#failureCount = 0;
    if (this.#socket === undefined) return;
    const connection = new Connection<FromServer>({
      socket: this.#socket,
      time,
      checked: asFromServer,
      handle: (message) => {
        if (calls.take(message)) return;
        if (message[0] !== MESSAGE) return;
        const [, kind, value, bytes] = message;
        handlers.received(process, kind, value, bytes);
      },
      pinged: (value, stamp) => {
        if (stamp !== null) this.#observe(time.now() - stamp);
        handlers.pinged(process, value, stamp ?? undefined);
      },
      ended: (reason) => {
        calls.end(reason);
        this.#gone(attempt, reason);
      },
    });
    const calls = new CallsOut(process, connection.outbox, time);
    this.#proven = { connection, calls };
    log.info({ process }, 'the link to a node is up');
    connection.ping(handlers.pingValue(), time.now());
    handlers.up(process);
  }

  /** The other end may give back what it likes. */
  #observe(roundTripMs: number): void {
    if (roundTripMs >= 0 && roundTripMs <= ROUND_TRIP_MS_MAX) {
      this.#by.roundTrips.observe(roundTripMs / 1000);
    }
  }

  /** Bytes that wait to be sent. */
  get waitingBytes(): number {
    return this.#proven?.connection.outbox.waitingBytes ?? 0;
  }

  call(kind: string, value: unknown, deadlineMs: number): Promise<LinkAnswer> {
    if (this.#proven !== undefined) return this.#proven.calls.call(kind, value, deadlineMs);
    const text = `the link to ${this.peer.process} is down`;
    return Promise.reject(new LinkBroken(text, { isSent: false }));
  }

  /** Throws TypeError for a value that MessagePack cannot carry, RangeError for more than 2 MiB. */
  note(kind: string, value: unknown): void {
    const { outbox } = this.#proven?.connection ?? {};
    if (outbox === undefined) return;
    const message = pack([NOTE, kind, value]);
    const { length } = message;
    if (length > VALUE_BYTES_MAX) throw new RangeError(`a note of ${length} bytes is too long`);
    if (outbox.waitingBytes + length <= CALL_BYTES_MAX) outbox.sendInOrder(message);
  }

  ping(value: unknown): void {
    this.#proven?.connection.ping(value, this.#by.time.now());
  }

  /** @param passedMs since the last call */
  sweep(passedMs: number): void {
    this.#proven?.connection.sweep(passedMs);
    this.#proven?.calls.sweep(this.#by.time.now());
  }

  close(): void {
    this.#isClosed = true;
    this.#stopPause();
    const attempt = this.#attempt;
    if (attempt !== undefined) this.#giveUp(attempt, 'this node closes the link');
  }

  #giveUp(attempt: Attempt, reason: string): void {
    if (this.#attempt !== attempt) return;
    if (this.#proven !== undefined) this.#proven.connection.end(reason);
    else {
      this.#socket?.end();
      this.#gone(attempt, reason);
    }
  }

  /** Whoever has ended it. */
  #gone(attempt: Attempt, reason: string): void {
    if (this.#attempt !== attempt) return;
    const proven = this.#proven;
    const { handlers, log } = this.#by;
    const { process, url } = this.peer;
    attempt.stopTimer();
    this.#attempt = undefined;
    this.#socket = undefined;
    this.#proven = undefined;
    if (!this.#isClosed) this.#dialLater();
    if (proven !== undefined) {
      proven.connection.end(reason);
      log.warn({ process, reason }, 'the link to a node is down');
      handlers.down(process);
    } else if (this.#failureCount === 1) {
      log.warn({ process, url, reason }, 'a node cannot be reached');
    }
  }

  #dialLater(): void {
    const { time, random } = this.#by;
    const upperMs = Math.min(PAUSE_MS_MIN * 2 ** this.#failureCount, PAUSE_MS_MAX);
    this.#failureCount += 1;
    // Random, so that nodes which lost the same one do not dial it at the same time.
    const [byte = 0] = random.bytes(1);
    this.#stopPause = time.after((upperMs / 2) * (1 + byte / 256), () => this.dial());
  }
}
