import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { FakeTwin } from '../../testing/doubles/fake-twin.ts';
import { ServedMap } from './served-map.ts';

test.each(['json', 'msgpack'] as const)(
  '[W37] a map in %s is compressed for who accepts it',
  async (encoding) => {
    const map = new ServedMap(new FakeTwin().add().city, encoding);
    const plain = await map.in('');
    const [first, again] = await Promise.all([map.in('br, gzip'), map.in('gzip')]);
    expect(again).toBe(first);
    expect(await map.in('gzip')).toBe(first);
    expect(await map.in('gzip;q=0, br')).toBe(plain);
    expect(gunzipSync(first.whole.body as Uint8Array).equals(plain.whole.body as Buffer)).toBe(
      true,
    );
    expect(first.whole.headers).toContainEqual(['Content-Encoding', 'gzip']);
    for (const { etag, whole, notModified } of [plain, first]) {
      for (const { headers } of [whole, notModified]) {
        expect(headers).toContainEqual(['ETag', etag]);
        expect(headers).toContainEqual(['Vary', 'Accept-Encoding']);
      }
    }
    expect(first.etag).not.toBe(plain.etag);
  },
);
