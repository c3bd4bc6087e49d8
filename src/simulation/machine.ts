import type { StopTimer, Time } from '../time.ts';
import type { Chance } from './chance.ts';
import type { Macrotask, Macrotasks, Runner } from './macrotasks.ts';

/** Node.js counts in whole ms from a time that it read earlier: a timer may fire too early by this. */
const EARLY_MS = 0.9;
const ROUNDING_MS = 0.001;

export interface MachineClocks {
  /** Of the monotonic clock, at virtual time 0. */
  startMs: number;
  /** How much faster than virtual time the clocks run, per million. */
  driftPpm: number;
  /** Of the wall clock, ms since 1970, at virtual time 0. */
  wallMs: number;
  /** Timers fire late by up to this. */
  lateMsMax: number;
}

/** The clocks of one machine, which all its threads share. */
export class Machine {
  readonly macrotasks: Macrotasks;
  readonly chance: Chance;
  readonly lateMsMax: number;
  readonly #clocks: MachineClocks;
  readonly #rate: number;
  readonly #threads = new Set<Thread>();
  #suspendedMs = 0;
  /** How many of its halts suspend it. */
  #suspensions = 0;
  #suspendedFromMs = 0;
  #wallAheadMs = 0;
  readonly #halts = new Set<() => void>();

  constructor(macrotasks: Macrotasks, clocks: MachineClocks, chance: Chance) {
    this.macrotasks = macrotasks;
    this.chance = chance;
    this.#clocks = clocks;
    this.lateMsMax = clocks.lateMsMax;
    this.#rate = 1 + clocks.driftPpm / 1e6;
  }

  makeThread(): Thread {
    const thread = new Thread(this);
    if (this.#halts.size > 0) thread.pause();
    this.#threads.add(thread);
    return thread;
  }

  /** Its monotonic clock. */
  nowMs(): number {
    const { startMs } = this.#clocks;
    return startMs + (this.macrotasks.nowMs - this.#suspendedMs) * this.#rate;
  }

  /** The virtual time at which its monotonic clock shows this. */
  virtualMs(nowMs: number): number {
    return (nowMs - this.#clocks.startMs) / this.#rate + this.#suspendedMs;
  }

  wallMs(): number {
    return Math.floor(this.#clocks.wallMs + this.macrotasks.nowMs * this.#rate + this.#wallAheadMs);
  }

  upMs(): number {
    return this.#clocks.startMs + this.macrotasks.nowMs * this.#rate;
  }

  jumpWall(ms: number): void {
    this.#wallAheadMs += ms;
  }

  /**
   * All its threads stand still until the result is called. `isSuspended`: its monotonic clock as well.
   */
  halt(isSuspended: boolean): () => void {
    const resume = () => {
      if (!this.#halts.delete(resume)) return;
      if (isSuspended) this.#goOn();
      if (this.#halts.size > 0) return;
      for (const thread of this.#threads) thread.resume();
    };
    this.#halts.add(resume);
    if (isSuspended) this.#suspend();
    for (const thread of this.#threads) thread.pause();
    return resume;
  }

  #suspend(): void {
    if (this.#suspensions === 0) this.#suspendedFromMs = this.macrotasks.nowMs;
    this.#suspensions += 1;
  }

  /** The clock stands still once, however often it was suspended at a time. */
  #goOn(): void {
    this.#suspensions -= 1;
    if (this.#suspensions > 0) return;
    this.#suspendedMs += this.macrotasks.nowMs - this.#suspendedFromMs;
  }

  /** Whatever halts it ends. */
  resume(): void {
    for (const resume of this.#halts) resume();
  }

  /** All its threads end. */
  crash(): void {
    for (const thread of this.#threads) thread.end();
  }

  forget(thread: Thread): void {
    this.#threads.delete(thread);
  }
}

/** One thread of JavaScript: it runs its macrotasks one by one, unless it is paused or has ended. */
export class Thread implements Runner {
  readonly time: Time;
  readonly #machine: Machine;
  #waiting: Macrotask[] = [];
  #isPaused = false;
  #hasEnded = false;
  /** Stands still until this virtual time. */
  #blockedUntilMs = 0;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.time = timeOf(this, machine);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get virtualMs(): number {
    return this.#machine.macrotasks.nowMs;
  }

  ready(task: Macrotask): 'run' | 'wait' | 'drop' {
    if (this.#hasEnded) return 'drop';
    if (this.#isPaused) {
      this.#waiting.push(task);
      return 'wait';
    }
    const { macrotasks } = this.#machine;
    if (macrotasks.nowMs >= this.#blockedUntilMs) return 'run';
    macrotasks.addAgain(task, this.#blockedUntilMs);
    return 'wait';
  }

  /** Runs a task after so much virtual time. */
  add(delayMs: number, run: () => void): Macrotask {
    const { macrotasks } = this.#machine;
    return macrotasks.add(macrotasks.nowMs + delayMs, run, this);
  }

  /** As if it worked on something for so long. */
  block(ms: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, this.#machine.macrotasks.nowMs + ms);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    const { macrotasks } = this.#machine;
    for (const task of this.#waiting.splice(0)) macrotasks.addAgain(task, macrotasks.nowMs);
  }

  end(): void {
    this.#hasEnded = true;
    this.#waiting = [];
    this.#machine.forget(this);
  }

  /** As `Time.after`. */
  after(ms: number, task: () => void): StopTimer {
    return this.#timer(ms, task, () => {});
  }

  /** As `Time.every`. */
  every(ms: number, task: () => void): StopTimer {
    return this.#timer(ms, task, (arm) => arm());
  }

  /** Runs a task when it is due. `again`: called just before, with what has it due anew. */
  #timer(ms: number, task: () => void, again: (arm: () => void) => void): StopTimer {
    const machine = this.#machine;
    const { macrotasks } = machine;
    let dueMs = this.#dueMs(ms);
    const arm = () => {
      dueMs = this.#dueMs(ms);
      macrotasks.addAgain(entry, machine.virtualMs(dueMs));
    };
    const run = () => {
      // The machine was suspended meanwhile, with its clock.
      if (machine.nowMs() < dueMs - ROUNDING_MS) {
        macrotasks.addAgain(entry, machine.virtualMs(dueMs));
        return;
      }
      again(arm);
      task();
    };
    const entry = macrotasks.add(machine.virtualMs(dueMs), run, this);
    return () => {
      entry.run = undefined;
    };
  }

  /** When a timer of so many ms fires, by the monotonic clock. */
  #dueMs(ms: number): number {
    const { chance, lateMsMax } = this.#machine;
    const wholeMs = Math.max(1, Math.trunc(ms));
    const offMs = Math.max(-wholeMs, chance.between(-EARLY_MS, lateMsMax));
    return this.#machine.nowMs() + wholeMs + offMs;
  }
}

function timeOf(thread: Thread, machine: Machine): Time {
  return {
    now: () => machine.nowMs(),
    wallMs: () => machine.wallMs(),
    machineUpMs: () => machine.upMs(),
    sleep: (ms) =>
      new Promise((resolve) => {
        thread.after(ms, resolve);
      }),
    after: (ms, task) => thread.after(ms, task),
    every: (ms, task) => thread.every(ms, task),
    immediate(task) {
      const entry = thread.add(0, task);
      return () => {
        entry.run = undefined;
      };
    },
  };
}
