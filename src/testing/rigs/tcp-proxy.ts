import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * An address that stays while the node behind it ends and another takes its place. A port that was
 * just closed in the middle of connections cannot be opened again for a minute.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #target = new URL('http://127.0.0.1:1');

  private constructor() {
    this.#server = createServer((inner) => {
      const outer = connect(Number(this.#target.port), this.#target.hostname);
      this.#pipe(inner, outer);
      this.#pipe(outer, inner);
    });
  }

  static async open(): Promise<TcpProxy> {
    const proxy = new TcpProxy();
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Later connections go there. */
  connectTo(url: string): void {
    this.#target = new URL(url);
  }

  #pipe(from: Socket, to: Socket): void {
    this.#open.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#open.delete(from);
      to.destroy();
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}
