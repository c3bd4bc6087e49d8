import type { Bound } from './common/figures.ts';
import { median } from './common/report.ts';
import type { Server } from './common/server.ts';
import { type Drive, drive, hasWrk, type Request } from './wrk.ts';

const ROUNDS = 3;
const ROUND_S = 2;
const WARM_UP_S = 1;

/** Requests for the node, and for the empty server. */
export interface Case {
  name: string;
  requests: readonly Request[];
  empty: readonly Request[];
  bound?: Bound;
}

export interface Summary {
  own: Drive;
  reference: { name: string; value: number };
  /** Median of `beside`. */
  beside: number;
}

/** The servers and `beside` take turns, so that a drift of the machine affects all. Medians. */
export async function measure(
  each: Case,
  node: URL,
  { url: empty }: Server,
  beside: () => Promise<number> = async () => 0,
): Promise<Summary> {
  const useWrk = hasWrk();
  const others: number[] = [];
  const measured: Record<'own' | 'empty', Drive[]> = { own: [], empty: [] };
  await drive(useWrk, node, each.requests, WARM_UP_S);
  await drive(useWrk, empty, each.empty, WARM_UP_S);
  for (let round = 0; round < ROUNDS; round += 1) {
    measured.own.push(await drive(useWrk, node, each.requests, ROUND_S));
    measured.empty.push(await drive(useWrk, empty, each.empty, ROUND_S));
    others.push(await beside());
  }
  return {
    own: {
      perS: median(measured.own.map(({ perS }) => perS)),
      p99Ms: median(measured.own.map(({ p99Ms }) => p99Ms)),
    },
    reference: {
      name: 'empty uWebSockets.js',
      value: median(measured.empty.map(({ perS }) => perS)),
    },
    beside: median(others),
  };
}
