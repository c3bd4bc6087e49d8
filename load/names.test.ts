import { expect, test } from 'vitest';
import { isMissed } from '../bench/common/figures.ts';
import { compare, judgedNames, lookOf } from './names.ts';

const answer = (body: string, date = 'x') => ({
  status: 401,
  head: `HTTP/1.1 401 Unauthorized\r\nDate: ${date}\r\nX-Request-Id: ${date}\r\nA: b`,
  body: Buffer.from(body),
});

test('answers are compared without date and request id', () => {
  expect(lookOf(answer('no', '1'))).toBe('HTTP/1.1 401 Unauthorized\nA: b\n\nno');
  expect(lookOf(answer('no', '1'))).toBe(lookOf(answer('no', '2')));
});

test('what takes the same time and looks the same is alike', async () => {
  let count = 0;
  const same = await compare(async () => ({ answer: answer('no'), ms: 10 + (count++ % 7) }), 400);
  expect([same.areAlike, same.looks]).toEqual([true, [lookOf(answer('no'))]]);
});

test('a difference in time or in the answer is found', async () => {
  const slow = await compare(async (name) => {
    const isKnown = !name.endsWith('x');
    return { answer: answer(isKnown ? 'wrong password' : 'no such name'), ms: isKnown ? 11 : 10 };
  }, 50);
  expect([slow.areAlike, slow.isAlikeInTime]).toEqual([false, false]);
  expect([slow.knownMedianMs, slow.unknownMedianMs]).toEqual([11, 10]);
  expect(slow.z).toBeGreaterThan(9);
});

test('names are judged by answers, ranks and medians, these by what the run can tell apart', () => {
  const alike = {
    ...{ areAlike: true, looks: ['no'], isAlikeInTime: true },
    ...{ knownMedianMs: 10.4, unknownMedianMs: 10, noiseMs: 0.1, z: 2.9 },
  };
  const missedOf = (changed: Partial<typeof alike>) =>
    judgedNames('/api/token', { ...alike, ...changed })
      .filter((figure) => isMissed(figure))
      .map(({ name }) => name.replace('/api/token, ', ''));
  expect(missedOf({})).toEqual([]);
  expect(missedOf({ looks: ['no', 'never'] })).toEqual(['answers beside the first']);
  expect(missedOf({ z: -3 })).toEqual(['z of the rank test, without sign']);
  expect(missedOf({ knownMedianMs: 10.6 })).toEqual(['medians apart']);
  expect(missedOf({ unknownMedianMs: 11 })).toEqual(['medians apart']);
  expect(missedOf({ knownMedianMs: 10.6, noiseMs: 0.3 })).toEqual([]);
});
