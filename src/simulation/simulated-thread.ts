import type { HostThread } from '../shard/host-thread.ts';
import type { Command, Report, ShardPort } from '../shard/protocol.ts';
import { ShardHost } from '../shard/shard-host.ts';
import type { TaskAnswer, TaskInput, TaskName } from '../shard/shard-pool.ts';
import type { ShardThread, ThreadListener, ThreadStart } from '../shard/shard-thread.ts';
import type { Chance } from './chance.ts';
import { Lane } from './lane.ts';
import type { Thread } from './machine.ts';
import { TOY_ENCODER, toyKernel } from './toy-kernel.ts';

const START_MS_MAX = 30;

/** Messages to a thread, in their order. Whoever takes one early is not called with it again. */
class Mailbox implements ShardPort {
  readonly #lane: Lane;
  readonly #waiting: unknown[] = [];
  #take: (message: never) => void = () => {};
  #isClosed = false;

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  on(_: 'message', take: (message: never) => void): void {
    this.#take = take;
  }

  postMessage(message: unknown): void {
    if (this.#isClosed) return;
    this.#waiting.push(message);
    this.#lane.send(() => {
      const next = this.next();
      if (next !== undefined && !this.#isClosed) this.#take(next as never);
    });
  }

  next(): unknown {
    return this.#waiting.shift();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
  }
}

const HOST_THREAD: HostThread<Mailbox> = {
  kernelOf: toyKernel,
  encoderOf: () => TOY_ENCODER,
  frameMemory: (bytes) => new Uint8Array(new SharedArrayBuffer(bytes)),
  receive(port) {
    const message = port.next();
    return message === undefined ? undefined : { message };
  },
  // The meter never uses it: no virtual time passes within a turn.
  workedMs: () => 0,
};

type Host = ShardHost<Mailbox>;
type Tasks = { [Name in TaskName]: (host: Host, task: TaskInput<Name>) => unknown };

/** As the functions that `workers/shard.ts` exports. */
const TASKS: Tasks = {
  serve: () => undefined,
  ready: () => undefined,
  openMany: (host, tasks) => host.openMany(tasks),
  query: (host, task) => host.query(task),
  rewind: (host, task) => host.counterfactuals.rewind(task),
  search: (host, task) => host.counterfactuals.search(task),
  stopSearches: (host, world) => host.counterfactuals.stop(world),
  replay: (host, task) => host.counterfactuals.replay(task),
  pastState: (host, task) => host.counterfactuals.pastState(task),
  forecast: (host, task) => host.counterfactuals.forecast(task),
  copies: (host, task) => host.standing.copies(task),
  freeze: (host, task) => host.standing.freeze(task),
  frozen: (host, task) => host.standing.frozen(task),
  thaw: (host, task) => host.standing.thaw(task),
  closeMany: (host, task) => host.closeMany(task),
  saveMoved: (host, limit) => host.saveMoved(limit),
  stop: (host) => host.stop(),
};

export interface SimulatedThreadParts {
  /** The thread that uses this one. */
  main: Thread;
  own: Thread;
  chance: Chance;
}

/** A shard's thread beside the main thread of its node, in one thread of JavaScript. */
export class SimulatedThread implements ShardThread {
  readonly ready: Promise<void>;
  readonly own: Thread;
  readonly #listener: ThreadListener;
  readonly #commands: Mailbox;
  readonly #reports: Mailbox;
  readonly #tasks: Lane;
  readonly #answers: Lane;
  readonly #unanswered = new Set<(error: Error) => void>();
  #host: Host | undefined;
  #isOver = false;

  constructor(start: ThreadStart, listener: ThreadListener, parts: SimulatedThreadParts) {
    const { main, own, chance } = parts;
    this.own = own;
    this.#listener = listener;
    this.#commands = new Mailbox(new Lane(own, chance));
    this.#reports = new Mailbox(new Lane(main, chance));
    this.#reports.on('message', (report: Report) => listener.report(report));
    this.#tasks = new Lane(own, chance, chance.between(0, START_MS_MAX));
    this.#answers = new Lane(main, chance);
    const ports = { commands: this.#commands, reports: this.#reports };
    this.#tasks.send(() => {
      this.#host = new ShardHost({ ...start, ...ports }, own.time, HOST_THREAD);
    });
    this.ready = this.run('ready', undefined);
  }

  command(command: Command): void {
    this.#commands.postMessage([command]);
  }

  run<Name extends TaskName>(name: Name, task: TaskInput<Name>): Promise<TaskAnswer<Name>> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) throw new Error('the thread has ended');
      this.#unanswered.add(reject);
      const answerLater = (settle: () => void) =>
        this.#answers.send(() => {
          if (this.#unanswered.delete(reject)) settle();
        });
      this.#tasks.send(() =>
        this.#execute(name, task).then(
          (answer) => answerLater(() => resolve(answer as TaskAnswer<Name>)),
          (error: Error) => answerLater(() => reject(error)),
        ),
      );
    });
  }

  async #execute<Name extends TaskName>(name: Name, task: TaskInput<Name>): Promise<unknown> {
    if (this.#host === undefined) throw new Error('this thread has not been started as a shard');
    return TASKS[name](this.#host, task);
  }

  nextReport(): Report | undefined {
    return this.#reports.next() as Report | undefined;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.own.end();
    this.#commands.close();
    this.#reports.close();
    for (const reject of this.#unanswered) reject(new Error('the thread has ended'));
    this.#unanswered.clear();
  }

  /** It dies of an error. The main thread learns it a little later. */
  die(): void {
    if (this.#isOver) return;
    this.own.end();
    this.#answers.send(() => {
      const error = new Error('the thread died');
      if (!this.#isOver) this.#listener.ended(error);
    });
  }
}
