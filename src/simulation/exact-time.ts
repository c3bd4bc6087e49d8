import type { Time } from '../time.ts';
import type { Macrotasks } from './macrotasks.ts';

/**
 * Virtual time itself, with timers that fire when they are due: of what is no node. Their tasks let no promise
 * go on, as servers and ways between machines need none.
 */
export function exactTime(macrotasks: Macrotasks, wallStartMs: number): Time {
  const after = (ms: number, task: () => void) => {
    const entry = macrotasks.addPlain(macrotasks.nowMs + ms, task);
    return () => {
      entry.run = undefined;
    };
  };
  return {
    now: () => macrotasks.nowMs,
    wallMs: () => Math.floor(wallStartMs + macrotasks.nowMs),
    machineUpMs: () => macrotasks.nowMs,
    sleep: (ms) =>
      new Promise((resolve) => {
        macrotasks.add(macrotasks.nowMs + ms, resolve);
      }),
    after,
    every(ms, task) {
      let stop = () => {};
      const arm = () => {
        stop = after(ms, () => {
          arm();
          task();
        });
      };
      arm();
      return () => stop();
    },
    immediate: (task) => after(0, task),
  };
}
