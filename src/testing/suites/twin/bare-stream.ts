import type { Socket } from 'node:net';
import { handshake } from './stream-client.ts';

const TEXT = 1;
const CLOSE = 8;
const PING = 9;

/**
 * A stream over a bare connection, for what a browser does not let its scripts do: not to read for a
 * while. While it reads, it answers pings as RFC 6455 asks for.
 */
export class BareStream {
  readonly texts: string[] = [];
  /** Of the server's close frame. */
  closeCode: number | undefined;
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #arrived: () => void = () => {};

  private constructor(socket: Socket, rest: Buffer) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#arrived());
    this.#take(rest);
  }

  static async open(url: string, path: string): Promise<BareStream> {
    const { status, socket, rest } = await handshake(url, path);
    if (status !== 101) throw new Error(`refused with ${status}`);
    return new BareStream(socket, rest);
  }

  /** Resolves once what has arrived is enough, or throws where the connection has ended. */
  async until(enough: () => boolean): Promise<void> {
    while (!enough()) {
      if (this.#socket.closed) throw new Error('the connection has ended');
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  stopReading(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (let frame = this.#nextFrame(); frame; frame = this.#nextFrame()) {
      if (frame.opcode === TEXT) this.texts.push(frame.payload.toString());
      if (frame.opcode === CLOSE) this.closeCode = frame.payload.readUInt16BE(0);
      if (frame.opcode === PING) this.#pong(frame.payload);
    }
    this.#arrived();
  }

  /** Undefined while some of it is missing. A server does not mask. */
  #nextFrame(): { opcode: number; payload: Buffer } | undefined {
    const [first, second = 0] = this.#received;
    const headBytes = second === 127 ? 10 : second === 126 ? 4 : 2;
    if (first === undefined || this.#received.length < headBytes) return undefined;
    const length =
      second === 127
        ? Number(this.#received.readBigUInt64BE(2))
        : second === 126
          ? this.#received.readUInt16BE(2)
          : second;
    if (this.#received.length < headBytes + length) return undefined;
    const payload = this.#received.subarray(headBytes, headBytes + length);
    this.#received = this.#received.subarray(headBytes + length);
    return { opcode: first & 15, payload };
  }

  /** A client masks; with zeros that changes nothing. */
  #pong(payload: Buffer): void {
    const head = Buffer.from([0x8a, 0x80 | payload.length, 0, 0, 0, 0]);
    this.#socket.write(Buffer.concat([head, payload]));
  }
}
