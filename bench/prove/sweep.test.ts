import { expect, it } from 'vitest';
import { F_AEB, F_ALL } from '../../assembly/layout.ts';
import { emptyCounts } from './spot-watch.ts';
import {
  add,
  emptyGroup,
  perCarHour,
  perTenMinutes,
  perThousandKm,
  type Sweep,
  sum,
} from './sweep.ts';
import { sweepSection } from './sweep-report.ts';
import { emptyStretch, type Stretch, type SweepWorld } from './sweep-world.ts';

const stretchOf = (kilometres: number, incidents: number): Stretch => ({
  ...emptyStretch(),
  kilometres,
  carHours: 10,
  incidents,
  contacts: 2 * incidents,
  spots: [{ ...emptyCounts(0, 'parked_row_child'), passes: 10, armed: 8, fired: 6, hits: 5 }],
});

function emptySweep(): Sweep {
  const groups = [null, 'aeb' as const].map((off) => emptyGroup(0, off));
  return { groups, accounts: [], traps: [] };
}

function worldOf(mask: number, driven: Stretch, backOn: Stretch | null): SweepWorld {
  const job = { cityIndex: 0, seed: 1, mask, ticks: 30_000, ticksBackOn: 0 };
  return { job, driven, backOn, accounts: [], trap: null };
}

it('sums stretches spot by spot', () => {
  const both = sum(stretchOf(100, 1), stretchOf(50, 2));
  expect(both).toMatchObject({ kilometres: 150, carHours: 20, incidents: 3, contacts: 6 });
  expect(both.spots).toMatchObject([{ passes: 20, armed: 16, fired: 12, hits: 10 }]);
  expect(sum(emptyStretch(), both).spots).toEqual(both.spots);
});

it('puts every world into the group of its city and mask', () => {
  const sweep = emptySweep();
  add(sweep, worldOf(F_ALL, stretchOf(200, 0), null));
  add(sweep, worldOf(F_ALL & ~F_AEB, stretchOf(100, 5), stretchOf(100, 0)));
  add(sweep, worldOf(F_ALL & ~F_AEB, stretchOf(100, 0), stretchOf(100, 1)));
  const [on, off] = sweep.groups;
  expect(on).toMatchObject({ worlds: 1, driven: { kilometres: 200 }, backOn: { kilometres: 0 } });
  expect(off).toMatchObject({ worlds: 2, quietWorlds: 1, backOn: { contacts: 2 } });
  if (!off) throw new Error('no group');
  expect(perThousandKm(off.driven)).toBe(25);
  expect(perCarHour(off.driven)).toBe(0.25);
  expect(perTenMinutes(off)).toBe(2.5);
  expect(() => add(sweep, worldOf(0, stretchOf(1, 0), null))).toThrow(RangeError);
});

it('judges the counts', () => {
  const sweep = emptySweep();
  add(sweep, worldOf(F_ALL, stretchOf(200, 0), null));
  add(sweep, worldOf(F_ALL & ~F_AEB, stretchOf(100, 5), stretchOf(100, 1)));
  const met = new Map(
    sweepSection(sweep).figures.map(({ name, value, target }) => [name, [value, target?.met]]),
  );
  expect(met.get('everything on: contacts')).toEqual([0, true]);
  expect(met.get('everything on, grid: mean speed')).toEqual([20, true]);
  expect(met.get('everything on, grid, parked_row_child: fires in armed passes')).toEqual([
    75,
    true,
  ]);
  expect(met.get('everything on, grid, parked_row_child: its feature acts')).toEqual([0, false]);
  expect(met.get('aeb off: armed passes that end in a collision')).toEqual([62.5, true]);
  expect(met.get('aeb on again: contacts')).toEqual([2, false]);
  expect(met.get('throttle off: incidents per car-hour')).toEqual([Number.NaN, undefined]);
});
