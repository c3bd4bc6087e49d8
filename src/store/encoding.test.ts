import { describe, expect, it } from 'vitest';
import type { Key } from './contract.ts';
import { decodeKey, encodeKey, packValue, unpackValue } from './encoding.ts';

describe('the bytes of a key', () => {
  it('are frozen, since stores on disk hold them', () => {
    const hex = (...key: Key) => encodeKey(key).toString('hex');
    expect(hex('p')).toBe('027000');
    expect(hex(12)).toBe('01c028000000000000');
    expect(hex(-1)).toBe('01400fffffffffffff');
    expect(hex('é\0')).toBe('02c3a9010100');
    expect(hex('\u{1f697}')).toBe('02eda0bdedba9700');
    expect(hex('p', 12)).toBe(hex('p') + hex(12));
  });

  it('are the same for 0 and -0', () => {
    expect(encodeKey([-0])).toEqual(encodeKey([0]));
  });

  it('give every code unit back, and sort as code units do', () => {
    const surrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    const units = Array.from({ length: 0x10000 }, (_, unit) => unit).filter((u) => !surrogate(u));
    const bytes = units.map((unit) => encodeKey([String.fromCharCode(unit)]));
    expect(bytes.map((each) => String(decodeKey(each)[0]).charCodeAt(0))).toEqual(units);
    expect(bytes.toSorted(Buffer.compare)).toEqual(bytes);
  });

  it('sort numbers by value over their whole range', () => {
    const positive = [5e-324, 1e-300, 0.1, 0.5, 1, 1.5, 2, 255, 256, 65_536, 2 ** 53, 1e300];
    const numbers = [...positive.map((value) => -value).toReversed(), 0, ...positive];
    const bytes = numbers.map((value) => encodeKey([value]));
    expect(bytes.toSorted(Buffer.compare)).toEqual(bytes);
    expect(bytes.map((each) => decodeKey(each)[0])).toEqual(numbers);
  });

  it('begin with the bytes of every prefix of the key', () => {
    const key: Key = ['p', 3, 'world', '', -7.25, 'x'];
    const bytes = encodeKey(key);
    for (let length = 1; length <= key.length; length++) {
      const prefix = encodeKey(key.slice(0, length));
      expect(bytes.subarray(0, prefix.length)).toEqual(prefix);
    }
    expect(decodeKey(bytes)).toEqual(key);
  });
});

describe('the bytes of a value', () => {
  it('can be read alone, whatever was packed before them', () => {
    for (let round = 0; round < 50; round++) packValue({ alpha: round, [`beta${round}`]: 1 });
    const bytes = packValue({ alpha: 1, beta7: 2 });
    // A map of two, no extension: plain MessagePack.
    expect(bytes.toString('latin1')).toContain('alpha');
    expect(unpackValue(bytes)).toStrictEqual({ alpha: 1, beta7: 2 });
  });

  it('cannot set a prototype', () => {
    const hostile = packValue(JSON.parse('{"__proto__": {"role": "admin"}}'));
    const value = unpackValue(hostile) as { role?: string };
    expect(value.role).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
