import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemTime } from '../../src/time.ts';
import { type Achievement, noAchievement, together } from './achievement.ts';
import type { Order } from './hostile-client.ts';

const MAIN = fileURLToPath(new URL('hostile-main.ts', import.meta.url));
/** For preparations, and for a node that hangs; then the attack counts as failed. */
const PREPARATION_SECONDS_MAX = 60;
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];

/** Processes that are ready to attack together. */
export interface HostileProcesses {
  /** Resolves when all have ended. */
  attack(): Promise<void>;
  /** What they have reached together, at most a moment ago. */
  achieved(): Achievement;
}

/** Starts one process for each attack, and waits until all could begin. */
export async function startHostile(
  attacks: readonly string[],
  order: Order,
  niceness: number,
): Promise<HostileProcesses> {
  const each = await Promise.all(attacks.map((name) => startOne(name, order, niceness)));
  return {
    attack: async () => {
      await Promise.all(each.map(({ attack }) => attack()));
    },
    achieved: () => together(each.map(({ achieved }) => achieved())),
  };
}

async function startOne(name: string, order: Order, niceness: number): Promise<HostileProcesses> {
  const args = [name, JSON.stringify(order), String(niceness)];
  const child = fork(MAIN, args, { execArgv: NODE_FLAGS });
  const ended = once(child, 'exit');
  let latest = noAchievement();
  child.on('message', (achieved) => {
    latest = achieved as Achievement;
  });
  await Promise.race([once(child, 'message'), ended]);
  return {
    attack: async () => {
      if (child.connected) child.send('begin');
      const limitMs = (order.seconds + PREPARATION_SECONDS_MAX) * 1000;
      const stopTimer = systemTime.after(limitMs, () => child.kill('SIGKILL'));
      const [code] = await ended;
      stopTimer();
      if (code !== 0) latest.fault ??= 'the hostile process did not end by itself';
    },
    achieved: () => latest,
  };
}
