import { expect, test } from 'vitest';
import type { Stake } from './api/types.ts';
import { nextText, stakesOf } from './stakes.ts';

const stake = (kind: string, time: number, feature: Stake['feature'] = 'brakes'): Stake => ({
  ...{ kind, time, feature, consequence: 'collision', distance: 100, hazard: null },
});

test('beside a switch stands what is at stake next, also once the first of it has passed', () => {
  const outlook = [
    stake('traffic_light', 31),
    stake('deer_crossing', 14),
    stake('tram_crossing', 9, 'aeb'),
  ];
  const stakes = stakesOf(outlook, 1000);
  const brakes = stakes.get('brakes') ?? [];
  expect(nextText(brakes, 1000)).toBe('Next: a deer in 14 s');
  expect(nextText(brakes, 1500)).toBe('Next: a deer in 4 s');
  expect(nextText(brakes, 1700)).toBe('Next: a red light in 17 s');
  expect(nextText(brakes, 2550)).toBe('');
  expect(nextText(stakes.get('aeb') ?? [], 1000)).toBe('Next: a tram in 9 s');
  expect(stakes.has('esc')).toBe(false);
});
