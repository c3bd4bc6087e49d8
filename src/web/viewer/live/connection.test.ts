import { beforeEach, describe, expect, it } from 'vitest';
import type { Hello, Snapshot } from '../api/types.ts';
import {
  Connection,
  type Link,
  type Socket,
  type Transport,
  type WorldAnswer,
} from './connection.ts';

const FRAME: Snapshot = {
  type: 'snapshot',
  world: 'w',
  tick: 4,
  time: 0.08,
  vehicles: [],
  lights: [],
  hazards: [],
};
const HELLO: Hello = { type: 'hello', world: 'w', rate_hz: 12.5, fleet: [], tick: 0 };

/** The network, the node and the clock, all in the hands of the test. */
class Stage implements Transport {
  sockets: (Socket & { isClosed: boolean })[] = [];
  timers = new Map<object, { ms: number; call: () => void }>();
  world: WorldAnswer = 'there';
  links: Link[] = [];
  frames = 0;
  hellos = 0;

  openSocket() {
    const socket = {
      onmessage: null,
      onclose: null,
      isClosed: false,
      close() {
        socket.isClosed = true;
      },
    };
    this.sockets.push(socket);
    return socket;
  }
  checkWorld = async () => this.world;
  readState = async () => (this.world === 'there' ? FRAME : this.world);
  after(ms: number, call: () => void) {
    const key = {};
    this.timers.set(key, { ms, call });
    return () => this.timers.delete(key);
  }
  random = () => 1;
  listener = {
    hello: () => {
      this.hellos++;
    },
    snapshot: () => {
      this.frames++;
    },
    link: (link: Link) => {
      this.links.push(link);
    },
  };

  get socket(): Socket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  }
  get waits(): number[] {
    return [...this.timers.values()].map(({ ms }) => ms);
  }
  serve() {
    this.socket.onmessage?.(HELLO);
    this.socket.onmessage?.(FRAME);
  }
  /** Closes the socket and lets what follows from it happen. */
  async lose(code = 1006) {
    this.socket.onclose?.(code);
    await settle();
  }
  /** Lets the timer of so many milliseconds end. */
  async pass(ms: number) {
    for (const [key, timer] of this.timers) {
      if (timer.ms !== ms) continue;
      this.timers.delete(key);
      timer.call();
      await settle();
      return;
    }
    throw new Error(`nothing waits ${ms} ms: ${this.waits}`);
  }
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

let stage: Stage;
let connection: Connection;
beforeEach(() => {
  stage = new Stage();
  connection = new Connection(stage, stage.listener);
});

describe('a connection', () => {
  it('is connecting until the first snapshot, then streaming', () => {
    expect(stage.links).toEqual(['connecting']);
    stage.socket.onmessage?.(HELLO);
    expect(stage.links).toEqual(['connecting']);
    stage.socket.onmessage?.(FRAME);
    expect(stage.links).toEqual(['connecting', 'streaming']);
    expect([stage.hellos, stage.frames]).toEqual([1, 1]);
  });

  it('[P10] reconnects at once when the node restarts, but only once, and says nothing of that', async () => {
    stage.serve();
    await stage.lose(1012);
    stage.serve();
    await stage.lose(1012);
    expect(stage.sockets.length).toBe(3);
    expect(stage.links).toEqual(['connecting', 'streaming']);
    await stage.lose(1012);
    expect(stage.links.at(-1)).toBe('reconnecting');
    expect(stage.waits).toEqual([1000]);
    await stage.pass(1000);
    stage.serve();
    expect(stage.links.at(-1)).toBe('streaming');
  });

  it('waits a random part of the pause, the second half of it at least', async () => {
    for (const [chance, ms] of [
      [0, 250],
      [0.5, 375],
    ] as const) {
      stage.serve();
      stage.random = () => chance;
      await stage.lose();
      await stage.pass(ms);
    }
  });

  it('waits longer where the node is overloaded', async () => {
    await stage.lose(1013);
    expect(stage.waits).toEqual([2000]);
  });

  it('waits longer each time the node cannot be reached, and never gives up', async () => {
    stage.serve();
    stage.world = 'unavailable';
    for (const ms of [500, 1000, 2000, 4000, 8000, 15_000, 15_000]) {
      await stage.lose();
      expect(stage.waits).toEqual([ms]);
      await stage.pass(ms);
    }
    stage.serve();
    expect(stage.links).toEqual(['connecting', 'streaming', 'reconnecting', 'streaming']);
  });

  it('returns to short pauses after a success', async () => {
    stage.serve();
    await stage.lose();
    await stage.pass(500);
    stage.serve();
    await stage.lose();
    expect(stage.waits).toEqual([500]);
  });

  it('ends a stream that falls silent', async () => {
    stage.serve();
    const [first] = stage.sockets;
    await stage.pass(5000);
    expect(stage.links.at(-1)).toBe('streaming');
    await stage.pass(500);
    expect(first?.isClosed).toBe(true);
    expect(stage.links.at(-1)).toBe('reconnecting');
    await stage.pass(500);
    expect(stage.sockets.length).toBe(2);
  });

  it('keeps a stream whose snapshots waited for a page that was busy', async () => {
    stage.serve();
    await stage.pass(5000);
    stage.serve();
    expect(stage.waits).toEqual([5000]);
    expect(stage.links.at(-1)).toBe('streaming');
  });

  it('is gone when REST does not know the world, and stops', async () => {
    stage.serve();
    stage.world = 'gone';
    await stage.lose();
    expect(stage.links.at(-1)).toBe('gone');
    expect(stage.waits).toEqual([]);
    connection.retryNow();
    expect(stage.sockets.length).toBe(1);
  });

  it('reconnects at once on request, only once', async () => {
    stage.serve();
    stage.world = 'unavailable';
    await stage.lose();
    connection.retryNow();
    connection.retryNow();
    expect(stage.sockets.length).toBe(2);
    expect(stage.waits).toEqual([5000]);
  });

  /** Two streams are lost before REST answers, which it does by what this returns. */
  async function loseTwice(): Promise<(answer: WorldAnswer) => void> {
    stage.serve();
    const { promise, resolve } = Promise.withResolvers<WorldAnswer>();
    stage.checkWorld = () => promise;
    await stage.lose();
    connection.retryNow();
    await stage.lose();
    return resolve;
  }

  it('tries again once, also where two streams were lost before REST answered', async () => {
    const resolve = await loseTwice();
    expect(stage.waits).toEqual([]);
    resolve('unavailable');
    await settle();
    expect(stage.waits).toEqual([1000]);
    await stage.pass(1000);
    expect([stage.sockets.length, stage.waits]).toEqual([3, [5000]]);
  });

  it('does not try again by itself what was tried on request', async () => {
    const resolve = await loseTwice();
    resolve('unavailable');
    await settle();
    connection.retryNow();
    expect([stage.sockets.length, stage.waits]).toEqual([3, [5000]]);
    connection.stop();
    expect(stage.waits).toEqual([]);
  });

  it('does nothing once it is stopped', async () => {
    stage.serve();
    connection.stop();
    expect(stage.waits).toEqual([]);
    expect(stage.sockets[0]?.isClosed).toBe(true);
  });
});

describe('where WebSockets are blocked', () => {
  /** Three streams that bring nothing. */
  async function block() {
    await stage.lose();
    await stage.pass(500);
    await stage.lose();
    await stage.pass(1000);
    await stage.lose();
  }

  it('it is not while streams say hello: their node cannot serve the world just now', async () => {
    for (const ms of [500, 1000, 2000, 4000]) {
      stage.socket.onmessage?.(HELLO);
      await stage.lose(1006);
      await stage.pass(ms);
    }
    expect(stage.links).toEqual(['connecting', 'reconnecting']);
  });

  it('it polls after three streams in a row without a message while REST answered', async () => {
    await stage.lose();
    await stage.pass(500);
    await stage.lose();
    expect(stage.links.at(-1)).toBe('reconnecting');
    await stage.pass(1000);
    await stage.lose();
    expect(stage.links.at(-1)).toBe('polling');
    expect(stage.frames).toBe(1);
    await stage.pass(400);
    expect(stage.frames).toBe(2);
  });

  it('it does not where REST was silent in between', async () => {
    await stage.lose();
    await stage.pass(500);
    stage.world = 'unavailable';
    await stage.lose();
    stage.world = 'there';
    await stage.pass(1000);
    await stage.lose();
    expect(stage.links.at(-1)).toBe('reconnecting');
  });

  it('it returns to the stream when that works, and stops polling', async () => {
    await block();
    await stage.pass(20_000);
    expect(stage.links.at(-1)).toBe('polling');
    stage.serve();
    expect(stage.links.at(-1)).toBe('streaming');
    expect(stage.waits).toEqual([5000]);
  });

  it('it keeps polling while the stream fails', async () => {
    await block();
    await stage.pass(20_000);
    await stage.lose();
    expect(stage.links.at(-1)).toBe('polling');
    expect(stage.waits.toSorted((a, b) => a - b)).toEqual([400, 20_000]);
  });

  it('it reports a failure of REST, and continues polling afterwards', async () => {
    await block();
    stage.world = 'unavailable';
    await stage.pass(400);
    expect(stage.links.at(-1)).toBe('reconnecting');
    stage.world = 'there';
    await stage.pass(400);
    expect(stage.links.at(-1)).toBe('polling');
  });

  it('it polls once at a time, also after a failure of REST', async () => {
    await block();
    stage.world = 'unavailable';
    await stage.pass(400);
    stage.world = 'there';
    await stage.pass(20_000);
    await stage.lose();
    expect(stage.links.at(-1)).toBe('polling');
    expect(stage.waits.toSorted((a, b) => a - b)).toEqual([400, 20_000]);
  });

  it('it is gone when a poll finds no world', async () => {
    await block();
    stage.world = 'gone';
    await stage.pass(400);
    expect(stage.links.at(-1)).toBe('gone');
    expect(stage.waits).toEqual([]);
  });
});
