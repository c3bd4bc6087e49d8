import { expect, it } from 'vitest';
import { F_AEB, F_ALL, F_BRAKES, F_FRONT_CAMERA } from '../../assembly/layout.ts';
import type { Explanation, FailureFacts } from '../../src/twin/explanation.ts';
import type { IncidentContacts } from '../../src/twin/incidents.ts';
import { type Attributions, addAttribution, severalOff } from './attribution.ts';
import { attributionSection } from './attribution-report.ts';
import { type AttributionWorld, count, noAttribution } from './attribution-world.ts';

/** A collision of car 3, with AEB off, and something that is no car. */
const CHAIN = [
  {
    tick: 100,
    order: 0,
    hazard: -1,
    ...{ x: 0, y: 0, closingMps: 1 },
    parties: [
      { car: 3, declared: F_ALL & ~F_AEB },
      { car: -1, declared: 0 },
    ],
  },
] as unknown as IncidentContacts;

function worldOf(wanted: number, row = 0): AttributionWorld {
  const job = { cityIndex: 0, seed: 1, mask: F_ALL & ~F_AEB, ticks: 1, incidentsMax: 9 };
  return { job: { ...job, wanted, row }, counted: noAttribution(), accounts: [] };
}

const naming = (...features: number[]): Explanation => ({
  failures: features.map((feature) => ({ car: 3, feature }) as FailureFacts),
  reruns: 4,
});

it('counts reports that name what was off, nothing, or what was on', () => {
  const world = worldOf(F_AEB);
  count(world, CHAIN, naming(F_AEB));
  count(world, CHAIN, naming());
  count(world, CHAIN, naming(F_BRAKES));
  count(world, CHAIN, naming(F_AEB, F_FRONT_CAMERA));
  count(world, CHAIN, null);
  const counted = { incidents: 5, named: 2, unexplained: 1, wrong: 2, lost: 1, reruns: 16 };
  expect(world.counted).toEqual(counted);
  expect(world.accounts).toHaveLength(3);
  expect(world.accounts[0]).toContain('seed 1 i100-0: car 3');
  expect(world.accounts[2]).toContain('not repeated');
});

it('if several features were off, a report may name any of them', () => {
  const world = worldOf(0);
  count(world, CHAIN, naming(F_AEB));
  count(world, CHAIN, naming());
  expect(world.counted).toMatchObject({ incidents: 2, named: 1, wrong: 0 });
});

it('judges rows by their shares', () => {
  const rows = ['aeb', 'several'].map((off) => ({ off, worlds: 0, counted: noAttribution() }));
  const all: Attributions = { wanted: 20, rows, accounts: [] };
  const counted = { ...noAttribution(), incidents: 20, named: 19, unexplained: 1, reruns: 60 };
  addAttribution(all, { ...worldOf(F_AEB), counted, accounts: ['here'] });
  addAttribution(all, { ...worldOf(0, 1), counted: { ...counted, incidents: 19, named: 18 } });
  const { figures, tables } = attributionSection(all);
  const missed = figures.filter(({ target }) => target?.met === false).map(({ name }) => name);
  expect(missed).toEqual(['several off: incidents explained', 'several off: reports that name it']);
  expect(tables[0]?.rows[0]).toEqual(['aeb', '1', '20', '19', '95 %', '1', '0', '0', '3', '✓']);
  expect(tables[1]?.rows).toEqual([['aeb off, here']]);
  expect(() => addAttribution(all, worldOf(0, 2))).toThrow(RangeError);
});

it('cars lack two to four features, chosen by seed and car', () => {
  const masks = severalOff(7);
  const offs = masks.map((mask) => F_ALL & ~mask);
  const sizes = offs.map((off) => off.toString(2).replaceAll('0', '').length);
  expect(sizes).toHaveLength(20);
  expect(new Set(sizes)).toEqual(new Set([2, 3, 4]));
  expect(new Set(masks).size).toBeGreaterThan(10);
  expect(severalOff(7)).toEqual(masks);
  expect(severalOff(8)).not.toEqual(masks);
});
