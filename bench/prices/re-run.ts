/** The price of a tick in the re-runs of a search, which also measure how close the parties come. */
import { CAR_COUNT } from '../../assembly/layout.ts';
import { at } from '../../src/city/geometry.ts';
import { LEAD_TICKS_MAX } from '../../src/limits.ts';
import { CounterfactualRunner } from '../../src/shard/counterfactual/counterfactual-runner.ts';
import { Rewind } from '../../src/shard/counterfactual/rewind.ts';
import { groupByIncident, INCIDENT_END_TICKS } from '../../src/twin/contact-records.ts';
import type { IncidentContacts } from '../../src/twin/incidents.ts';
import { median } from '../common/report.ts';
import { processorMs } from '../processor.ts';
import { cities, drive, kernel, RECKLESS_TICKS, recklessSlab } from './reckless-world.ts';

const SEARCHES = 12;

/** Median µs over some searches. */
export async function rerunTick(): Promise<number> {
  const chains = groupByIncident(drive(RECKLESS_TICKS)).filter(
    (chain) =>
      chain[0].tick > LEAD_TICKS_MAX &&
      (chain.at(-1)?.tick ?? 0) + INCIDENT_END_TICKS < RECKLESS_TICKS &&
      chain.length < CAR_COUNT,
  );
  return median(chains.slice(-SEARCHES).map(usPerTick));
}

function usPerTick(chain: IncidentContacts): number {
  const slab = recklessSlab();
  try {
    const from = chain[0].tick - LEAD_TICKS_MAX;
    while (kernel.tick(slab) < from) kernel.step(slab, from - kernel.tick(slab));
    const image = kernel.image(slab);
    const rewind = new Rewind(kernel, slab);
    const runner = new CounterfactualRunner(
      rewind,
      { image, changes: [] },
      chain,
      at(cities.tables, 0),
    );
    const ms = processorMs(() => {
      for (const _ of runner.explain());
    });
    return (ms * 1000) / rewind.stepped;
  } finally {
    kernel.release(slab);
  }
}
