import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemTime } from '../../src/time.ts';
import { type Achievement, noAchievement, together } from './achievement.ts';
import type { Order } from './hostile-client.ts';

const MAIN = fileURLToPath(new URL('hostile-main.ts', import.meta.url));
/** What a hostile process sends once it has prepared. All else that it sends is an achievement. */
export const PREPARED = 'prepared';
const PREPARATION_SECONDS_MAX = 60;
/** After its time a process ends at once; on a busy machine later. */
const ENDING_SECONDS_MAX = 40;
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];

/** Processes that attack together. */
export interface HostileProcesses {
  /** Prepares one after the other: they share a budget. Then all attack. Resolves when all have ended. */
  attack(): Promise<void>;
  /** What they have reached together, at most a moment ago. */
  achieved(): Achievement;
}

interface HostileProcess {
  /** Resolves once it has prepared or failed. */
  prepare(): Promise<void>;
  attack(): Promise<void>;
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
      for (const { prepare } of each) await prepare();
      await Promise.all(each.map(({ attack }) => attack()));
    },
    achieved: () => together(each.map(({ achieved }) => achieved())),
  };
}

async function startOne(name: string, order: Order, niceness: number): Promise<HostileProcess> {
  const args = [name, JSON.stringify(order), String(niceness)];
  const child = fork(MAIN, args, { execArgv: NODE_FLAGS });
  const ended = once(child, 'exit');
  const prepared = Promise.withResolvers<void>();
  let latest = noAchievement();
  child.on('message', (told) => {
    if (told === PREPARED) prepared.resolve();
    else latest = told as Achievement;
  });
  await Promise.race([once(child, 'message'), ended]);
  const tell = (message: string) => {
    if (child.connected) child.send(message);
  };
  /** Waits for an event. If it does not come in time, the process is killed. */
  const within = async (seconds: number, event: Promise<unknown>, fault: string) => {
    const stopTimer = systemTime.after(seconds * 1000, () => {
      latest.fault ??= fault;
      child.kill('SIGKILL');
    });
    await Promise.race([event, ended]);
    stopTimer();
  };
  return {
    prepare: async () => {
      tell('prepare');
      await within(PREPARATION_SECONDS_MAX, prepared.promise, 'it could not prepare in time');
    },
    attack: async () => {
      tell('attack');
      const fault = 'the hostile process did not end by itself';
      await within(order.seconds + ENDING_SECONDS_MAX, ended, fault);
    },
    achieved: () => latest,
  };
}
