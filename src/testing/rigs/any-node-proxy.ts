import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Random } from '../../random.ts';

/** Passes each request, and each WebSocket, to another one of some servers. */
export class AnyNodeProxy {
  readonly #server: Server;
  readonly #random: Random;
  /** The server forgets them with their first message. */
  readonly #sockets = new Set<Socket>();
  #targets: readonly URL[] = [];

  private constructor(random: Random) {
    this.#random = random;
    this.#server = createServer((incoming, outgoing) => {
      this.#passRequest(incoming, outgoing).catch(() => outgoing.destroy());
    });
    this.#server.on('upgrade', (incoming, socket: Socket) => this.#passSocket(incoming, socket));
  }

  static async open(random: Random): Promise<AnyNodeProxy> {
    const proxy = new AnyNodeProxy(random);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Later requests go to one of these. */
  passTo(urls: readonly string[]): void {
    this.#targets = urls.map((url) => new URL(url));
  }

  #anyTarget(): URL {
    const target = this.#targets[(this.#random.bytes(1)[0] ?? 0) % this.#targets.length];
    if (target === undefined) throw new Error('the proxy has no servers yet');
    return target;
  }

  /** In one piece: a server that refuses a body may close the connection before it has read all of it. */
  async #passRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { hostname, port } = this.#anyTarget();
    const { method, url: path, rawHeaders: headers } = incoming;
    const body = await buffer(incoming);
    const passed = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    passed.end(body);
  }

  #passSocket({ method, url, rawHeaders }: IncomingMessage, socket: Socket): void {
    const { hostname, port } = this.#anyTarget();
    const passed = connect(Number(port), hostname, () => {
      const lines = [`${method} ${url} HTTP/1.1`];
      for (let i = 0; i < rawHeaders.length; i += 2) {
        lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
      }
      passed.write(`${lines.join('\r\n')}\r\n\r\n`);
      passed.pipe(socket).pipe(passed);
    });
    passed.on('error', () => socket.destroy());
    this.#sockets.add(socket);
    socket.on('error', () => passed.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      passed.destroy();
    });
  }

  async close(): Promise<void> {
    const ended = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    await ended;
  }
}
