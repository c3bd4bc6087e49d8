import { LEAD_TICKS_MAX } from '../limits.ts';
import type { RewindTask, WorldPast } from '../shard/protocol.ts';
import type { IncidentContacts } from '../twin/incidents.ts';
import type { WorldParts } from './world-parts.ts';

/** A rewind, and the chains whose states it puts in the rewind cache. */
interface PlannedRewind {
  past: WorldPast;
  chains: readonly IncidentContacts[];
  /** How many ticks it steps. */
  ticks: number;
}

/**
 * Plans a rewind up to the newest of some chains. If it starts at a stored image, it covers only the
 * chains after the image.
 */
export async function planRewind(
  { world, record, ladder, shared }: WorldParts,
  chains: readonly IncidentContacts[],
  trustImage: boolean,
): Promise<PlannedRewind> {
  const newestTick = Math.max(...chains.map(([{ tick }]) => tick)) - LEAD_TICKS_MAX;
  const image = trustImage ? await ladder.nearest(newestTick) : undefined;
  const past = await shared.records.pastFrom(world.number, record, image);
  const startTick = (past.image ?? past.from).tick;
  const isCovered = ([{ tick }]: IncidentContacts) => startTick <= tick - LEAD_TICKS_MAX;
  return {
    past,
    chains: past.image === undefined ? chains : chains.filter(isCovered),
    ticks: newestTick + LEAD_TICKS_MAX - startTick,
  };
}

/** Rejects with TwinError if the shard fails, with another error if the re-run fails. */
export function runRewind(
  { world, shared: { shard, cityIndex } }: WorldParts,
  { past, chains }: PlannedRewind,
  order: Pick<RewindTask, 'client' | 'completeTick' | 'background'>,
): Promise<void> {
  return shard.rewind({ ...order, world: world.number, cityIndex, past, chains });
}
