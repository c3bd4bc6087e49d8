import { CounterfactualRunner } from '../../src/shard/counterfactual/counterfactual-runner.ts';
import { Rewind } from '../../src/shard/counterfactual/rewind.ts';
import type { StateImage } from '../../src/shard/protocol.ts';
import { COMPARED_END_TICKS, INCIDENT_END_TICKS } from '../../src/twin/contact-records.ts';
import type { Explanation } from '../../src/twin/explanation.ts';
import type { IncidentContacts } from '../../src/twin/incidents.ts';
import type { NumberedChange } from '../../src/twin/journal.ts';
import type { CityModel } from './city-model.ts';
import { inSlices, type Platform } from './platform.ts';

/** The tick from which on nothing can join an incident, and all that its re-runs need has happened. */
export function endOf(chain: IncidentContacts): number {
  const [first] = chain;
  const last = chain.at(-1) ?? first;
  return Math.max(first.tick + COMPARED_END_TICKS, last.tick + INCIDENT_END_TICKS);
}

/**
 * Runs the seconds before a collision again, as a node does, in a slab of its own. Other tasks run
 * meanwhile. Rejects with DivergedRun if the collision does not happen again.
 * @param image LEAD_TICKS_MAX before the collision or earlier
 */
export async function explain(
  model: CityModel,
  chain: IncidentContacts,
  { bytes }: StateImage,
  journal: readonly NumberedChange[],
  platform: Platform,
): Promise<Explanation> {
  const leased = model.slabs.lease();
  try {
    const endTick = chain[0].tick + COMPARED_END_TICKS;
    const start = { image: bytes, changes: journal.filter(({ tick }) => tick <= endTick) };
    const rewind = new Rewind(leased.kernel, leased.slab);
    const runner = new CounterfactualRunner(rewind, start, chain, model.table);
    return await inSlices(runner.explain(), platform);
  } finally {
    leased.release();
  }
}
