import { describe, expect, test } from 'vitest';
import { CAR_COUNT } from '../../assembly/layout.ts';
import { WORLD_NUMBER_END } from './ids.ts';
import { draw } from './seeded-random.ts';
import { parseVin, vinOf } from './vin.ts';

const ALPHABET = '0123456789ABCDEFGHJKLMNPRSTUVWXYZ';
const DIGIT_POSITIONS = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16];
const MODULUS = 33n ** 11n;
const FACTOR = 19972003438330159n;
const OFFSET = 49939369239121485n;

const WORLDS = [
  0,
  1,
  31,
  33 ** 4,
  2 ** 32,
  WORLD_NUMBER_END - 1,
  ...Array.from({ length: 500 }, (_, n) => Number(draw(2n, n) >> 14n)),
];
const CARS = Array.from({ length: CAR_COUNT }, (_, car) => car);

/** The check digit as the standard defines it, with the values of all letters. */
function checkDigit(vin: string): string {
  const values: Record<string, number> = {};
  for (const row of ['A1B2C3D4E5F6G7H8', 'J1K2L3M4N5P7R9', 'S2T3U4V5W6X7Y8Z9']) {
    for (const [, letter, value] of row.matchAll(/(\D)(\d)/g)) values[letter ?? ''] = Number(value);
  }
  const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
  const sum = [...vin].reduce(
    (total, c, i) => total + (values[c] ?? Number(c)) * (weights[i] ?? 0),
    0,
  );
  return sum % 11 === 10 ? 'X' : `${sum % 11}`;
}

/** The number in the eleven digits. */
function mixedNumber(vin: string): bigint {
  const digits = DIGIT_POSITIONS.map((position) => ALPHABET.indexOf(vin.charAt(position)));
  return digits.reduce((sum, digit) => sum * 33n + BigInt(digit), 0n);
}

/** A VIN with this number in its digits and a correct check digit, even if no car has it. */
function vinWithNumber(number: bigint): string {
  const characters = [...'DTW.....0TN......'];
  let rest = number;
  for (const position of DIGIT_POSITIONS.toReversed()) {
    characters[position] = ALPHABET.charAt(Number(rest % 33n));
    rest /= 33n;
  }
  characters[8] = checkDigit(characters.join(''));
  return characters.join('');
}

describe('a VIN', () => {
  test('has a valid form: alphabet, maker, check digit, year and plant', () => {
    for (const world of WORLDS) {
      for (const car of CARS) {
        const vin = vinOf(world, car);
        expect(vin).toMatch(/^DTW[0-9A-HJ-NPR-Z]{5}[0-9X]TN[0-9A-HJ-NPR-Z]{6}$/);
        expect(vin[8]).toBe(checkDigit(vin));
      }
    }
  });

  test('[W9] encodes world and car by the affine map modulo 33^11', () => {
    for (const world of WORLDS) {
      for (const car of CARS) {
        const value = BigInt(world) * 32n + BigInt(car);
        expect(mixedNumber(vinOf(world, car))).toBe((value * FACTOR + OFFSET) % MODULUS);
      }
    }
  });

  test('[W9] can be parsed back to its world and car, in either case and with blanks around it', () => {
    for (const world of WORLDS) {
      for (const car of CARS) {
        const vin = vinOf(world, car);
        expect(parseVin(vin)).toEqual({ world, car });
        expect(parseVin(` \t${vin.toLowerCase()} `)).toEqual({ world, car });
      }
    }
  });

  test('is always the same for the same car', () => {
    expect([vinOf(0, 0), vinOf(123456789012345, 7), vinOf(WORLD_NUMBER_END - 1, 19)]).toEqual([
      'DTWZL0EB3TNWKNKFR',
      'DTWWDRL47TNT70WCV',
      'DTWKH6V09TNY0JJ0S',
    ]);
  });
});

describe('the VINs of a fleet', () => {
  // The map is affine: what holds for the difference of two cars holds in every world.
  const differences = Array.from({ length: 31 }, (_, i) => BigInt(i + 1));

  test('differ in at least ten of their eleven digits', () => {
    for (const difference of differences) {
      const step = (difference * FACTOR) % MODULUS;
      // A digit 0 or 32 of the step may vanish by a carry; any other changes the digit.
      const digits = DIGIT_POSITIONS.map((_, k) => (step / 33n ** BigInt(k)) % 33n);
      const changed = digits.filter((digit) => digit !== 0n && digit !== 32n);
      expect(changed.length).toBeGreaterThanOrEqual(10);
    }
  });

  test('are never one changed character apart', () => {
    const steps = new Set(
      differences.flatMap((d) => [(d * FACTOR) % MODULUS, MODULUS - ((d * FACTOR) % MODULUS)]),
    );
    expect(steps.size).toBe(62);
    for (const position of DIGIT_POSITIONS.keys()) {
      for (let change = 1n; change <= 32n; change++) {
        const step = change * 33n ** BigInt(position);
        expect(steps.has(step)).toBe(false);
        expect(steps.has(MODULUS - step)).toBe(false);
      }
    }
  });

  test('never lead to another car of the world after one typing error', () => {
    for (const world of WORLDS.slice(0, 8)) {
      for (const car of CARS) {
        const vin = vinOf(world, car);
        for (let position = 0; position < vin.length; position++) {
          for (const character of ALPHABET) {
            if (character === vin[position]) continue;
            const slip = vin.slice(0, position) + character + vin.slice(position + 1);
            expect(parseVin(slip)?.world).not.toBe(world);
          }
        }
      }
    }
  });
});

describe('an invalid VIN', () => {
  const vin = vinOf(123456789012345, 7);

  test('has another length or other characters', () => {
    const wrong = ['', vin.slice(1), `${vin}0`, `${vin.slice(0, 8)} ${vin.slice(8)}`];
    for (const character of 'IOQioq-_é\u0131\u017f\u{1F697}') {
      wrong.push(character + vin.slice(1), vin.slice(0, -1) + character);
    }
    for (const text of wrong) expect(parseVin(text)).toBeUndefined();
  });

  test('has a wrong check digit', () => {
    for (const character of ALPHABET) {
      const changed = vin.slice(0, 8) + character + vin.slice(9);
      expect(parseVin(changed) === undefined).toBe(character !== vin[8]);
    }
  });

  test('has another maker, year or plant, even with the right check digit', () => {
    for (const position of [0, 1, 2, 9, 10]) {
      for (const character of ALPHABET) {
        if (character === vin[position]) continue;
        const other = vin.slice(0, position) + character + vin.slice(position + 1);
        const checked = other.slice(0, 8) + checkDigit(other) + other.slice(9);
        expect(parseVin(checked)).toBeUndefined();
      }
    }
  });

  test('encodes a car beyond the fleet or a number beyond 55 bits', () => {
    const encoded = (value: bigint) => vinWithNumber((value * FACTOR + OFFSET) % MODULUS);
    expect(parseVin(encoded(5n * 32n + 19n))).toEqual({ world: 5, car: 19 });
    for (let car = 20n; car < 32n; car++) expect(parseVin(encoded(5n * 32n + car))).toBeUndefined();
    expect(parseVin(encoded(2n ** 55n - 32n))).toEqual({ world: WORLD_NUMBER_END - 1, car: 0 });
    for (const value of [2n ** 55n, 2n ** 55n + 1n, MODULUS - 1n]) {
      expect(parseVin(encoded(value))).toBeUndefined();
    }
  });
});
