import { systemTime } from '../time.ts';

/** Whoever runs tasks. While it does not, they wait. */
export interface Runner {
  /** `run`: at once; `wait`: it takes the task to run it later; `drop`: never. */
  ready(task: Macrotask): 'run' | 'wait' | 'drop';
}

export interface Macrotask {
  atMs: number;
  order: number;
  readonly runner: Runner | undefined;
  /** It lets no promise go on, so the next task may follow at once. */
  readonly isPlain: boolean;
  /** Undefined after it was cancelled. */
  run: (() => void) | undefined;
}

/** Tasks that are handed to the event loop of Node.js at a time. */
const AT_ONCE = 256;

/**
 * The only source of macrotasks in a simulation: one queue, ordered by virtual time. After each task all
 * promises that can go on do so, in the order that V8 fixes. So a run depends on nothing but its seed.
 */
export class Macrotasks {
  /** Virtual time, ms. */
  nowMs = 0;
  /** How many tasks have run. */
  count = 0;
  readonly #heap: Macrotask[] = [];
  #order = 0;

  add(atMs: number, run: () => void, runner?: Runner): Macrotask {
    return this.#add(atMs, run, runner, false);
  }

  /** As `add`, of a task that lets no promise go on. */
  addPlain(atMs: number, run: () => void): Macrotask {
    return this.#add(atMs, run, undefined, true);
  }

  #add(atMs: number, run: () => void, runner: Runner | undefined, isPlain: boolean): Macrotask {
    const order = ++this.#order;
    const task = { atMs: Math.max(atMs, this.nowMs), order, runner, isPlain, run };
    this.#push(task);
    return task;
  }

  /** Adds a task again that had to wait. */
  addAgain(task: Macrotask, atMs: number): void {
    task.atMs = Math.max(atMs, this.nowMs);
    task.order = ++this.#order;
    this.#push(task);
  }

  /** Runs tasks until `isDone`, which is asked after each of them. Rejects with what a task throws. */
  run(isDone: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (settle: () => void) => {
        isOver = true;
        settle();
      };
      const step = () => {
        if (isOver) return;
        try {
          while (!isDone()) if (!this.#runNext().isPlain) return;
          end(resolve);
        } catch (error) {
          end(() => reject(error));
        }
      };
      // Node.js runs the promises of each immediate before the next one.
      const pump = () => {
        if (isOver) return;
        for (let i = 0; i < AT_ONCE; i++) systemTime.immediate(step);
        systemTime.immediate(pump);
      };
      pump();
    });
  }

  #runNext(): Macrotask {
    for (;;) {
      const task = this.#pop();
      if (task === undefined) throw new Error('a simulation without tasks stands still');
      if (task.run === undefined) continue;
      this.nowMs = task.atMs;
      const what = task.runner?.ready(task) ?? 'run';
      if (what !== 'run') continue;
      this.count++;
      task.run();
      return task;
    }
  }

  // ── a binary heap ───────────────────────────────────────────────────────────────────────────

  #push(task: Macrotask): void {
    const heap = this.#heap;
    let i = heap.length;
    heap.push(task);
    while (i > 0) {
      const parent = (i - 1) >>> 1;
      const above = heap[parent] as Macrotask;
      if (isBefore(above, task)) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = task;
  }

  #pop(): Macrotask | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Macrotask)) child++;
      const below = heap[child] as Macrotask;
      if (isBefore(last, below)) break;
      heap[i] = below;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(a: Macrotask, b: Macrotask): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
