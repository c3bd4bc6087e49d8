import { expect, test } from 'vitest';
import type { ForwardedCall } from '../cluster-service.ts';
import { answerWithReply, callOfMessage, messageOfCall } from './call-messages.ts';

const call: ForwardedCall = {
  ...{ method: 'PATCH', path: '/api/v1/vehicle/features', query: 'a=b', encoding: 'msgpack' },
  head: {
    ...{ accept: '*/*', acceptEncoding: 'gzip, br', authorization: 'VIN 1', vin: 'DTW' },
    ...{ ifNoneMatch: '"1", W/"2"', contentType: 'application/json' },
  },
  ...{ addressKey: '2001:db8::/64', requestId: 'é-1', traceparent: '00-1-2-01' },
  publicTwinUrl: 'https://twin.example/x',
  body: Uint8Array.of(10, 0, 10),
};

test('a call arrives as it was sent, also where parts of it are empty', () => {
  const head = {
    ...{ accept: '', acceptEncoding: '', authorization: '', vin: '' },
    ...{ ifNoneMatch: '', contentType: '' },
  };
  for (const each of [call, { ...call, head, query: '', body: new Uint8Array(0) }]) {
    expect(callOfMessage(messageOfCall(each))).toEqual(each);
  }
});

test('a text that would be taken for two is refused', () => {
  const head = { ...call.head, accept: 'a\nb' };
  expect(() => callOfMessage(messageOfCall({ ...call, head }))).toThrow(RangeError);
});

test('a long answer is ended also before anybody has read of it, and comes as bytes', async () => {
  let endedCount = 0;
  const pieces = ['a', Uint8Array.of(98)][Symbol.iterator]();
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: async () => pieces.next(),
      return: async () => {
        endedCount++;
        return { done: true as const, value: undefined };
      },
    }),
  };
  const answer = answerWithReply({ status: 200, type: 'text/plain', headers: [], body });
  const read = answer.pieces?.[Symbol.asyncIterator]();
  await answer.pieces?.[Symbol.asyncIterator]().return?.();
  expect(endedCount).toBe(1);
  expect([await read?.next(), await read?.next(), await read?.next()]).toEqual([
    { done: false, value: Buffer.from('a') },
    { done: false, value: Uint8Array.of(98) },
    { done: true, value: undefined },
  ]);
});
