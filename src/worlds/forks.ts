import { BetweenNodes, TwinError } from '../errors.ts';
import { READ_CHANGE_TICKS } from '../limits.ts';
import { joined, withoutNumbers } from '../shard/protocol.ts';
import { countPacked, JOURNAL_MAX, lastTickOf } from '../twin/journal.ts';
import type { WorldOptions } from '../twin/world-options.ts';
import type { Asker, ForkOrder } from '../twin-service.ts';
import { pay, reloading, type WorldLoader } from './world-loader.ts';
import type { WorldParts } from './world-parts.ts';

/** The options of a world that equals this one up to a tick. See World.forkOptions. */
export async function forkOptions(
  { world, record, guard, journal, residency, shared, ticks }: WorldParts,
  loader: WorldLoader,
  { tick, changes: own }: ForkOrder,
  asker: Asker,
): Promise<WorldOptions> {
  guard.refuseInQuarantine(shared.clock.now());
  await loader.startedOver();
  const { seed, kernel, from, exact } = record;
  const now = ticks.now();
  if (tick > now) refuse(`fork.tick must be an integer up to ${now}, the current tick.`);
  if (tick < from.tick) {
    throw new TwinError('unknown_tick', `This world can be forked from tick ${from.tick} on.`);
  }
  await journal.settledUpTo(tick);
  pay(asker, journal.seq * READ_CHANGE_TICKS);
  const before = withoutNumbers(await shared.records.packedChanges(world.number, record, 0, tick));
  // Meanwhile it may have gone to another node, or have been deleted.
  if (!shared.isShown()) throw new BetweenNodes();
  if (residency.isRetired) throw reloading();
  const changes = joined([before, own]);
  const count = countPacked(changes);
  if (count > JOURNAL_MAX) {
    refuse(`The fork would have ${count} changes; a world takes at most ${JOURNAL_MAX}.`);
  }
  const origin = { from, exact };
  const { name: city } = shared.city;
  return { seed, city, startTick: lastTickOf(own) ?? tick, journal: { changes, kernel }, origin };
}

function refuse(hint: string): never {
  throw new TwinError('invalid_world_options', hint);
}
