import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Cancels a timer; no effect after it has fired or was cancelled. */
export type StopTimer = () => void;

/**
 * Clocks and timers. Every module gets them passed in, so that tests control the time. Only this
 * file may use the clocks and timers of the platform.
 */
export interface Time {
  /** Monotonic ms: equal in all threads; it runs on while the process is paused. */
  now(): number;
  /** Wall clock, whole ms since 1970. It may jump. */
  wallMs(): number;
  /** Ms since the machine started, including the time in which it was suspended. */
  machineUpMs(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
  /** Runs a task once, after `ms`. It does not keep the process alive. */
  after(ms: number, task: () => void): StopTimer;
  /** Runs a task every `ms`. It does not keep the process alive. */
  every(ms: number, task: () => void): StopTimer;
  /** Runs a task in the next turn of the event loop. */
  immediate(task: () => void): StopTimer;
}

export const systemTime: Time = {
  now() {
    // `performance.now` counts from the start of each thread.
    const [s, ns] = process.hrtime();
    return s * 1000 + ns / 1e6;
  },
  wallMs: () => Date.now(),
  machineUpMs: () => uptime() * 1000,
  sleep: (ms) => sleep(ms),
  after(ms, task) {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms, task) {
    const timer = setInterval(task, ms).unref();
    return () => clearInterval(timer);
  },
  immediate(task) {
    const turn = setImmediate(task);
    return () => clearImmediate(turn);
  },
};
