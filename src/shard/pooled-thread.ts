import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Command, Report } from './protocol.ts';
import { ShardPool, type TaskAnswer, type TaskInput, type TaskName } from './shard-pool.ts';
import type { ShardThread, ThreadListener, ThreadStart } from './shard-thread.ts';

/** So many commands that can wait go together: more would keep the thread waiting that could begin. */
const TOGETHER_MAX = 32;

/** A thread of Piscina. Commands and reports have ports of their own. */
export class PooledThread implements ShardThread {
  readonly ready: Promise<void>;
  readonly #pool: ShardPool;
  readonly #commands: MessagePort;
  readonly #reports: MessagePort;
  /** Commands that go with the next ones. */
  #waiting: Command[] = [];

  constructor(start: ThreadStart, listener: ThreadListener) {
    const commands = new MessageChannel();
    const reports = new MessageChannel();
    this.#commands = commands.port1;
    this.#reports = reports.port1;
    this.#pool = new ShardPool((error) => listener.ended(error));
    reports.port1.on('message', (report: Report) => listener.report(report));
    const ports = { commands: commands.port2, reports: reports.port2 };
    const served = this.#pool.run('serve', { ...start, ...ports }, [ports.commands, ports.reports]);
    served.catch((error: unknown) => listener.ended(error));
    // If the thread cannot start, `serve` rejects with the cause, `ready` only with the thread's end.
    this.ready = Promise.race([this.#pool.run('ready', undefined), served]);
  }

  /**
   * A message costs as much as several commands, so those that can wait for the end of a microtask go together. A
   * hold cannot: it must be there before the clock is published for its tick.
   */
  command(command: Command): void {
    const isFirst = this.#waiting.push(command) === 1;
    const canWait = command.kind === 'takeIn' || command.kind === 'watch';
    if (!canWait || this.#waiting.length === TOGETHER_MAX) this.#send();
    else if (isFirst) queueMicrotask(() => this.#send());
  }

  #send(): void {
    if (this.#waiting.length === 0) return;
    this.#commands.postMessage(this.#waiting);
    this.#waiting = [];
  }

  run<Name extends TaskName>(name: Name, task: TaskInput<Name>): Promise<TaskAnswer<Name>> {
    this.#send();
    return this.#pool.run(name, task);
  }

  nextReport(): Report | undefined {
    return receiveMessageOnPort(this.#reports)?.message as Report | undefined;
  }

  end(): Promise<void> {
    this.#commands.close();
    this.#reports.close();
    return this.#pool.destroy();
  }
}
