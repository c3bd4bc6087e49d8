import type { StopTimer, Time } from '../../time.ts';
import type { TestTime } from './test-time.ts';

/** The time of a process that may be killed: then nothing of it happens any more. */
export class ProcessTime implements Time {
  isAlive = true;
  readonly #time: TestTime;

  constructor(time: TestTime) {
    this.#time = time;
  }

  now = () => this.#time.now();
  wallMs = () => this.#time.wallMs();
  machineUpMs = () => this.#time.machineUpMs();
  sleep = (ms: number) => new Promise<void>((resolve) => void this.after(ms, resolve));
  after = (ms: number, task: () => void): StopTimer => this.#time.after(ms, this.#ofLiving(task));
  every = (ms: number, task: () => void): StopTimer => this.#time.every(ms, this.#ofLiving(task));
  immediate = (task: () => void): StopTimer => this.#time.immediate(this.#ofLiving(task));

  #ofLiving(task: () => void): () => void {
    return () => {
      if (this.isAlive) task();
    };
  }
}
