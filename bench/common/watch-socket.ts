import type { Socket } from 'node:net';
import { systemRandom } from '../../src/random.ts';
import {
  clientFrame,
  FrameParser,
  OPCODE_CLOSE,
  OPCODE_PING,
  OPCODE_PONG,
} from './frame-parser.ts';
import { formatRequest, openSocket } from './http-pool.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** RFC 6455, 7.1.5: the connection ended without a close message. */
const CLOSED_WITHOUT_CODE = 1006;

export interface WatchEvents {
  /** A text or binary message. `payload` is valid during the call only. */
  message(opcode: number, payload: Buffer): void;
  closed(code: number): void;
}

/** Takes received bytes, which are valid during the call only. */
interface Input {
  take(chunk: Buffer): void;
}

/** The server answered an upgrade with something else, such as `HTTP/1.1 503 Service Unavailable`. */
export class UpgradeRefused extends Error {
  readonly statusLine: string;

  constructor(statusLine: string) {
    super(`the upgrade was refused: ${statusLine}`);
    this.statusLine = statusLine;
  }
}

/** The bytes that ask for a WebSocket. */
export function upgradeRequest(url: URL, path: string): Buffer {
  return formatRequest(url, 'GET', path, {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': Buffer.from(systemRandom.bytes(16)).toString('base64'),
  });
}

/** A WebSocket that only receives, and answers pings so that it stays open. */
export class WatchSocket {
  readonly #socket: Socket;
  readonly #events: WatchEvents;
  #closeCode = CLOSED_WITHOUT_CODE;

  /** Resolves when the upgrade is accepted; rejects with UpgradeRefused where it is not. */
  static async open(
    url: URL,
    path: string,
    events: WatchEvents,
    from?: string,
  ): Promise<WatchSocket> {
    const input: Input = { take: () => {} };
    const socket = await openSocket(url, { receive: (chunk) => input.take(chunk), from });
    socket.write(upgradeRequest(url, path));
    const first = await upgraded(socket, input);
    return new WatchSocket(socket, input, events, first);
  }

  private constructor(socket: Socket, input: Input, events: WatchEvents, first: Buffer) {
    this.#socket = socket;
    this.#events = events;
    const parser = new FrameParser((opcode, payload) => this.#receive(opcode, payload));
    input.take = (chunk) => {
      try {
        parser.push(chunk);
      } catch (error) {
        socket.destroy(error as Error);
      }
    };
    socket.on('error', () => {});
    socket.on('close', () => events.closed(this.#closeCode));
    input.take(first);
  }

  /** Stops reading: buffers fill, and the server sees a slow watcher. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** All bytes that came, those of the handshake and of pings included. */
  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE_PING) {
      this.#socket.write(clientFrame(OPCODE_PONG, payload));
    } else if (opcode === OPCODE_CLOSE) {
      if (payload.length >= 2) this.#closeCode = payload.readUInt16BE(0);
      this.#socket.end(clientFrame(OPCODE_CLOSE, payload.subarray(0, 2)));
    } else if (opcode !== OPCODE_PONG) {
      this.#events.message(opcode, payload);
    }
  }
}

/** Waits for the end of the answer's head; returns the bytes after it, the first frames. */
function upgraded(socket: Socket, input: Input): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const ended = () => reject(new Error('the server ended the connection during the upgrade'));
    input.take = (chunk) => {
      head = Buffer.concat([head, chunk]);
      const headBytes = head.indexOf(HEAD_END);
      if (headBytes < 0) return;
      socket.off('close', ended).off('error', ended);
      const statusLine = head.toString('latin1', 0, head.indexOf('\r\n'));
      if (statusLine.startsWith('HTTP/1.1 101')) {
        return resolve(head.subarray(headBytes + HEAD_END.length));
      }
      socket.destroy();
      reject(new UpgradeRefused(statusLine));
    };
    socket.once('close', ended).once('error', ended);
  });
}
