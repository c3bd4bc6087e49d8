import { describe, expect, test } from 'vitest';
import { parseJson, parseObject } from './json.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('a body of JSON', () => {
  test('is parsed', () => {
    expect(parseJson(bytes('{"a": [1, "x\\"]", null]}'))).toEqual({ a: [1, 'x"]', null] });
  });

  test('[L12] may nest 32 levels deep and no deeper', () => {
    expect(() => parseJson(bytes(nested(32)))).not.toThrow();
    expect(() => parseJson(bytes(nested(33)))).toThrow(
      expect.objectContaining({ code: 'invalid_json', hint: expect.stringContaining('32') }),
    );
  });

  test('[L12] may have 256 fields and no more, in one object or in many', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `"f${i}:":":"`);
    for (const count of [256, 257]) {
      const bodies = [`{${fields(count)}}`, `[${fields(count).map((each) => `{${each}}`)}]`];
      for (const body of bodies) {
        const parse = () => parseJson(bytes(body));
        if (count <= 256) expect(parse()).toEqual(JSON.parse(body));
        else
          expect(parse).toThrow(expect.objectContaining({ hint: expect.stringContaining('256') }));
        expect(parseJson(bytes(body), 1000)).toEqual(JSON.parse(body));
      }
    }
  });

  test('may contain any number of brackets in strings and next to each other', () => {
    const text = JSON.stringify({ a: '[{'.repeat(500), b: Array.from({ length: 500 }, () => []) });
    expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
  });

  test.each(['', ' ', '{', 'nul', '{"a":1,}', '\u0000', '"\\'])('is refused as %j', (text) => {
    expect(() => parseJson(bytes(text))).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  });

  test('is refused if it is not UTF-8', () => {
    const broken = Uint8Array.of(0x22, 0xff, 0x22);
    expect(() => parseJson(broken)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  });

  test.each(['[]', 'null', '1', '"x"'])('is not an object: %s', (text) => {
    expect(() => parseObject(bytes(text))).toThrow(
      expect.objectContaining({ code: 'invalid_body' }),
    );
  });
});
