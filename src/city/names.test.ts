import { expect, test } from 'vitest';
import { cityNames } from './names.ts';
import type { City } from './types.ts';

test('the names of a city are indexed as in the kernel', () => {
  const id = (name: string) => ({ id: name });
  const city = {
    roads: [id('r0'), id('r1')],
    junctions: [id('j0')],
    lanes: [id('l0'), id('l1'), id('l2')],
    lights: [id('s0')],
    hazards: [{ id: 'h0', kind: 'deer', x: 1, y: 2 }],
  } as unknown as City;
  expect(cityNames(city)).toEqual({
    roads: ['r0', 'r1'],
    junctions: ['j0'],
    lanes: ['l0', 'l1', 'l2'],
    lights: ['s0'],
    hazards: [{ id: 'h0', kind: 'deer', x: 1, y: 2 }],
  });
});
