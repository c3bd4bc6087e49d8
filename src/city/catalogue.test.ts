import { describe, expect, test } from 'vitest';
import { generateCity } from '../citygen/generate.ts';
import { cityOf } from '../testing/rigs/cities.ts';
import { CITIES } from './catalogue.ts';
import { at } from './geometry.ts';

describe('The catalogue', () => {
  test('begins with the default, a modern grid with a wide avenue.', () => {
    expect(at(CITIES, 0).name).toBe('grid');
    expect(at(CITIES, 0).title).toBe('Modern grid with a wide avenue');
  });

  test('has no city of another name.', () => {
    expect(() => generateCity('atlantis', 1)).toThrow('there is no city "atlantis"');
  });

  test('gives the city its title and description.', () => {
    for (const { name, title, description, seed } of CITIES) {
      expect(cityOf(name, seed)).toMatchObject({ name, title, description });
    }
  });
});
