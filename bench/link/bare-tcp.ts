/**
 * What a link of our own would be at least: length-prefixed MessagePack over TCP, all of one turn of the
 * event loop in one write. It has no limits, deadlines, handshake or checks.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Packr } from 'msgpackr';
import { systemTime } from '../../src/time.ts';

type Message = [id: number, kind: string, value: unknown];

const packr = new Packr({ useRecords: false, copyBuffers: true });
const HEAD_BYTES = 4;

/** Reads messages from a socket and writes others. */
class Framing {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #batch: Uint8Array[] = [];

  constructor(socket: Socket, take: (message: Message) => void) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (data: Buffer) => {
      let bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
      while (bytes.length >= HEAD_BYTES) {
        const end = HEAD_BYTES + bytes.readUInt32BE(0);
        if (bytes.length < end) break;
        take(packr.unpack(bytes.subarray(HEAD_BYTES, end)) as Message);
        bytes = bytes.subarray(end);
      }
      this.#rest = bytes;
    });
  }

  write(message: Message): void {
    if (this.#batch.length === 0) systemTime.immediate(() => this.#flush());
    const bytes = packr.pack(message);
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32BE(bytes.length, 0);
    this.#batch.push(head, bytes);
  }

  #flush(): void {
    this.#socket.write(Buffer.concat(this.#batch));
    this.#batch = [];
  }
}

/** Answers every call with the same. Resolves with its port. */
export async function serveBareTcp(answer: unknown): Promise<number> {
  const listener = createServer((socket) => {
    const framing = new Framing(socket, ([id, kind]) => framing.write([id, kind, answer]));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

export class BareTcp {
  readonly #framing: Framing;
  readonly #pending = new Map<number, (value: unknown) => void>();
  #lastId = 0;

  private constructor(socket: Socket) {
    this.#framing = new Framing(socket, ([id, , value]) => {
      this.#pending.get(id)?.(value);
      this.#pending.delete(id);
    });
  }

  static async connect(port: number): Promise<BareTcp> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new BareTcp(socket);
  }

  call(kind: string, value: unknown): Promise<unknown> {
    return new Promise((resolve) => {
      this.#lastId += 1;
      this.#pending.set(this.#lastId, resolve);
      this.#framing.write([this.#lastId, kind, value]);
    });
  }
}
