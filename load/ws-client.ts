import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { openSocket } from './http-client.ts';
import { clientFrame, FrameParser, OPCODE_CLOSE, OPCODE_PING, OPCODE_PONG } from './ws-frames.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** RFC 6455, 7.1.5: the connection ended without a close message. */
const CLOSED_WITHOUT_CODE = 1006;

export interface WatchEvents {
  /** A text or binary message. `payload` is valid during the call only. */
  message(opcode: number, payload: Buffer): void;
  closed(code: number): void;
}

/** The server answered an upgrade with something else, such as `HTTP/1.1 503 Service Unavailable`. */
export class UpgradeRefused extends Error {
  readonly statusLine: string;

  constructor(statusLine: string) {
    super(`the upgrade was refused: ${statusLine}`);
    this.statusLine = statusLine;
  }
}

/** A WebSocket that receives. It answers pings, so an open stream stays open, and sends nothing else. */
export class WatchSocket {
  readonly #socket: Socket;
  readonly #events: WatchEvents;
  #closeCode = CLOSED_WITHOUT_CODE;

  /** Resolves when the upgrade is accepted; rejects with UpgradeRefused where it is not. */
  static async open(url: URL, path: string, events: WatchEvents): Promise<WatchSocket> {
    const socket = await openSocket(url);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    );
    const first = await upgraded(socket);
    return new WatchSocket(socket, events, first);
  }

  private constructor(socket: Socket, events: WatchEvents, first: Buffer) {
    this.#socket = socket;
    this.#events = events;
    const parser = new FrameParser((opcode, payload) => this.#receive(opcode, payload));
    const push = (chunk: Buffer) => {
      try {
        parser.push(chunk);
      } catch (error) {
        socket.destroy(error as Error);
      }
    };
    socket.on('error', () => {});
    socket.on('close', () => events.closed(this.#closeCode));
    socket.on('data', push);
    push(first);
  }

  /** Stops taking bytes: the kernel's buffers fill, and the server meets a slow reader. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
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

/** Waits for the end of the answer's head; what lies behind it are the first frames. */
function upgraded(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const ended = () => reject(new Error('the server ended the connection during the upgrade'));
    const receive = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const headBytes = head.indexOf(HEAD_END);
      if (headBytes < 0) return;
      socket.off('data', receive).off('close', ended).off('error', ended);
      const statusLine = head.toString('latin1', 0, head.indexOf('\r\n'));
      if (statusLine.startsWith('HTTP/1.1 101')) {
        return resolve(head.subarray(headBytes + HEAD_END.length));
      }
      socket.destroy();
      reject(new UpgradeRefused(statusLine));
    };
    socket.on('data', receive).once('close', ended).once('error', ended);
  });
}
