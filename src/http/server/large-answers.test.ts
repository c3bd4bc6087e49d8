import { describe, expect, test } from 'vitest';
import { nextTurn, TestTime } from '../../testing/doubles/test-time.ts';
import { TokenBuckets } from '../../token-buckets.ts';
import { LargeAnswers } from './large-answers.ts';
import { PRICES_US } from './prices.ts';

const time = TestTime.standing();
const MIB = 1024 * 1024;

function exchangeOf(address: string, method = 'GET') {
  return { isOpen: true, method, addressKey: () => address };
}

describe('[H29] of large answers in memory', () => {
  test('a turn of the event loop has room for a few, and then addresses take turns', async () => {
    const large = new LargeAnswers(time, undefined);
    const sent: string[] = [];
    const send = (address: string, count: number) =>
      Array.from({ length: count }, () =>
        large.send(exchangeOf(address), 8 * MIB, () => sent.push(address)),
      );
    const all = Promise.all([...send('hostile', 8), ...send('healthy', 2)]);
    expect(sent).toEqual(['hostile', 'hostile']);
    for (const both of [
      ['hostile', 'healthy'],
      ['hostile', 'healthy'],
      ['hostile', 'hostile'],
      ['hostile', 'hostile'],
    ]) {
      const before = sent.length;
      await nextTurn();
      expect(sent.slice(before)).toEqual(both);
    }
    await all;
    await nextTurn();
    send('healthy', 1);
    expect(sent).toHaveLength(11);
  });

  test('one that is larger than a turn has room for is sent', async () => {
    const large = new LargeAnswers(time, undefined);
    const sent: number[] = [];
    await large.send(exchangeOf('a'), 24 * MIB, () => sent.push(24));
    await large.send(exchangeOf('a'), MIB, () => sent.push(1));
    expect(sent).toEqual([24, 1]);
  });

  test('one is not sent where the client has left meanwhile', async () => {
    const large = new LargeAnswers(time, undefined);
    await large.send(exchangeOf('a'), 16 * MIB, () => {});
    const exchange = exchangeOf('a');
    let isSent = false;
    const sent = large.send(exchange, MIB, () => {
      isSent = true;
    });
    exchange.isOpen = false;
    await sent;
    expect(isSent).toBe(false);
  });
});

test('[L24] of eight large answers one is paid, by the length of all of them, but a HEAD is free', async () => {
  const work = new TokenBuckets({ burst: 10_000, perS: 1 }, time);
  const large = new LargeAnswers(time, work);
  let count = 0;
  const send = (address: string, method = 'GET') => {
    const answer = () => {
      count += 1;
    };
    if (large.isFree(MIB / 4)) answer();
    else return large.send(exchangeOf(address, method), MIB / 4, answer);
  };
  for (let i = 0; i < 7; i++) await send('a');
  expect(work.level('a').left).toBe(10_000);
  await send('a');
  const { left } = work.level('a');
  expect(10_000 - left).toBeCloseTo((PRICES_US.sentKib * 8 * MIB) / 4 / 1024, -1);
  for (let i = 0; i < 7; i++) await send('a');
  await send('a', 'HEAD');
  expect(work.level('a').left).toBe(left);
  work.spend('a', left);
  const before = count;
  for (let i = 0; i < 7; i++) await send('a');
  await expect(send('a')).rejects.toMatchObject({ code: 'rate_limited' });
  expect(count).toBe(before + 7);
  for (let i = 0; i < 8; i++) await send('b');
  expect(count).toBe(before + 15);
});
