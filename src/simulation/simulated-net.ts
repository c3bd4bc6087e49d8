import type { DialEvents, LinkNet, LinkSocket, SocketEvents } from '../link/net.ts';
import { Net } from '../testing/doubles/link-double.ts';
import type { Time } from '../time.ts';
import type { Chance } from './chance.ts';
import type { Thread } from './machine.ts';

/** The net between the nodes of a run. What arrives at a process waits until that runs. */
export class SimulatedNet {
  readonly #net: Net;

  constructor(time: Time, chance: Chance, delayMsMax: number) {
    this.#net = new Net({ time, delayMs: () => chance.between(0.05, delayMsMax) });
  }

  /** The net as a process sees it. */
  of(process: string, thread: Thread): LinkNet {
    const inner = this.#net.of(process);
    return {
      listen: (accept) => inner.listen((socket) => acceptLater(socket, accept, thread)),
      dial: (url, events) => inner.dial(url, dialled(events, thread)),
    };
  }

  crash(process: string): void {
    this.#net.crash(process);
  }

  /** From now on nothing of one process gets to the other, until the result is called. */
  cut(from: string, to: string): () => void {
    this.#net.cut(from, to);
    return () => this.#net.heal(from, to);
  }
}

function acceptLater(
  socket: LinkSocket,
  accept: (socket: LinkSocket) => SocketEvents,
  thread: Thread,
): SocketEvents {
  let events: SocketEvents | undefined;
  thread.add(0, () => {
    events = accept(socket);
  });
  return deferred(() => events, thread);
}

function dialled(events: DialEvents, thread: Thread): DialEvents {
  return {
    ...deferred(() => events, thread),
    opened: () => void thread.add(0, () => events.opened()),
  };
}

function deferred(events: () => SocketEvents | undefined, thread: Thread): SocketEvents {
  return {
    message(message) {
      // It is valid only now.
      const own = new Uint8Array(message);
      thread.add(0, () => events()?.message(own));
    },
    drained: () => void thread.add(0, () => events()?.drained()),
    closed: (reason) => void thread.add(0, () => events()?.closed(reason)),
  };
}
