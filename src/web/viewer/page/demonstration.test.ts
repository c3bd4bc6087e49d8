import { expect, test } from 'vitest';
import type { WorldStake } from '../api/types.ts';
import { chosen } from './demonstration.ts';

const stake = (feature: string, time: number, consequence = 'collision') =>
  ({
    vin: 'A',
    feature,
    time,
    consequence,
    hazard: null,
    kind: 'road',
    distance: 50,
  }) as WorldStake;
const choice = (outlook: WorldStake[], offered: string[] = []) => {
  const found = chosen(outlook, ({ feature }) => offered.includes(feature));
  return found && `${found.feature} ${found.time}`;
};

test('what leaves no time to read it is not offered', () => {
  expect(choice([stake('aeb', 3), stake('aeb', 12)])).toBe('aeb 12');
  expect(choice([stake('aeb', 3)])).toBeUndefined();
  expect(choice([])).toBeUndefined();
});

test('a collision comes first, and one without an assistant before one without brakes', () => {
  const light = stake('traffic_light_recognition', 9, 'red_light');
  expect(choice([light, stake('brakes', 10), stake('aeb', 20)])).toBe('aeb 20');
  expect(choice([light, stake('brakes', 10), stake('aeb', 50)])).toBe('brakes 10');
  expect(choice([light, stake('aeb', 50)])).toBe('traffic_light_recognition 9');
});

test('what was offered comes again only where there is nothing else', () => {
  const outlook = [stake('aeb', 10), stake('esc', 20)];
  expect(choice(outlook, ['aeb'])).toBe('esc 20');
  expect(choice(outlook, ['aeb', 'esc'])).toBe('aeb 10');
});
