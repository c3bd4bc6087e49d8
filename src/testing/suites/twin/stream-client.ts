import { decode } from '@msgpack/msgpack';
import { checkMessage } from '../../rigs/published.ts';
import { type RawAnswer, raw } from './api.ts';
import { plausible } from './plausible.ts';
import type { Hello, Snapshot } from './wire.ts';

export interface Message {
  isBinary: boolean;
  bytes: Uint8Array;
  /** Decoded: MessagePack where it was binary, else JSON. */
  content: unknown;
}

export interface Closing {
  code: number;
  reason: string;
}

/** A stream as a browser has it. */
export class Stream {
  readonly socket: WebSocket;
  /** Resolves once it has closed, for whatever reason. */
  readonly closed: Promise<Closing>;
  readonly #messages: Message[] = [];
  #arrived: () => void = () => {};
  #isClosed = false;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => {
      this.#messages.push(messageOf(data));
      this.#arrived();
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => {
        this.#isClosed = true;
        this.#arrived();
        resolve({ code, reason });
      });
    });
  }

  /** Throws where it does not open. */
  static async open(url: string, protocols: string | string[] = []): Promise<Stream> {
    const stream = new Stream(new WebSocket(url, protocols));
    await new Promise<void>((resolve, reject) => {
      stream.socket.addEventListener('open', () => resolve());
      stream.socket.addEventListener('error', () => reject(new Error(`${url} did not open`)));
    });
    return stream;
  }

  /** The next message that was not taken yet. Throws where the stream ends before one comes. */
  async next(): Promise<Message> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      if (this.#isClosed) {
        const { code, reason } = await this.closed;
        throw new Error(`the stream has ended: ${code} ${reason}`);
      }
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  async hello(): Promise<Hello> {
    return this.#published<Hello>('hello');
  }

  /** The next so many frames. */
  async frames(count: number): Promise<Snapshot[]> {
    const frames: Snapshot[] = [];
    while (frames.length < count) frames.push(await this.#published<Snapshot>('snapshot'));
    return frames;
  }

  /** The content of the next message, which is of that type and as the published document says. */
  async #published<Content extends { type: string }>(type: Content['type']): Promise<Content> {
    const { content } = await this.next();
    await checkMessage(this.socket.url, content);
    const { type: found } = content as Content;
    if (found !== type) throw new Error(`a ${found}, not a ${type}`);
    return plausible(content as Content);
  }

  async close(): Promise<Closing> {
    this.socket.close();
    return this.closed;
  }
}

function messageOf(data: unknown): Message {
  if (typeof data === 'string') {
    return { isBinary: false, bytes: Buffer.from(data), content: JSON.parse(data) };
  }
  const bytes = new Uint8Array(data as ArrayBuffer);
  return { isBinary: true, bytes, content: decode(bytes) };
}

/**
 * Asks for a stream over a bare connection. `headers` stand in for those that belong there; one that
 * is undefined is left out.
 */
export function handshake(
  url: string,
  path: string,
  headers: Record<string, string | undefined> = {},
): Promise<RawAnswer> {
  const all = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const sent = Object.entries(all).filter(([, value]) => value !== undefined);
  const lines = sent.map(([name, value]) => `${name}: ${value}`);
  return raw(url, [`GET ${path} HTTP/1.1`, ...lines]);
}
