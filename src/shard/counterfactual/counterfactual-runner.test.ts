import { expect, test } from 'vitest';
import { CAR_COUNT, F_ALL, F_BRAKES, F_STEERING } from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import { cities, makeKernel, recordsUntil } from '../../testing/rigs/kernel.ts';
import { groupByIncident, INCIDENT_END_TICKS } from '../../twin/contact-records.ts';
import { deltaVOf } from '../../twin/explanation.ts';
import { carTypesOf } from '../../twin/fleet.ts';
import type { IncidentContacts } from '../../twin/incidents.ts';
import { CounterfactualRunner } from './counterfactual-runner.ts';
import { carsOf, untilTick } from './counterfactual-search.ts';
import { Rewind, type Slices } from './rewind.ts';

const TICKS = 12_000;
const INCIDENTS = 40;

function resultOf<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

test('[I15] a re-run as it was has the delta-v of the report, with all that wrecks did', () => {
  const kernel = makeKernel(2);
  const [slab, scratch] = [kernel.acquire() ?? 0, kernel.acquire() ?? 0];
  const masks = Array.from({ length: CAR_COUNT }, () => F_ALL & ~(F_BRAKES | F_STEERING));
  kernel.create(slab, { cityIndex: 0, seed: 108, carTypes: carTypesOf(108), masks });
  const image = kernel.image(slab);
  const records = recordsUntil(kernel, slab, TICKS);
  const chains = groupByIncident(records).filter(
    (chain) => (chain.at(-1)?.tick ?? 0) <= untilTick(chain) - INCIDENT_END_TICKS / 2,
  );
  const isGrown = (chain: IncidentContacts) =>
    chain.some((contact) =>
      records.some(
        (each) =>
          !('crashPulse' in each) &&
          each.tick === contact.tick &&
          each.order === contact.order &&
          deltaVOf([contact]) > deltaVOf([each]) + 0.5,
      ),
    );
  const grown = chains.filter(isGrown).slice(0, INCIDENTS);
  expect(grown.length).toBeGreaterThan(3);
  const rewind = new Rewind(kernel, scratch);
  for (const chain of grown) {
    const start = { image, changes: [] };
    const runner = new CounterfactualRunner(rewind, start, chain, at(cities.tables, 0));
    const startTick = at(resultOf(runner.findStarts()), 0);
    const { contacts } = resultOf(runner.run({ startTick, on: new Map() }));
    const again = contacts.filter(
      ({ chainTick, chainOrder }) => chainTick === chain[0].tick && chainOrder === chain[0].order,
    );
    for (const car of carsOf(chain)) expect(deltaVOf(again, car)).toBe(deltaVOf(chain, car));
  }
});
