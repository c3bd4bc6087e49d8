import type { DialEvents, LinkNet, LinkSocket, SocketEvents } from '../../link/net.ts';
import { type LinkOptions, NodeLink } from '../../link/node-link.ts';
import type { Time } from '../../time.ts';

export interface NetOptions {
  time: Pick<Time, 'now' | 'after' | 'immediate'>;
  /** How long a message takes from one process to another; 0 by default. */
  delayMs?: (from: string, to: string) => number;
}

export type LinkDoubleOptions = Omit<LinkOptions, 'host' | 'port' | 'tls' | 'makeNet'>;

/** A link as that of a node, over a net in memory: only the sockets are not real. */
export class LinkDouble extends NodeLink {
  constructor(net: Net, options: LinkDoubleOptions) {
    const { process } = options;
    super({ ...options, host: process, port: 0, makeNet: () => net.of(process) });
  }
}

type Accept = (socket: LinkSocket) => SocketEvents;
type Message = { at: 'message'; bytes: Uint8Array };
type Item = { at: 'opened' } | Message | { at: 'closed'; reason: string };

/** From one process to another. */
const way = (from: string, to: string) => JSON.stringify([from, to]);

/** Connections between processes in one thread, and what may happen to them. */
export class Net {
  readonly #time: NetOptions['time'];
  readonly #delayMs: (from: string, to: string) => number;
  readonly #listeners = new Map<string, { process: string; accept: Accept }>();
  readonly #wires = new Set<Wire>();
  readonly #cut = new Set<string>();
  readonly #clogged = new Set<string>();

  constructor({ time, delayMs = () => 0 }: NetOptions) {
    this.#time = time;
    this.#delayMs = delayMs;
  }

  /** The net as a process sees it. */
  of(process: string): LinkNet {
    const url = `ws://${encodeURIComponent(process)}`;
    return {
      listen: (accept) => {
        if (this.#listeners.has(url)) throw new Error(`links: cannot listen on ${url}`);
        this.#listeners.set(url, { process, accept });
        return { url, close: () => this.#stopListening(url) };
      },
      dial: (to, events) => this.#dial(process, to, events),
    };
  }

  /** What one process sends to the other vanishes, also what is on the way. */
  cut(from: string, to: string): void {
    this.#cut.add(way(from, to));
  }

  /** New connections work again. Those from which something has vanished stay silent. */
  heal(from: string, to: string): void {
    this.#cut.delete(way(from, to));
  }

  /** What one process sends to the other waits until `unclog`. */
  clog(from: string, to: string): void {
    this.#clogged.add(way(from, to));
  }

  unclog(from: string, to: string): void {
    this.#clogged.delete(way(from, to));
    for (const wire of this.#wires) wire.resume();
  }

  /** Ends all connections between two processes; what is on the way is lost. */
  break(one: string, other: string): void {
    for (const wire of [...this.#wires]) {
      const isBetween = wire.isOf(one) && wire.isOf(other);
      if (isBetween) wire.break();
    }
  }

  /** A process ends: the others hear of it, unless they are cut off. */
  crash(process: string): void {
    for (const [url, listener] of this.#listeners) {
      if (listener.process === process) this.#listeners.delete(url);
    }
    for (const wire of [...this.#wires]) if (wire.isOf(process)) wire.crash(process);
  }

  #stopListening(url: string): void {
    const process = this.#listeners.get(url)?.process;
    this.#listeners.delete(url);
    for (const wire of [...this.#wires]) {
      if (wire.to === process) wire.server.end();
    }
  }

  #dial(from: string, url: string, events: DialEvents): LinkSocket {
    const to = decodeURIComponent(url.replace(/^ws:\/\//, ''));
    const wire: Wire = new Wire(from, to, {
      time: this.#time,
      delayMs: this.#delayMs,
      isCut: (each) => this.#cut.has(each),
      isClogged: (each) => this.#clogged.has(each),
      accept: (socket) => this.#listeners.get(url)?.accept(socket),
      gone: () => this.#wires.delete(wire),
    });
    this.#wires.add(wire);
    wire.dial(events);
    return wire.dialler;
  }
}

interface WireParts {
  time: NetOptions['time'];
  delayMs: (from: string, to: string) => number;
  isCut: (way: string) => boolean;
  isClogged: (way: string) => boolean;
  accept: (socket: LinkSocket) => SocketEvents | undefined;
  gone: () => void;
}

/** One connection. */
class Wire {
  readonly from: string;
  readonly to: string;
  readonly dialler: End;
  readonly server: End;
  readonly #by: WireParts;

  constructor(from: string, to: string, by: WireParts) {
    this.from = from;
    this.to = to;
    this.#by = by;
    this.dialler = new End(new Pipe(from, to, by));
    this.server = new End(new Pipe(to, from, by));
    this.dialler.out.connect((item) => this.#atServer(item), this.dialler);
    this.server.out.connect((item) => this.#atEnd(this.dialler, item), this.server);
    for (const end of [this.dialler, this.server]) end.ended = () => this.#ended(end);
  }

  isOf(process: string): boolean {
    return this.from === process || this.to === process;
  }

  dial(events: DialEvents): void {
    this.dialler.events = events;
    this.dialler.opened = () => events.opened();
    this.dialler.out.send({ at: 'opened' });
  }

  resume(): void {
    for (const { out } of [this.dialler, this.server]) out.resume();
  }

  break(): void {
    for (const end of [this.dialler, this.server]) {
      end.out.clear();
      this.#tell(end, 'the connection is broken');
    }
    this.#by.gone();
  }

  crash(process: string): void {
    const end = this.from === process ? this.dialler : this.server;
    end.events = undefined;
    end.end();
  }

  #atServer(item: Item): void {
    if (item.at !== 'opened') {
      this.#atEnd(this.server, item);
      return;
    }
    this.server.events = this.#by.accept(this.server);
    if (this.server.events !== undefined) this.server.out.send({ at: 'opened' });
    else this.server.out.send({ at: 'closed', reason: 'nobody listens' });
  }

  #atEnd(end: End, item: Item): void {
    if (end.isEnded) return;
    if (item.at === 'message') {
      end.events?.message(item.bytes);
    } else if (item.at === 'closed') {
      end.out.clear();
      this.#tell(end, item.reason);
      this.#by.gone();
    } else {
      end.opened();
    }
  }

  #ended(end: End): void {
    end.out.send({ at: 'closed', reason: 'the other end closed it' });
    this.#tell(end, 'this end closed it');
    if (this.dialler.isEnded && this.server.isEnded) this.#by.gone();
  }

  /** The end has no connection any more. */
  #tell(end: End, reason: string): void {
    const { events } = end;
    end.isEnded = true;
    end.events = undefined;
    if (events !== undefined) this.#by.time.immediate(() => events.closed(reason));
  }
}

/** One end of a connection. */
class End implements LinkSocket {
  readonly out: Pipe;
  events: SocketEvents | undefined;
  /** The other end has accepted. */
  opened: () => void = () => {};
  isEnded = false;
  ended: () => void = () => {};

  constructor(out: Pipe) {
    this.out = out;
  }

  get bufferedBytes(): number {
    return this.out.bufferedBytes;
  }

  send(message: Uint8Array): void {
    if (!this.isEnded) this.out.send({ at: 'message', bytes: new Uint8Array(message) });
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.ended();
  }
}

/** One direction of a connection. It keeps the order of what it carries. */
class Pipe {
  readonly #way: string;
  readonly #delayMs: () => number;
  readonly #by: WireParts;
  #items: { item: Item; atMs: number }[] = [];
  #deliver: (item: Item) => void = () => {};
  #sender: { events: SocketEvents | undefined } | undefined;
  #lastMs = 0;
  #isScheduled = false;
  /** Something has vanished, so that nothing behind it can be understood. */
  #isLost = false;

  constructor(from: string, to: string, by: WireParts) {
    this.#way = way(from, to);
    this.#delayMs = () => by.delayMs(from, to);
    this.#by = by;
  }

  get bufferedBytes(): number {
    if (!this.#by.isClogged(this.#way)) return 0;
    const bytesOf = (item: Item) => (item.at === 'message' ? item.bytes.length : 0);
    return this.#items.reduce((sum, { item }) => sum + bytesOf(item), 0);
  }

  connect(deliver: (item: Item) => void, sender: { events: SocketEvents | undefined }): void {
    this.#deliver = deliver;
    this.#sender = sender;
  }

  send(item: Item): void {
    const nowMs = this.#by.time.now();
    this.#lastMs = Math.max(this.#lastMs, nowMs + this.#delayMs());
    this.#items.push({ item, atMs: this.#lastMs });
    this.#schedule();
  }

  /** What is on the way is lost. */
  clear(): void {
    this.#items = [];
  }

  resume(): void {
    if (this.#items.length === 0) return;
    this.#schedule();
    this.#sender?.events?.drained();
  }

  #schedule(): void {
    const [next] = this.#items;
    if (next === undefined || this.#isScheduled || this.#by.isClogged(this.#way)) return;
    const { time } = this.#by;
    const arrive = () => {
      this.#isScheduled = false;
      this.#arrive();
    };
    this.#isScheduled = true;
    if (next.atMs <= time.now()) time.immediate(arrive);
    else time.after(next.atMs - time.now(), arrive);
  }

  #arrive(): void {
    const [next] = this.#items;
    if (next === undefined || this.#by.isClogged(this.#way)) return;
    if (next.atMs <= this.#by.time.now()) {
      this.#items.shift();
      this.#isLost ||= this.#by.isCut(this.#way);
      if (!this.#isLost) this.#deliver(next.item);
    }
    this.#schedule();
  }
}
