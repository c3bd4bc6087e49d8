import type { RewindTask, SearchAnswer, SearchTask } from '../../shard/protocol.ts';
import type { Shard } from '../../shard/shard.ts';
import type { IncidentContacts } from '../../twin/incidents.ts';

/** Ticks of each search. */
export const SEARCHED_TICKS = 10_000;

/** A shard that has cached the states before collisions from a tick on. */
export function shardOf(cachedFrom: number) {
  const rewound = new Set<number>();
  const seen = {
    /** Ticks of the collisions that were explained. */
    order: [] as number[],
    chains: [] as IncidentContacts[],
    /** On whose behalf. */
    clients: [] as string[],
    rewinds: [] as { task: RewindTask; done: () => void }[],
    /** How often the shard was told to stop. */
    stops: 0,
    /** Every search of the collision at this tick fails. */
    failingTick: -1,
  };
  const shard = {
    rewind: (task: RewindTask) =>
      new Promise<void>((resolve) => {
        const done = () => {
          for (const [{ tick }] of task.chains) rewound.add(tick);
          resolve();
        };
        seen.rewinds.push({ task, done });
      }),
    search: async ({ chain, client }: SearchTask): Promise<SearchAnswer> => {
      const [{ tick }] = chain;
      if (tick < cachedFrom && !rewound.has(tick)) return { outcome: 'missing', ticks: 0 };
      const isFailing = tick === seen.failingTick;
      if (isFailing) return { outcome: 'failed', ticks: 0, message: 'the re-run diverged' };
      seen.order.push(tick);
      seen.chains.push(chain);
      seen.clients.push(client);
      return {
        outcome: 'explained',
        ticks: SEARCHED_TICKS,
        explanation: { failures: [], reruns: 0 },
      };
    },
    stopSearches: async () => {
      seen.stops++;
    },
  } as unknown as Shard;
  return { shard, seen };
}
