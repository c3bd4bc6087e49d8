import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { systemTime } from '../../time.ts';

export type Direction = 'forth' | 'back';

/**
 * A TCP proxy that can lose, hold back or delay what goes in one direction. `forth` is away from who
 * connects.
 */
export class FaultyProxy {
  readonly #server: Server;
  #target: URL;
  readonly #pipes = new Set<ProxyPipe>();
  readonly #cut = new Set<Direction>();
  readonly #clogged = new Set<Direction>();
  #delayMs = 0;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((inner) => this.#accept(inner));
  }

  /** @param target where connections go: of this URL host and port count */
  static async open(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** Name and port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Later connections go there. */
  connectTo(target: string): void {
    this.#target = new URL(target);
  }

  /** What goes there vanishes. Connections that have lost something never get anything more. */
  cut(direction: Direction): void {
    this.#cut.add(direction);
  }

  heal(direction: Direction): void {
    this.#cut.delete(direction);
  }

  /** What comes from now on arrives so much later, in either direction. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  clog(direction: Direction): void {
    this.#clogged.add(direction);
    for (const pipe of this.#pipes) if (pipe.direction === direction) pipe.from.pause();
  }

  unclog(direction: Direction): void {
    this.#clogged.delete(direction);
    for (const pipe of this.#pipes) if (pipe.direction === direction) pipe.from.resume();
  }

  /** Ends all connections. */
  break(): void {
    for (const { from } of this.#pipes) from.destroy();
  }

  close(): void {
    this.#server.close();
    this.break();
  }

  #accept(inner: Socket): void {
    if (this.#cut.has('forth')) {
      // Nobody hears of it.
      inner.on('error', () => {});
      return;
    }
    const outer = connect(Number(this.#target.port), this.#target.hostname);
    this.#pipe({ direction: 'forth', from: inner, to: outer, isLost: false, waiting: [] });
    this.#pipe({ direction: 'back', from: outer, to: inner, isLost: false, waiting: [] });
  }

  #pipe(pipe: ProxyPipe): void {
    const { direction, from, to } = pipe;
    this.#pipes.add(pipe);
    const isLost = () => {
      pipe.isLost ||= this.#cut.has(direction);
      return pipe.isLost;
    };
    const pass = (bytes: Buffer) => {
      if (isLost() || to.destroyed || to.write(bytes)) return;
      from.pause();
      to.once('drain', () => {
        if (!this.#clogged.has(direction)) from.resume();
      });
    };
    from.on('data', (bytes) => {
      if (this.#delayMs === 0 && pipe.waiting.length === 0) return pass(bytes);
      pipe.waiting.push({ dueMs: systemTime.now() + this.#delayMs, bytes });
      if (pipe.waiting.length === 1) passLater(pipe.waiting, pass);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#pipes.delete(pipe);
      if (!isLost()) to.destroy();
    });
    if (this.#clogged.has(direction)) from.pause();
  }
}

interface ProxyPipe {
  direction: Direction;
  from: Socket;
  to: Socket;
  isLost: boolean;
  /** What is delayed, in order. */
  waiting: Waiting[];
}

interface Waiting {
  dueMs: number;
  bytes: Buffer;
}

function passLater(waiting: Waiting[], pass: (bytes: Buffer) => void): void {
  const [next] = waiting;
  if (next === undefined) return;
  systemTime.after(Math.max(0, next.dueMs - systemTime.now()), () => {
    pass(next.bytes);
    waiting.shift();
    passLater(waiting, pass);
  });
}
