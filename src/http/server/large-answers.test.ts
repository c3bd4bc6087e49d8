import { describe, expect, test } from 'vitest';
import { nextTurn, TestTime } from '../../testing/doubles/test-time.ts';
import { TokenBuckets } from '../../token-buckets.ts';
import { LargeAnswers } from './large-answers.ts';

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
        large.send(exchangeOf(address), MIB / 4, () => sent.push(address)),
      );
    const all = Promise.all([...send('hostile', 8), ...send('healthy', 2)]);
    expect(sent).toEqual(Array(4).fill('hostile'));
    for (const address of ['hostile', 'healthy', 'hostile', 'healthy', 'hostile', 'hostile']) {
      const before = sent.length;
      await nextTurn();
      expect(sent.slice(before)).toEqual([address]);
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
    await large.send(exchangeOf('a'), 2 * MIB, () => {});
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

test('[L24] a large answer is paid by its length before it is sent, but a HEAD is free', async () => {
  const work = new TokenBuckets({ burst: 1000, perS: 1 }, time);
  const large = new LargeAnswers(time, work);
  let count = 0;
  const answer = () => {
    count += 1;
  };
  await large.send(exchangeOf('a', 'HEAD'), MIB, answer);
  expect(work.level('a').left).toBe(1000);
  await large.send(exchangeOf('a'), MIB, answer);
  const { left } = work.level('a');
  expect(left).toBeLessThan(1000);
  await expect(large.send(exchangeOf('a'), 2 * MIB, answer)).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterS: expect.any(Number),
  });
  expect(work.level('a').left).toBe(left);
  await large.send(exchangeOf('b'), MIB, answer);
  expect(count).toBe(3);
});
