import { systemTime } from '../../src/time.ts';
import { processorTimeUs } from '../common/processor-time.ts';
import { median } from '../common/report.ts';
import type { Server } from '../common/server.ts';

/** Two nodes and the empty server, and how long they are measured. */
export interface Stage {
  /** Has none of the worlds that are asked for. */
  other: Server;
  /** Has all of them. */
  owner: Server;
  empty: Server;
  rounds: number;
  seconds: number;
}

/** What some processes have used while something was done. */
export interface Used {
  us: number;
  seconds: number;
}

export async function used<T>(
  servers: readonly Server[],
  work: () => Promise<T>,
): Promise<Used & { result: T }> {
  const sum = () => servers.reduce((us, { pid }) => us + processorTimeUs(pid ?? 0), 0);
  const [startMs, startUs] = [systemTime.now(), sum()];
  const result = await work();
  return { us: sum() - startUs, seconds: (systemTime.now() - startMs) / 1000, result };
}

/** Each kind once a round, so that a drift of the machine affects all. */
export async function inTurns<Kind extends string, T>(
  rounds: number,
  kinds: Readonly<Record<Kind, () => Promise<T>>>,
): Promise<Record<Kind, T>[]> {
  const found: Record<Kind, T>[] = [];
  for (let round = 0; round < rounds; round++) {
    const each: Partial<Record<Kind, T>> = {};
    for (const kind in kinds) each[kind] = await kinds[kind]();
    found.push(each as Record<Kind, T>);
  }
  return found;
}

export function medianOf<T>(rounds: readonly T[], value: (round: T) => number): number {
  return median(rounds.map(value));
}
