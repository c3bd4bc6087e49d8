import type { DialEvents, LinkNet, LinkSocket, SocketEvents } from '../link/net.ts';
import { Net } from '../testing/doubles/link-double.ts';
import type { Time } from '../time.ts';
import type { Chance } from './chance.ts';
import type { Thread } from './machine.ts';

/** The net between the nodes of a run. What arrives at a process waits until that runs. */
export class SimulatedNet {
  readonly #net: Net;
  /** By the name of the node: its processes that have joined. */
  readonly #processes = new Map<string, string>();
  /** Ways between nodes that are cut, by both names. */
  readonly #cuts = new Map<string, Cut>();

  constructor(time: Time, chance: Chance, delayMsMax: number) {
    this.#net = new Net({ time, delayMs: () => chance.between(0.05, delayMsMax) });
  }

  /** The net as a process of a node sees it. */
  of(node: string, process: string, thread: Thread): LinkNet {
    this.#processes.set(node, process);
    for (const cut of this.#cuts.values()) this.#apply(cut);
    const inner = this.#net.of(process);
    return {
      listen: (accept) => inner.listen((socket) => acceptLater(socket, accept, thread)),
      dial: (url, events) => inner.dial(url, dialled(events, thread)),
    };
  }

  crash(process: string): void {
    this.#net.crash(process);
  }

  /** From now on nothing of one node gets to the other, until the result is called. */
  cut(from: string, to: string): () => void {
    const way = `${from} ${to}`;
    const cut = this.#cuts.get(way) ?? { from, to, count: 0, heals: [] };
    this.#cuts.set(way, cut);
    cut.count++;
    this.#apply(cut);
    let isCut = true;
    return () => {
      if (!isCut) return;
      isCut = false;
      cut.count--;
      if (cut.count > 0) return;
      this.#cuts.delete(way);
      for (const heal of cut.heals) heal();
    };
  }

  /** Also between processes that join later. */
  #apply(cut: Cut): void {
    const from = this.#processes.get(cut.from);
    const to = this.#processes.get(cut.to);
    if (from === undefined || to === undefined) return;
    this.#net.cut(from, to);
    cut.heals.push(() => this.#net.heal(from, to));
  }
}

interface Cut {
  from: string;
  to: string;
  /** How many faults cut it. */
  count: number;
  heals: (() => void)[];
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
    message: (message) => void thread.add(0, () => events()?.message(message)),
    drained: () => void thread.add(0, () => events()?.drained()),
    closed: (reason) => void thread.add(0, () => events()?.closed(reason)),
  };
}
