import { describe, expect, test } from 'vitest';
import { CHAIN_TICKS, F_ALL, F_BRAKES, FEATURE_COUNT } from '../../assembly/layout.ts';
import { Dice } from '../testing/rigs/dice.ts';
import { cars, cities, makeKernel } from '../testing/rigs/kernel.ts';
import { PushReader } from '../testing/rigs/push-reader.ts';
import { recomputed } from '../testing/rigs/recomputed-report.ts';
import { type ContactRecord, groupByIncident, INCIDENT_END_TICKS } from './contact-records.ts';
import { carTypesOf, fleetOf } from './fleet.ts';
import { type ContactFacts, incidentOf } from './incidents.ts';
import type { Incident } from './wire.ts';

const WORLDS_PER_CITY = 7;
const WORLD_TICKS = 9000;
/** What a car that still drives changes its velocity by in the tick of its first contact, m/s. */
const DRIVING_MPS = 0.2;
const ROUNDING_MPS = 0.005;

interface Lived {
  reports: Incident[];
  /** Of each car of each report: delta-v as reported, as read from the states, and at first. */
  deltas: { where: string; told: number; read: number; first: number }[];
}

/** Half of the cars have some features off; every third of these has no brakes. */
function masksOf(dice: Dice): number[] {
  return cars.map(() => {
    if (dice.below(2) === 0) return F_ALL;
    const off = dice.below(1 << FEATURE_COUNT) | (dice.below(3) === 0 ? F_BRAKES : 0);
    return F_ALL & ~off;
  });
}

const kernel = makeKernel(1);

function live(cityIndex: number, seed: number): Lived {
  const slab = kernel.acquire() ?? 0;
  const masks = masksOf(new Dice(seed));
  kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed), masks });
  const reader = new PushReader(kernel.view(slab));
  const records: ContactRecord[] = [];
  while (kernel.tick(slab) < WORLD_TICKS) {
    const seen = kernel.contactCount(slab);
    reader.beforeTick();
    kernel.step(slab, 1);
    reader.afterTick(kernel.tick(slab));
    records.push(...kernel.records(slab, seen));
  }
  kernel.release(slab);
  const chains = groupByIncident(records).filter(
    (chain) => (chain.at(-1)?.tick ?? 0) + INCIDENT_END_TICKS <= WORLD_TICKS,
  );
  const fleet = fleetOf(seed, seed);
  const { hazards } = cities.cities[cityIndex] ?? { hazards: [] };
  const context = { worldId: 'w', fleet, hazards, place: { road: 'r', street: 's' } };
  const all = chains.flat();
  return chains.reduce<Lived>(
    ({ reports, deltas }, chain) => {
      const report = incidentOf(chain, context);
      const more = report.vehicles.map(({ vin, delta_v: told }) => {
        const car = fleet.findIndex((entry) => entry.vin === vin);
        const { read, first } = readDelta(reader, car, chain, all);
        return { where: `${cityIndex} ${seed} ${report.id} car ${car}`, told, read, first };
      });
      return { reports: [...reports, report], deltas: [...deltas, ...more] };
    },
    { reports: [], deltas: [] },
  );
}

/** From the ticks of a car's contacts, and its states. */
function readDelta(
  reader: PushReader,
  car: number,
  chain: readonly ContactFacts[],
  all: readonly ContactFacts[],
) {
  const hasCar = ({ parties }: ContactFacts) => parties.some((party) => party.car === car);
  const own = chain.filter(hasCar);
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a car has a contact');
  const next = all.filter((each) => hasCar(each) && !own.includes(each) && each.tick > last.tick);
  const end = Math.min(...next.map(({ tick }) => tick), Number.POSITIVE_INFINITY);
  const until = last.tick + CHAIN_TICKS - 1;
  const told = first.parties.find((party) => party.car === car)?.deltaVMps ?? 0;
  return { read: reader.greatestPulse(car, first.tick, until, end), first: told };
}

describe('reports of worlds with random features off', () => {
  const worlds = cities.cities.flatMap((_, cityIndex) =>
    Array.from({ length: WORLDS_PER_CITY }, (__, i) => live(cityIndex, 7000 + i)),
  );
  const reports = worlds.flatMap((world) => world.reports);

  test('[I40] tell all that is needed to compute again what they have earned, to the last digit', () => {
    expect(reports.length).toBeGreaterThanOrEqual(200);
    for (const report of reports) expect(recomputed(report)).toEqual(report.earned);
    const kinds = new Set(reports.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['vehicle', 'person', 'animal', 'obstacle', 'building']));
    const severities = new Set(reports.map(({ earned }) => earned.severity));
    expect(severities).toEqual(new Set(['slight', 'serious', 'severe']));
  });

  test('[I41] tell the delta-v of every car as its states show it', () => {
    const deltas = worlds.flatMap((world) => world.deltas);
    expect(deltas.length).toBeGreaterThan(reports.length);
    const wrong = deltas.filter(
      ({ told, read }) => Math.abs(told - read) > DRIVING_MPS + ROUNDING_MPS,
    );
    // A pulled car that is struck loses the pull in the same moment.
    expect(wrong.length).toBeLessThanOrEqual(deltas.length / 100);
    const grown = deltas.filter(({ told, first }) => told > first + 0.5);
    expect(grown.length).toBeGreaterThan(5);
  });
});
