import { describe, expect, test } from 'vitest';
import { CAR_COUNT } from '../../assembly/layout.ts';
import { COLOURS } from './enumerations.ts';
import { CAR_TYPES, carTypesOf, fleetOf } from './fleet.ts';
import { vinOf } from './vin.ts';

const SEEDS = Array.from({ length: 300 }, (_, i) => (i * 14_317_021) % 2 ** 32);

describe('a fleet', () => {
  test('has twenty cars with the VINs of their world, in order', () => {
    const fleet = fleetOf(1, 987654321);
    expect(fleet.map(({ vin }) => vin)).toEqual(
      Array.from({ length: CAR_COUNT }, (_, car) => vinOf(987654321, car)),
    );
  });

  test('has the same models, plates and colours in every world of one seed', () => {
    const looks = (world: number) =>
      fleetOf(77, world).map(({ model, plate, colour }) => ({ model, plate, colour }));
    expect(looks(1)).toEqual(looks(2 ** 49));
  });

  test('has different plates with another seed', () => {
    const plates = SEEDS.map((seed) => fleetOf(seed, 1)[0]?.plate);
    expect(new Set(plates).size).toBeGreaterThan(SEEDS.length - 3);
  });

  test('has unique plates in one format', () => {
    for (const seed of SEEDS) {
      const plates = fleetOf(seed, 1).map(({ plate }) => plate);
      expect(new Set(plates).size).toBe(CAR_COUNT);
      for (const plate of plates)
        expect(plate).toMatch(/^[BCDFGJKLMNPRTVWX]{2} \d{3} [BCDFGJKLMNPRTVWX]{2}$/);
    }
  });

  test('has the models of its car types', () => {
    for (const seed of SEEDS) {
      const models = [...carTypesOf(seed)].map((type) => CAR_TYPES[type]?.model);
      expect(fleetOf(seed, 5).map(({ model }) => model)).toEqual(models);
    }
  });

  test('has every type and every colour about equally often', () => {
    const cars = SEEDS.flatMap((seed) => fleetOf(seed, 1));
    for (const { model } of CAR_TYPES) {
      const count = cars.filter((car) => car.model === model).length;
      expect(count / cars.length).toBeCloseTo(1 / CAR_TYPES.length, 1);
    }
    for (const colour of COLOURS) {
      const count = cars.filter((car) => car.colour === colour).length;
      expect(count / cars.length).toBeCloseTo(1 / COLOURS.length, 1);
      expect(count).toBeGreaterThan(0);
    }
  });
});

test('car types have realistic figures', () => {
  expect(CAR_TYPES).toHaveLength(5);
  expect(new Set(CAR_TYPES.map(({ model }) => model)).size).toBe(5);
  for (const { lengthM, widthM, massKg, wheelbaseM, lrM } of CAR_TYPES) {
    expect(lengthM).toBeGreaterThan(wheelbaseM + 1);
    expect(lengthM).toBeLessThan(5);
    expect(widthM).toBeGreaterThan(1.6);
    expect(widthM).toBeLessThan(1.95);
    expect(massKg).toBeGreaterThan(900);
    expect(massKg).toBeLessThan(2200);
    expect(lrM / wheelbaseM).toBeGreaterThan(0.45);
    expect(lrM / wheelbaseM).toBeLessThan(0.65);
  }
});
