import { Histogram } from '../histogram.ts';
import type { Log } from '../log.ts';
import type { Random } from '../random.ts';
import { Slices } from '../slices.ts';
import type { StopTimer, Time } from '../time.ts';
import {
  type Link,
  type LinkAnswer,
  LinkBroken,
  type LinkClient,
  type LinkHandlers,
  type PeerAddress,
  PING_MS,
} from './contract.ts';
import { Dialler, type DiallerParts } from './dialler.ts';
import { guardedHandlers } from './guarded-handlers.ts';
import { KEY_BYTES, PROCESS_LENGTH_MAX } from './handshake.ts';
import { LinkAcceptor } from './link-acceptor.ts';
import type { LinkListener, LinkNet, WebSocketOptions } from './net.ts';
import { webSocketNet } from './web-socket-net.ts';

/** How often silences and the time of calls are looked at: calls end so much late. */
const SWEEP_MS = 50;
/**
 * A silence is counted by sweeps, and one counts for no more than this: what came while this process
 * was paused is read only after the next sweep.
 */
const SWEEP_COUNTED_MS_MAX = 2 * SWEEP_MS;

export interface LinkOptions extends WebSocketOptions {
  /** The name of this process, which no other one ever has. */
  process: string;
  /** 32 bytes that all nodes know, and nobody else. */
  key: Uint8Array;
  handlers: LinkHandlers;
  time: Time;
  random: Random;
  log: Log;
  /** Where other nodes reach this one, if not at the address that it listens on. */
  publicUrl?: string | undefined;
  /** WebSockets by default. */
  makeNet?: (options: WebSocketOptions) => LinkNet;
}

/** The links of a node. No handler is called once it is closed. */
export class NodeLink implements Link {
  readonly url: string;
  readonly roundTrips = new Histogram();
  readonly #time: Time;
  readonly #parts: DiallerParts;
  readonly #acceptor: LinkAcceptor;
  readonly #listener: LinkListener;
  readonly #diallers = new Map<string, Dialler>();
  readonly #stopTimers: readonly StopTimer[];
  #sweptMs: number;
  #isClosed = false;

  /** Listens. Throws if it cannot. */
  constructor(options: LinkOptions) {
    const { process, key, time, random, log, makeNet = webSocketNet } = options;
    if (key.length !== KEY_BYTES) throw new RangeError(`the key must have ${KEY_BYTES} bytes`);
    if (process.length === 0 || process.length > PROCESS_LENGTH_MAX) {
      throw new RangeError(`the name of a process has 1 to ${PROCESS_LENGTH_MAX} characters`);
    }
    const net = makeNet(options);
    const handlers = this.#untilClosed(guardedHandlers(options.handlers, log));
    const slices = new Slices(time);
    this.#time = time;
    const { roundTrips } = this;
    this.#parts = { key, process, net, handlers, roundTrips, time, random, log };
    const client = { handlers, slices, time, log };
    this.#acceptor = new LinkAcceptor({ key, process, random, time, client });
    this.#listener = net.listen((socket) => this.#acceptor.accept(socket));
    this.url = options.publicUrl ?? this.#listener.url;
    this.#sweptMs = time.now();
    this.#stopTimers = [
      time.every(SWEEP_MS, () => this.#sweep()),
      time.every(PING_MS, () => this.#ping()),
    ];
  }

  connect(peers: readonly PeerAddress[]): void {
    if (this.#isClosed) return;
    const wanted = new Map(peers.map((peer) => [peer.process, peer]));
    wanted.delete(this.#parts.process);
    for (const [process, dialler] of this.#diallers) {
      if (wanted.get(process)?.url === dialler.peer.url) continue;
      this.#diallers.delete(process);
      dialler.close();
    }
    for (const [process, { url }] of wanted) {
      if (this.#diallers.has(process)) continue;
      const dialler = new Dialler({ process, url }, this.#parts);
      this.#diallers.set(process, dialler);
      dialler.dial();
    }
  }

  isUp(process: string): boolean {
    return this.#diallers.get(process)?.isUp === true;
  }

  call(process: string, kind: string, value: unknown, deadlineMs: number): Promise<LinkAnswer> {
    const dialler = this.#diallers.get(process);
    if (dialler !== undefined) return dialler.call(kind, value, deadlineMs);
    return Promise.reject(new LinkBroken(`no link to ${process}`, { isSent: false }));
  }

  note(process: string, kind: string, value: unknown): void {
    this.#diallers.get(process)?.note(kind, value);
  }

  clientOf(process: string): LinkClient | undefined {
    return this.#acceptor.clientOf(process);
  }

  waitingBytes(): number {
    const dialled = [...this.#diallers.values()].map((dialler) => dialler.waitingBytes);
    const accepted = [...this.#acceptor.clients].map(
      ({ connection }) => connection.outbox.waitingBytes,
    );
    return Math.max(0, ...dialled, ...accepted);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stopTimers) stop();
    for (const dialler of this.#diallers.values()) dialler.close();
    this.#diallers.clear();
    this.#acceptor.close();
    this.#listener.close();
    return Promise.resolve();
  }

  #sweep(): void {
    const nowMs = this.#time.now();
    const passedMs = Math.min(nowMs - this.#sweptMs, SWEEP_COUNTED_MS_MAX);
    this.#sweptMs = nowMs;
    for (const dialler of this.#diallers.values()) dialler.sweep(passedMs);
    for (const { connection } of this.#acceptor.clients) connection.sweep(passedMs);
  }

  #ping(): void {
    const value = this.#parts.handlers.pingValue();
    for (const dialler of this.#diallers.values()) dialler.ping(value);
    for (const client of this.#acceptor.clients) client.ping(value);
  }

  #untilClosed(handlers: LinkHandlers): LinkHandlers {
    const open = (call: () => void) => {
      if (!this.#isClosed) call();
    };
    return {
      called: handlers.called,
      noted: (...args) => open(() => handlers.noted(...args)),
      drained: (to) => open(() => handlers.drained(to)),
      clientGone: (client) => open(() => handlers.clientGone(client)),
      received: (...args) => open(() => handlers.received(...args)),
      pingValue: handlers.pingValue,
      pinged: (...args) => open(() => handlers.pinged(...args)),
      up: (process) => open(() => handlers.up(process)),
      down: (process) => open(() => handlers.down(process)),
    };
  }
}
