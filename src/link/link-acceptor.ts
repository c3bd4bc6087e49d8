import type { Random } from '../random.ts';
import type { StopTimer, Time } from '../time.ts';
import { ServerHandshake } from './handshake.ts';
import { MalformedMessage } from './msgpack-scan.ts';
import type { LinkSocket, SocketEvents } from './net.ts';
import { ServedClient, type ServedClientParts } from './served-client.ts';

const HANDSHAKE_MS = 1000;
/** Connections amid their handshake. One more ends the oldest: a handshake takes milliseconds. */
const UNPROVEN_MAX = 128;
/** Nodes that have dialled. */
const CLIENTS_MAX = 1000;

interface AcceptorParts {
  key: Uint8Array;
  process: string;
  random: Random;
  time: Pick<Time, 'now' | 'immediate' | 'after'>;
  client: Omit<ServedClientParts, 'ended'>;
}

/** A connection whose other end has not proved anything yet. */
interface Unproven {
  socket: LinkSocket;
  handshake: ServerHandshake;
  stopTimer: StopTimer;
  /** Once it has. */
  client: ServedClient | undefined;
}

/** The connections that other nodes have dialled. Whoever proves nothing is cut off without an answer. */
export class LinkAcceptor {
  readonly #by: AcceptorParts;
  /** In the order in which they came. */
  readonly #unproven = new Set<Unproven>();
  readonly #clients = new Map<string, ServedClient>();
  #isClosed = false;

  constructor(by: AcceptorParts) {
    this.#by = by;
  }

  get clients(): Iterable<ServedClient> {
    return this.#clients.values();
  }

  clientOf(process: string): ServedClient | undefined {
    return this.#clients.get(process);
  }

  accept(socket: LinkSocket): SocketEvents {
    const { key, process, random, time } = this.#by;
    const handshake = new ServerHandshake(key, process, random);
    const stopTimer = time.after(HANDSHAKE_MS, () => this.#refuse(unproven));
    const unproven: Unproven = { socket, handshake, stopTimer, client: undefined };
    this.#unproven.add(unproven);
    const [oldest] = this.#unproven;
    if (oldest !== undefined && this.#unproven.size > UNPROVEN_MAX) this.#refuse(oldest);
    return {
      message: (bytes) => {
        if (unproven.client !== undefined) unproven.client.connection.receive(bytes);
        else if (this.#unproven.has(unproven)) this.#goOn(unproven, bytes);
      },
      drained: () => unproven.client?.connection.outbox.drained(),
      closed: (reason) => {
        this.#forget(unproven);
        unproven.client?.connection.end(reason);
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const unproven of this.#unproven) this.#refuse(unproven);
    for (const { connection } of this.#clients.values())
      connection.end('this node closes the link');
  }

  #goOn(unproven: Unproven, bytes: Uint8Array): void {
    const { socket, handshake } = unproven;
    try {
      const { answer, from } = handshake.receive(bytes);
      socket.send(answer);
      if (from !== undefined) this.#admit(unproven, from);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.#by.client.log.debug({ reason: error.message }, 'a connection was refused');
      this.#refuse(unproven);
    }
  }

  #admit(unproven: Unproven, process: string): void {
    this.#forget(unproven);
    const { handlers, log } = this.#by.client;
    const before = this.#clients.get(process);
    if (before === undefined && this.#clients.size >= CLIENTS_MAX) {
      unproven.socket.end();
      return;
    }
    // It would not dial again if it still had that one.
    before?.connection.end('it has dialled again');
    const client = new ServedClient(process, unproven.socket, {
      ...this.#by.client,
      ended: (ended) => this.#ended(ended),
    });
    unproven.client = client;
    this.#clients.set(process, client);
    log.info({ process }, 'a node has dialled');
    client.ping(handlers.pingValue());
  }

  #ended(client: ServedClient): void {
    if (this.#clients.get(client.process) === client) this.#clients.delete(client.process);
    if (!this.#isClosed) this.#by.client.handlers.clientGone(client);
  }

  #refuse(unproven: Unproven): void {
    this.#forget(unproven);
    unproven.socket.end();
  }

  #forget(unproven: Unproven): void {
    unproven.stopTimer();
    this.#unproven.delete(unproven);
  }
}
