import { describe, expect, it } from 'vitest';
import type { Key, KeyPart, Page } from '../../../store/contract.ts';
import { KEY_BYTES_MAX, PAGE_LIMIT_MAX } from '../../../store/encoding.ts';
import { takenGrant } from '../../rigs/taken-grant.ts';
import { type Current, key, keysOf, put, putAll } from './steps.ts';

/** What the contract says about keys and lists. */
export function describeKeys(current: Current): void {
  describe('keys', () => describeIdentity(current));
  describe('the order of keys', () => describeOrder(current));
  describe('lists', () => describeLists(current));
  describe('refusals', () => {
    describeRefusedKeys(current);
    describeRefusedRequests(current);
  });
}

function describeIdentity(current: Current): void {
  it('are kept apart where they only look alike', async () => {
    const long = 'x'.repeat(70);
    const keys = [
      ...[key('a', 'b'), key('ab'), key('a'), key('a', ''), key('', 'a'), key('a', 'b', '')],
      ...[key('1'), key(1), key('a\0b'), key('\x01'), key('\x01\x01'), key('\0'), key('é')],
      ...[key('e\u0301'), key('\u{1f697}'), key('\uff5e'), key(long), key(`${long}\0`)],
    ];
    await putAll(current(), keys);
    for (const [index, each] of keys.entries()) {
      const entry = { key: each, value: index };
      expect(await current().get(each), JSON.stringify(each)).toMatchObject(entry);
    }
  });

  it('are one where numbers are equal', async () => {
    await put(current(), ['n', 0], 'zero');
    expect((await current().get(['n', -0]))?.value).toBe('zero');
  });

  it('may have the greatest length and are found by lists then', async () => {
    // A tag before each text and an end behind it.
    const longest = 'x'.repeat(KEY_BYTES_MAX - 2);
    await put(current(), [longest], 'long');
    expect(await current().get([longest])).toMatchObject({ key: [longest], value: 'long' });
    expect(await keysOf(current(), [longest], { after: [longest] })).toEqual([]);
  });
}

const NUMBERS = [0, 1, -1, 2, 10, 1.5, -1.5, 255, 256, 1e300, -1e300, 5e-324, 2 ** 53, -(2 ** 31)];
const ASCII = '0 10 2 A a aa a\0 a\x01 a\x02 \0 \x01 \x7f';
const BEYOND = '\x80 é \u07ff \u0800 \ud7ff \ue000 \uffff \u{10000} \u{1f697} \u{10ffff}';
const PARTS: readonly KeyPart[] = [...NUMBERS, '', ...ASCII.split(' '), ...BEYOND.split(' ')];

function describeOrder(current: Current): void {
  it('puts numbers before strings, by value and by code unit, and a key before longer ones', async () => {
    const keys = PARTS.flatMap((first) => [
      key('t', first),
      ...PARTS.map((second) => key('t', first, second)),
    ]);
    await putAll(current(), keys.toReversed());
    expect(await keysOf(current(), ['t'])).toEqual(keys.toSorted(compareKeys));
  });

  function compareKeys(left: Key, right: Key): number {
    const length = Math.min(left.length, right.length);
    for (let index = 0; index < length; index++) {
      const order = compareParts(left[index] as KeyPart, right[index] as KeyPart);
      if (order !== 0) return order;
    }
    return left.length - right.length;
  }

  function compareParts(left: KeyPart, right: KeyPart): number {
    if (typeof left !== typeof right) return typeof left === 'number' ? -1 : 1;
    return left < right ? -1 : left > right ? 1 : 0;
  }
}

function describeLists(current: Current): void {
  it('hold what begins with the prefix and is longer, part by part', async () => {
    const words = [key('a', ''), key('a', 'b'), key('a', 'b', 2)];
    const inside = [key('a', -5), key('a', 1), key('a', 1, 'x'), ...words];
    const outside = [key('a'), key('ab', 'c'), key('A', 'b'), key(1, 'a'), key('a\0', 'b')];
    await putAll(current(), [...inside, ...outside]);
    expect(await keysOf(current(), ['a'])).toEqual(inside);
    expect(await keysOf(current(), ['a', 1])).toEqual([['a', 1, 'x']]);
    expect(await keysOf(current(), ['nothing'])).toEqual([]);
  });

  it('begin behind one key and end before another', async () => {
    await putAll(
      current(),
      Array.from({ length: 10 }, (_, index) => key('n', index)),
    );
    const numbers = async (page: Partial<Page>) =>
      (await keysOf(current(), ['n'], page)).map((each) => each[1]);
    expect(await numbers({ after: ['n', 6] })).toEqual([7, 8, 9]);
    expect(await numbers({ before: ['n', 2] })).toEqual([0, 1]);
    expect(await numbers({ after: ['n', 2], before: ['n', 5] })).toEqual([3, 4]);
    expect(await numbers({ after: ['n', 2.5], limit: 2 })).toEqual([3, 4]);
    expect(await numbers({ after: ['n', 5], before: ['n', 5] })).toEqual([]);
    expect(await numbers({ after: ['n', 7], before: ['n', 3] })).toEqual([]);
  });

  it('never leave the prefix, wherever the page begins and ends', async () => {
    const inside = [key('b', 1), key('b', 2)];
    await putAll(current(), [key('a', 1), ...inside, key('c', 1)]);
    expect(await keysOf(current(), ['b'], { after: ['a'] })).toEqual(inside);
    expect(await keysOf(current(), ['b'], { before: ['d'] })).toEqual(inside);
    expect(await keysOf(current(), ['b'], { after: ['c'] })).toEqual([]);
    expect(await keysOf(current(), ['b'], { before: ['a', 9] })).toEqual([]);
  });

  it('walk 10,000 entries page by page, each once, in order', async () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => key('p', 7, 'world', index));
    const grant = await takenGrant(current(), 7);
    for (let start = 0; start < keys.length; start += 2_500) {
      await putAll(current(), keys.slice(start, start + 2_500), grant);
    }
    const walked: Key[] = [];
    for (let after: Key | undefined = ['p', 7, 'world']; after; ) {
      const page: Key[] = await keysOf(current(), ['p', 7], { after, limit: 3_333 });
      walked.push(...page);
      after = page.at(-1);
    }
    expect(walked).toEqual(keys);
    expect(await keysOf(current(), ['p', 7])).toEqual(keys);
  });
}

function describeRefusedKeys(current: Current): void {
  const wrongKeys: [string, unknown[]][] = [
    ['a key without parts', []],
    ['a lone surrogate in a key', ['a\ud800']],
    ['NaN in a key', [Number.NaN]],
    ['an infinite number in a key', [Number.POSITIVE_INFINITY]],
    ['a missing part of a key', ['a', undefined]],
    ['a boolean in a key', [true]],
  ];
  it.each(wrongKeys)('concern %s', async (_, wrong) => {
    const at = wrong as unknown as Key;
    const good = { key: ['a'], value: 1 };
    await expect(current().get(at)).rejects.toThrow(TypeError);
    await expect(current().commit([], [good, { key: at, value: 1 }])).rejects.toThrow(TypeError);
    const check = [{ key: at, version: null }];
    await expect(current().commit(check, [good])).rejects.toThrow(TypeError);
    expect(await current().get(['a'])).toBeUndefined();
  });

  it('concern such parts in a prefix and in the bounds of a page', async () => {
    const list = (prefix: Key, bounds: Partial<Page>) =>
      current().list(prefix, { limit: 1, ...bounds });
    await expect(list(['\udc00'], {})).rejects.toThrow(TypeError);
    await expect(list(['a'], { after: [] })).rejects.toThrow(TypeError);
    await expect(list(['a'], { before: [Number.NaN] })).rejects.toThrow(TypeError);
  });

  it('concern keys that are too long', async () => {
    const text = 'x'.repeat(KEY_BYTES_MAX - 1);
    for (const at of [key(text), key(text, 1), key('\uffff'.repeat(700)), key('x'.repeat(1e6))]) {
      await expect(current().get(at)).rejects.toThrow(RangeError);
      await expect(current().commit([], [{ key: at, value: 1 }])).rejects.toThrow('at most');
    }
  });
}

function describeRefusedRequests(current: Current): void {
  const limits = [0, -1, 1.5, PAGE_LIMIT_MAX + 1, Number.NaN];
  it.each(limits)('concern a page of %d entries', async (limit) => {
    await expect(current().list(['a'], { limit })).rejects.toThrow(RangeError);
  });

  it('concern undefined as a value', async () => {
    const write = { key: ['a'], value: undefined };
    await expect(current().commit([], [write])).rejects.toThrow(TypeError);
  });

  it('concern commits over several partitions, over one and none, and without its grant', async () => {
    const write = (...parts: KeyPart[]) => ({ key: parts, value: 0 });
    const grant = await takenGrant(current(), 3);
    const wrong = [
      [write('p', 3, 'a'), write('p', 2, 'a')],
      [write('p', 3, 'a'), write('a')],
      [write('a')],
      [write('p', 64, 'a')],
      [write('p', 'a')],
      [write('p')],
    ];
    for (const writes of wrong) {
      await expect(current().commit([], writes, grant)).rejects.toThrow(TypeError);
    }
    const check = [{ key: ['p', 3, 'a'], version: null }];
    const writes = [write('p', 3, 'a'), write('p', 3, 'b')];
    await expect(current().commit(check, [write('a')], grant)).rejects.toThrow(TypeError);
    await expect(current().commit(check, writes)).rejects.toThrow(TypeError);
    expect(await current().commit(check, writes, grant)).toBe(true);
  });
}
