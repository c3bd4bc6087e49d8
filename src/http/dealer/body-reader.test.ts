import { afterAll, describe, expect, test } from 'vitest';
import { DealerError } from '../../dealer/errors.ts';
import { BodyThread } from '../server/body-thread.ts';
import { readBody } from './body.ts';
import { BodyReader } from './body-reader.ts';

const thread = new BodyThread();
const bodies = new BodyReader(thread);
afterAll(() => thread.close());

const LARGE = 20_000;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=x';

const address = () => 'a';
const given = (text: string, contentType = JSON_TYPE) => ({
  body: new TextEncoder().encode(text),
  contentType,
  isForm: contentType !== JSON_TYPE,
});
const inThread = (text: string, contentType?: string) =>
  bodies.read(given(text, contentType), address);
const here = (text: string, contentType?: string) => readBody(given(text, contentType));
const part = (value: string, more = '') =>
  `--x\r\nContent-Disposition: form-data; name="username"${more}\r\n\r\n${value}\r\n--x--\r\n`;

test('[R37] a large body of the dealer platform is parsed in a thread, a small one at once', async () => {
  const large = given(`{"name": "${'a'.repeat(LARGE)}"}`);
  const small = given('{"name": "a"}');
  expect(await bodies.read(large, address)).toEqual({ name: 'a'.repeat(LARGE) });
  expect(await bodies.read(small, address)).toEqual({ name: 'a' });
  // The memory of the large one has gone to the thread.
  expect([large.body.byteLength, small.body.byteLength]).toEqual([0, 13]);
});

describe('a large body has the answer of a small one', () => {
  const blanks = ' '.repeat(LARGE);
  test.each([
    ['fields', `{"a": 1, "b": "ö", "c": true, "d": null}${blanks}`],
    ['a name that every object inherits', `{"__proto__": 1, "constructor": 2}${blanks}`],
    ['null', `null${blanks}`],
    ['a text', `"a"${blanks}`],
    ['a web form', `username=a&username=%C3%A9&scope=&x=${'b'.repeat(LARGE)}`, FORM_TYPE],
    ['a multipart form', part('é'.repeat(LARGE)), MULTIPART_TYPE],
    ['another type', blanks, 'text/plain'],
  ])('%s', async (_, text, contentType = JSON_TYPE) => {
    expect(await inThread(text, contentType)).toEqual(await here(text, contentType));
  });

  test.each([
    ['broken JSON', `{"name": "🚗", ${blanks}]`],
    ['too deep', `${blanks}${'['.repeat(40)}`],
    ['too many fields of a form', `${'a=1&'.repeat(65)}b=${'b'.repeat(LARGE)}`, FORM_TYPE],
    ['a broken multipart form', `--y${blanks}`, MULTIPART_TYPE],
  ])('refused: %s', async (_, text, contentType = JSON_TYPE) => {
    const refusal = await here(text, contentType).catch((error) => error);
    expect(refusal).toBeInstanceOf(DealerError);
    await expect(inThread(text, contentType)).rejects.toEqual(refusal);
  });

  test('what nests comes empty, as no field may nest', async () => {
    const nested = `[${'[],'.repeat(LARGE)}[]]`;
    expect(await inThread(nested)).toEqual([]);
    expect(await inThread(`{"a": ${nested}, "b": {"c": 1}}`)).toEqual({ a: {}, b: {} });
    const file = part('a'.repeat(LARGE), '; filename="b"');
    expect(await inThread(file, MULTIPART_TYPE)).toEqual({ username: {} });
  });
});

test('of a repeated field of a form the last counts, and is absent where that is empty', async () => {
  const fields = 'username=a&username=&scope=&scope=b';
  expect(await here(fields, FORM_TYPE)).toEqual({ scope: 'b' });
});

test('a large body that waits when the node stops is refused', async () => {
  const stopping = new BodyThread();
  const read = new BodyReader(stopping).read(given(`"${'a'.repeat(LARGE)}"`), address);
  await Promise.all([expect(read).rejects.toMatchObject({ code: 'overloaded' }), stopping.close()]);
});
