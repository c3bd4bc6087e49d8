import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * An address that stays while the node behind it ends and another takes its place: a port that was
 * just left in the middle of connections cannot be taken again for a minute.
 */
export interface Doorway {
  url: string;
  /** Connections from now on go there. */
  leadTo(url: string): void;
  close(): void;
}

export async function openDoorway(): Promise<Doorway> {
  let target = new URL('http://127.0.0.1:1');
  const open = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    leadTo(url) {
      target = new URL(url);
    },
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
