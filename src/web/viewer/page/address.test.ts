import { describe, expect, it } from 'vitest';
import { readAddress, writeAddress } from './address.ts';

const read = (path: string) => readAddress(new URL(path, 'http://localhost:8080'));

describe('the address of the page', () => {
  it('contains only the world', () => {
    expect(read('/worlds/q306hmxar4')).toEqual({ world: 'q306hmxar4', car: null, incident: null });
  });

  it('[P5] contains a car and an incident in the fragment or in the query', () => {
    const expected = { world: 'q306hmxar4', car: 'DTWYTSGB4TN4Y6YUJ', incident: 'i996-0' };
    expect(read('/worlds/q306hmxar4#incident=i996-0&car=dtwytsgb4tn4y6yuj')).toEqual(expected);
    expect(read('/worlds/q306hmxar4?incident=i996-0&car=DTWYTSGB4TN4Y6YUJ')).toEqual(expected);
  });

  it('has no world for another path', () => {
    expect(read('/docs').world).toBe('');
  });

  it('is read back as it was written', () => {
    const address = { world: 'q306hmxar4', car: 'DTWYTSGB4TN4Y6YUJ', incident: 'i996-0' };
    expect(writeAddress(address)).toBe('/worlds/q306hmxar4#incident=i996-0&car=DTWYTSGB4TN4Y6YUJ');
    expect(read(writeAddress(address))).toEqual(address);
    expect(writeAddress({ ...address, car: null, incident: null })).toBe('/worlds/q306hmxar4');
  });
});
