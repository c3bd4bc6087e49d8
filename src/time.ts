import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ends a timer; harmless once it has fired or ended. */
export type StopTimer = () => void;

/**
 * Passing time. It is handed in wherever a part of the program waits or measures, so that tests
 * decide how fast it passes. Only this file may use timers and clocks of the platform.
 */
export interface Time {
  /** Monotonic ms: the same reading in every thread, running on while the process is paused. */
  now(): number;
  /** Wall clock, whole ms since 1970. It may jump. */
  wallMs(): number;
  /** Ms since the machine started, time in which it was suspended included. */
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
