import { expect, it } from 'vitest';
import { F_AEB, F_ALL } from '../../assembly/layout.ts';
import { FEATURE_NAMES } from '../../src/twin/catalogue.ts';
import { addStakes, type TriedStakes } from './stakes.ts';
import { stakesSection } from './stakes-report.ts';
import { type StakesWorld, tryStakes } from './stakes-world.ts';

const AEB = FEATURE_NAMES.indexOf('aeb');

function oneCity(wanted: number): TriedStakes {
  const rows = FEATURE_NAMES.map((feature) => ({
    ...{ cityIndex: 0, feature, runs: 0, shown: 0, collisions: 0 },
  }));
  return { wanted, rows, accounts: [] };
}

function worldWith(isShown: boolean, isCollision: boolean): StakesWorld {
  const job = { cityIndex: 0, seed: 1, mask: F_ALL, tick: 500, features: F_AEB };
  return { job, tried: [{ feature: AEB, isShown, isCollision, account: 'there' }] };
}

it('counts no more runs than are wanted, and names those in which nothing came', () => {
  const stakes = oneCity(2);
  for (const isShown of [true, false, true]) addStakes(stakes, worldWith(isShown, false));
  expect(stakes.rows[AEB]).toMatchObject({ runs: 2, shown: 1, collisions: 0 });
  expect(stakes.accounts).toEqual(['there']);
});

it('misses a mark if runs, consequences or collisions are too few', () => {
  const marks = (wanted: number, isShown: boolean, isCollision: boolean) => {
    const stakes = oneCity(wanted);
    addStakes(stakes, worldWith(isShown, isCollision));
    const own = stakesSection(stakes).figures.filter(({ name }) => name.includes('aeb'));
    return own.map(({ target }) => target?.met);
  };
  expect(marks(1, true, true)).toEqual([true, true, true]);
  expect(marks(2, true, false)).toEqual([false, true, false]);
  expect(marks(1, false, false)).toEqual([true, false, false]);
});

it('tries the features that are asked for, each in the same world', () => {
  const { tried } = tryStakes({ cityIndex: 0, seed: 3, mask: F_ALL, tick: 500, features: F_ALL });
  expect(tried.length).toBeGreaterThan(6);
  expect(tried.map(({ feature }) => feature)).toEqual(
    tried.map(({ feature }) => feature).toSorted((a, b) => a - b),
  );
  const again = tryStakes({ cityIndex: 0, seed: 3, mask: F_ALL, tick: 500, features: F_AEB });
  expect(again.tried).toEqual(tried.filter(({ feature }) => feature === AEB));
});
