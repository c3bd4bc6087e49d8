import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What only a replica sends. */
const REPLICATION = /psync|replconf/i;

/** The way to a Redis server, for clients and replicas; what the server tells replicas can be held back. */
export class ReplicationProxy {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #toReplicas = new Set<Socket>();

  static async open(port: number): Promise<ReplicationProxy> {
    const proxy = new ReplicationProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const server = connect(port, '127.0.0.1');
      client.on('data', (bytes) => {
        if (REPLICATION.test(bytes.toString('latin1'))) this.#toReplicas.add(server);
      });
      this.#pipe(client, server);
      this.#pipe(server, client);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #pipe(from: Socket, to: Socket): void {
    this.#open.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#open.delete(from);
      this.#toReplicas.delete(from);
      to.destroy();
    });
  }

  /** Replicas hear nothing more of what is written. */
  holdReplication(): void {
    for (const server of this.#toReplicas) {
      server.unpipe();
      // What comes is read and lost, so that the server takes its replica for a good one.
      server.resume();
    }
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}
