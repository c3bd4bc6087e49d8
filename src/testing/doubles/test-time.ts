import { type StopTimer, systemTime, type Time } from '../../time.ts';

interface Timer {
  dueMs: number;
  /** Between two firings; undefined for a timer that fires once. */
  everyMs: number | undefined;
  task: () => void;
}

/**
 * Time that a test moves. `standing` time passes only by `advance`; `running` time passes by itself
 * as well, for tests that talk to real sockets, threads and processes. Timers fire in order of
 * their due time. Turns of the event loop are real in both.
 */
export class TestTime implements Time {
  readonly #runs: boolean;
  /** Whole, so that sums of whole durations are exact. */
  readonly #startMs = Math.ceil(systemTime.now());
  #wallStartMs: number;
  #skippedMs = 0;
  #suspendedMs = 0;
  #timers: Timer[] = [];
  #disarm: StopTimer = () => {};

  private constructor(runs: boolean, wallStartMs: number) {
    this.#runs = runs;
    this.#wallStartMs = wallStartMs;
  }

  static standing(wallStartMs = 0): TestTime {
    return new TestTime(false, wallStartMs);
  }

  static running(wallStartMs = systemTime.wallMs()): TestTime {
    return new TestTime(true, wallStartMs);
  }

  now(): number {
    const passedMs = this.#runs ? systemTime.now() - this.#startMs : 0;
    return this.#startMs + passedMs + this.#skippedMs;
  }

  wallMs(): number {
    return Math.floor(this.#wallStartMs + this.now() - this.#startMs);
  }

  machineUpMs(): number {
    return this.now() + this.#suspendedMs;
  }

  /** The wall clock is set, or has gone on while the machine slept. */
  jumpWall(ms: number): void {
    this.#wallStartMs += ms;
  }

  /** The machine sleeps: nothing passes but the time since it started. */
  suspend(ms: number): void {
    this.#suspendedMs += ms;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  after(ms: number, task: () => void): StopTimer {
    return this.#add({ dueMs: this.now() + ms, everyMs: undefined, task });
  }

  every(ms: number, task: () => void): StopTimer {
    return this.#add({ dueMs: this.now() + ms, everyMs: ms, task });
  }

  immediate(task: () => void): StopTimer {
    return systemTime.immediate(task);
  }

  /** Moves time on. What is due fires in order, each after the promises of the one before. */
  async advance(ms: number): Promise<void> {
    const endMs = this.now() + ms;
    for (let next = this.#next(); next && next.dueMs <= endMs; next = this.#next()) {
      this.#skippedMs += Math.max(0, next.dueMs - this.now());
      this.#fire(next);
      await nextTurn();
    }
    this.#skippedMs += Math.max(0, endMs - this.now());
    this.#arm();
    await nextTurn();
  }

  /** Moves time on in small steps until a promise has settled. */
  async advanceUntil<T>(outcome: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    outcome.then(settle, settle);
    while (!isSettled) await this.advance(10);
    return outcome;
  }

  /**
   * Moves time on at once, as if the process had been paused: what fell due meanwhile fires once.
   * To be used where threads work beside it, whose heartbeats cannot be as many as the time's.
   */
  async jump(ms: number): Promise<void> {
    this.#skippedMs += ms;
    for (let next = this.#next(); next && next.dueMs <= this.now(); next = this.#next()) {
      this.#fire(next);
      await nextTurn();
    }
    this.#arm();
  }

  #next(): Timer | undefined {
    return this.#timers.reduce<Timer | undefined>(
      (first, timer) => (first === undefined || timer.dueMs < first.dueMs ? timer : first),
      undefined,
    );
  }

  #add(timer: Timer): StopTimer {
    this.#timers.push(timer);
    this.#arm();
    return () => this.#remove(timer);
  }

  #remove(timer: Timer): void {
    this.#timers = this.#timers.filter((each) => each !== timer);
  }

  #fire(timer: Timer): void {
    if (timer.everyMs === undefined) this.#remove(timer);
    else timer.dueMs = Math.max(timer.dueMs, this.now()) + timer.everyMs;
    timer.task();
  }

  #arm(): void {
    this.#disarm();
    const next = this.#next();
    if (!this.#runs || next === undefined) return;
    this.#disarm = systemTime.after(Math.max(0, next.dueMs - this.now()), () => {
      if (next.dueMs <= this.now() && this.#timers.includes(next)) this.#fire(next);
      this.#arm();
    });
  }
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    systemTime.immediate(resolve);
  });
}
