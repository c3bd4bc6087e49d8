import { describe, expect, it } from 'vitest';
import { readAddress, writeAddress } from './address.ts';

const NOTHING = {
  ...{ car: null, incident: null, tick: null, moment: null, set: null },
  ...{ camera: null, view: null },
};

const read = (path: string) => readAddress(new URL(path, 'http://localhost:8080'));

describe('the address of the page', () => {
  it('contains only the world', () => {
    expect(read('/worlds/q306hmxar4')).toEqual({ world: 'q306hmxar4', ...NOTHING });
  });

  it('[P5] contains a car and an incident in the fragment or in the query', () => {
    const expected = {
      ...NOTHING,
      ...{ world: 'q306hmxar4', car: 'DTWYTSGB4TN4Y6YUJ', incident: 'i996-0' },
    };
    expect(read('/worlds/q306hmxar4#incident=i996-0&car=dtwytsgb4tn4y6yuj')).toEqual(expected);
    expect(read('/worlds/q306hmxar4?incident=i996-0&car=DTWYTSGB4TN4Y6YUJ')).toEqual(expected);
  });

  it('has no world for another path', () => {
    expect(read('/docs').world).toBe('');
  });

  it('is read back as it was written', () => {
    const world = 'q306hmxar4';
    const address = { ...NOTHING, world, car: 'DTWYTSGB4TN4Y6YUJ', incident: 'i996-0' };
    expect(writeAddress(address)).toBe('/worlds/q306hmxar4?incident=i996-0#car=DTWYTSGB4TN4Y6YUJ');
    expect(read(writeAddress(address))).toEqual(address);
    const view = [12.5, -7, 60, 0.9, -1.2];
    const exact = { ...address, moment: 948.5, set: 2, camera: 'city' as const, view };
    expect(writeAddress(exact)).toMatch(
      /&moment=948.5&set=2&camera=city&view=12.5,-7,60,0.9,-1.2$/,
    );
    expect(read(writeAddress(exact))).toEqual(exact);
    expect(writeAddress({ world })).toBe('/worlds/q306hmxar4');
  });

  it('names a moment of the city', () => {
    const world = 'q306hmxar4';
    const address = { ...NOTHING, world, tick: 12_345 };
    expect(writeAddress(address)).toBe('/worlds/q306hmxar4#tick=12345');
    expect(read(writeAddress(address))).toEqual(address);
  });

  it('[P5] says how the camera is used', () => {
    const world = 'q306hmxar4';
    for (const camera of ['follow', 'chase', 'parties'] as const) {
      const address = { ...NOTHING, world, camera, view: [27, 1.33, -0.5] };
      expect(read(writeAddress(address))).toEqual(address);
      expect(read(`/worlds/${world}#camera=${camera}`)).toMatchObject({ camera, view: null });
      expect(read(`/worlds/${world}#camera=${camera}&view=1,2,3,4,5`).view).toBeNull();
    }
    // Older links to a free camera do not name it.
    expect(read(`/worlds/${world}#view=1,2,3,4,5`).camera).toBe('city');
    expect(read(`/worlds/${world}#camera=constructor&view=1,2,3`)).toMatchObject(NOTHING);
  });

  it('leaves out what is no number', () => {
    const wrong = read('/worlds/q306hmxar4#incident=i1-0&tick=now&moment=soon&set=&view=1,2,x,4,5');
    expect(wrong).toMatchObject({ tick: null, moment: null, set: null, view: null });
    expect(read('/worlds/q306hmxar4#view=1,2,3').view).toBeNull();
  });
});
