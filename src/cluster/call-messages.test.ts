import { expect, test } from 'vitest';
import type { ForwardedCall } from '../cluster-service.ts';
import { callOfMessage, messageOfCall } from './call-messages.ts';

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
