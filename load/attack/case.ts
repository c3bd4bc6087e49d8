import { progress } from '../../bench/common/progress.ts';
import { systemTime } from '../../src/time.ts';
import { formatAchievement } from './achievement.ts';
import { ATTACKS, CASES } from './attacks.ts';
import { HealthyUsers } from './healthy-users.ts';
import { startHostile } from './hostile-process.ts';
import { type NodeUnderAttack, startNodeUnderAttack } from './node-under-attack.ts';
import { Reference } from './reference.ts';
import type { Outcome } from './verdict.ts';

/** All hostile clients come from here. */
const HOSTILE_ADDRESS = '127.0.0.2';
const UNDISTURBED_SECONDS = 5;
/** What an attack has delayed comes late. */
const SETTLE_MS = 500;
const SETTLED_MS = 2000;

export interface CaseOptions {
  seconds: number;
  /** From the end of the attack to the last reading of memory. */
  restSeconds: number;
  /** Of the hostile processes: users shall feel the node's work, not theirs. */
  niceness: number;
  /** Memory of the node; 0: no limit. */
  limitMib: number;
}

/** Puts a node of its own to the attacks of one case. */
export async function runCase(name: string, options: CaseOptions): Promise<Outcome> {
  const attacks = CASES[name] ?? [];
  const keepsWorlds = attacks.some((each) => ATTACKS[each]?.keepsWorlds);
  const node = await startNodeUnderAttack(options.limitMib);
  const reference = await Reference.start();
  try {
    const users = await HealthyUsers.join(node);
    const order = orderFor(node, options.seconds);
    const hostile = await startHostile(attacks, order, options.niceness);
    await systemTime.sleep(SETTLED_MS);
    const undisturbed = await users.measure(systemTime.sleep(UNDISTURBED_SECONDS * 1000));
    const before = node.rssBytes() ?? 0;
    const stopWatching = node.watchMemory();
    const stopProgress = progress(() => `${name}: ${formatAchievement(hostile.achieved())}`);
    const over = hostile.attack().then(() => systemTime.sleep(SETTLE_MS));
    const [met, machine] = await Promise.all([users.measure(over), reference.measure(over)]);
    await systemTime.sleep(options.restSeconds * 1000);
    stopProgress();
    const rssBytes = { before, peak: stopWatching(), after: node.rssBytes() };
    users.leave();
    return { undisturbed, met, machine, rssBytes, achieved: hostile.achieved(), keepsWorlds };
  } finally {
    await reference.stop();
    await node.stop();
  }
}

/** What hostile processes are told about a node. */
export function orderFor({ url, dealerUrl }: NodeUnderAttack, seconds: number) {
  return { twin: url.href, dealer: dealerUrl?.href ?? '', from: HOSTILE_ADDRESS, seconds };
}
