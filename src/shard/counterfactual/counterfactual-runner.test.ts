import { expect, test } from 'vitest';
import {
  CHAIN_TICKS,
  F_AEB,
  F_ALL,
  F_BRAKES,
  F_ESC,
  F_STEERING,
} from '../../../assembly/layout.ts';
import { at } from '../../city/geometry.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { IMAGE_TICKS, LEAD_TICKS_MAX } from '../../limits.ts';
import { cars, cities, makeKernel, recordsUntil } from '../../testing/rigs/kernel.ts';
import {
  COMPARED_END_TICKS,
  type ContactRecord,
  groupByIncident,
  INCIDENT_END_TICKS,
  settledChain,
} from '../../twin/contact-records.ts';
import { deltaVOf } from '../../twin/explanation.ts';
import { carTypesOf } from '../../twin/fleet.ts';
import type { ContactFacts, IncidentContacts } from '../../twin/incidents.ts';
import { CounterfactualRunner } from './counterfactual-runner.ts';
import { carsOf, contactsBetween, untilTick } from './counterfactual-search.ts';
import { Rewind, type Slices } from './rewind.ts';

const TICKS = 12_000;
const BOTH = F_BRAKES | F_STEERING;
/**
 * In the first two a car has its greatest crash pulse later than INCIDENT_END_TICKS after the first
 * contact, as in about one of 600 incidents. `off`: for one car after the other.
 */
const OFF = [F_STEERING, BOTH, F_AEB | F_ESC, F_BRAKES | F_ESC, F_BRAKES] as const;
const WORLDS = [
  { cityIndex: 2, seed: 1202, off: OFF },
  { cityIndex: 2, seed: 1214, off: OFF },
  { cityIndex: 1, seed: 1201, off: OFF },
] as const;
/** As in a search. */
const MILDER_SHARE = 0.7;

interface Past {
  images: { tick: number; image: Uint8Array }[];
  records: ContactRecord[];
}

function live(kernel: Kernel, slab: number): Past {
  const past: Past = { images: [], records: [] };
  for (let tick = 0; tick < TICKS; tick += IMAGE_TICKS) {
    past.images.push({ tick, image: kernel.image(slab) });
    past.records.push(...recordsUntil(kernel, slab, tick + IMAGE_TICKS));
  }
  return past;
}

function resultOf<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

const isOf =
  ([{ tick, order }]: IncidentContacts) =>
  ({ chainTick, chainOrder }: ContactRecord): boolean =>
    chainTick === tick && chainOrder === order;

const contactsOf = (records: readonly ContactRecord[]) =>
  records.filter((each) => !('crashPulse' in each));

/** The contacts that count, by some of the records of a world. */
function countedIn(records: readonly ContactRecord[], chain: IncidentContacts): ContactFacts[] {
  return settledChain(records.filter(isOf(chain))).filter(({ tick }) => tick <= untilTick(chain));
}

/** The delta-v of each car of a chain. */
const deltasOf = (chain: IncidentContacts, contacts: readonly ContactFacts[]): number[] =>
  carsOf(chain).map((car) => deltaVOf(contacts, car));

test('[I14] parties that still approach each other two seconds later are observed until they do not', () => {
  const kernel = makeKernel(2);
  const [slab, scratch] = [kernel.acquire() ?? 0, kernel.acquire() ?? 0];
  const rewind = new Rewind(kernel, scratch);
  let [approaching, later] = [0, 0];
  for (const { cityIndex, seed, off } of WORLDS) {
    const masks = cars.map((car) => F_ALL & ~at(off, car % off.length));
    kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed), masks });
    const { images, records } = live(kernel, slab);
    const chains = groupByIncident(records);
    for (const chain of chains.filter(([{ tick }]) => tick + COMPARED_END_TICKS < TICKS)) {
      const before = images.findLast(({ tick }) => tick <= chain[0].tick - LEAD_TICKS_MAX);
      const { image } = before ?? at(images, 0);
      const start = { image, changes: [] };
      const runner = new CounterfactualRunner(rewind, start, chain, at(cities.tables, cityIndex));
      const startTick = at(resultOf(runner.findStarts()), 0);
      for (const mask of [F_ALL, F_BRAKES, F_AEB, F_STEERING]) {
        const on = new Map(carsOf(chain).map((car) => [car, mask]));
        const { contacts, nearest, collidesLater } = resultOf(runner.run({ startTick, on }));
        const isAvoided = contactsBetween(chain, contacts).length === 0;
        if (nearest.some(({ atEnd }) => atEnd) && isAvoided) approaching++;
        if (!collidesLater) continue;
        later++;
        expect([isAvoided, rewind.tick]).toEqual([true, untilTick(chain) + CHAIN_TICKS]);
      }
    }
  }
  expect(approaching).toBeGreaterThan(10);
  expect(later).toBeGreaterThan(0);
  expect(later).toBeLessThan(approaching);
});

test('[I15] a re-run as it was has the delta-v of the report, with all that wrecks did', () => {
  const kernel = makeKernel(2);
  const [slab, scratch] = [kernel.acquire() ?? 0, kernel.acquire() ?? 0];
  const rewind = new Rewind(kernel, scratch);
  let [grown, late, milder, long] = [0, 0, 0, 0];
  for (const { cityIndex, seed, off } of WORLDS) {
    const masks = cars.map((car) => F_ALL & ~at(off, car % off.length));
    kernel.create(slab, { cityIndex, seed, carTypes: carTypesOf(seed), masks });
    const { images, records } = live(kernel, slab);
    const chains = groupByIncident(records);
    for (const chain of chains.filter(([{ tick }]) => tick + COMPARED_END_TICKS < TICKS)) {
      const before = images.findLast(({ tick }) => tick <= chain[0].tick - LEAD_TICKS_MAX);
      const { image } = before ?? at(images, 0);
      const start = { image, changes: [] };
      const runner = new CounterfactualRunner(rewind, start, chain, at(cities.tables, cityIndex));
      const startTick = at(resultOf(runner.findStarts()), 0);
      const { contacts } = resultOf(runner.run({ startTick, on: new Map() }));
      const was = chain.filter(({ tick }) => tick <= untilTick(chain));
      const deltas = deltasOf(chain, was);
      expect(deltasOf(chain, contacts.filter(isOf(chain)))).toEqual(deltas);
      const isOther = (some: readonly ContactFacts[]) =>
        deltasOf(chain, some).some((each, i) => each !== deltas[i]);
      const lateTick = chain[0].tick + INCIDENT_END_TICKS;
      const cutOff = countedIn(
        records.filter(({ tick }) => tick <= lateTick),
        chain,
      );
      if (isOther(countedIn(contactsOf(records), chain))) grown++;
      if (isOther(cutOff)) late++;
      if (deltaVOf(cutOff) <= MILDER_SHARE * deltaVOf(was)) milder++;
      if (was.length < chain.length) long++;
    }
  }
  expect(grown).toBeGreaterThan(30);
  expect(late).toBeGreaterThanOrEqual(2);
  expect(milder).toBeGreaterThan(0);
  expect(long).toBeGreaterThan(3);
});
