interface Waiting<Task, Answer> {
  task: Task;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Has tasks of one kind that come in the same turn done together: to hand one over to a thread costs more
 * than most of them.
 */
export class Together<Task, Answer> {
  readonly #atOnce: number;
  readonly #run: (tasks: readonly Task[]) => Promise<readonly Answer[]>;
  readonly #waiting: Waiting<Task, Answer>[] = [];

  /**
   * @param atOnce how many in one piece
   * @param run resolves to an answer to each, in the same order
   */
  constructor(atOnce: number, run: (tasks: readonly Task[]) => Promise<readonly Answer[]>) {
    this.#atOnce = atOnce;
    this.#run = run;
  }

  /** Rejects as `run` does. */
  add(task: Task): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const count = this.#waiting.push({ task, resolve, reject });
      if (count === 1) queueMicrotask(() => this.#runAll());
    });
  }

  #runAll(): void {
    const all = this.#waiting.splice(0);
    for (let i = 0; i < all.length; i += this.#atOnce) {
      void this.#runSome(all.slice(i, i + this.#atOnce));
    }
  }

  async #runSome(some: readonly Waiting<Task, Answer>[]): Promise<void> {
    try {
      const answers = await this.#run(some.map(({ task }) => task));
      for (const [i, { resolve }] of some.entries()) resolve(answers[i] as Answer);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
