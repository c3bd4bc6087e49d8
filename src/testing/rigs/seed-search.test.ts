import { describe, expect, it } from 'vitest';
import { CONTACT_ANIMAL, F_ANIMAL_DETECTION, F_BRAKES } from '../../../assembly/layout.ts';
import type { Kernel, Slab } from '../../kernel/kernel.ts';
import { cars, cities, contactsUntil, makeKernel, makeWorld } from './kernel.ts';
import { findSeed } from './seed-search.ts';

const TICKS = 15_000;
const cityIndex = cities.cities.findIndex(({ hazards }) =>
  hazards.some(({ kind }) => kind === 'deer_crossing'),
);

function loseBrakes(kernel: Kernel, slab: Slab): void {
  for (const car of cars) kernel.apply(slab, 0, car, F_BRAKES | F_ANIMAL_DETECTION, 0);
}

describe('the search for a seed', () => {
  it('finds a world in which a car collides with a deer', () => {
    const isDeer = ({ kind }: { kind: number }) => kind === CONTACT_ANIMAL;
    const search = { wanted: 'a collision with a deer', matches: isDeer, cityIndex, ticks: TICKS };
    const { seed, contact } = findSeed({ ...search, prepare: loseBrakes });
    const kernel = makeKernel(1);
    const slab = makeWorld(kernel, seed, cityIndex);
    loseBrakes(kernel, slab);
    expect(contactsUntil(kernel, slab, contact.tick)).toContainEqual(contact);
    expect(isDeer(contact)).toBe(true);
  });

  it('says what no seed has', () => {
    const search = { wanted: 'a contact of no kind', matches: () => false, ticks: 10 };
    expect(() => findSeed(search)).toThrow('none of 30 seeds has a contact of no kind');
  });
});
