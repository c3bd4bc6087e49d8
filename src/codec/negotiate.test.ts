import { describe, expect, test } from 'vitest';
import { answerEncoding, contentCoding, prefersHtml, streamChoice } from './negotiate.ts';

describe('a stream', () => {
  test.each([
    ['', '', 'json', ''],
    ['', 'msgpack', 'msgpack', 'msgpack'],
    ['', 'json', 'json', 'json'],
    ['', 'msgpack, json', 'msgpack', 'msgpack'],
    ['', 'json,msgpack', 'json', 'json'],
    ['', 'graphql-ws, msgpack', 'msgpack', 'msgpack'],
    ['', 'graphql-ws', 'json', ''],
    ['', 'MSGPACK', 'json', ''],
    ['', ' , ,', 'json', ''],
    ['a=1&b', 'msgpack', 'msgpack', 'msgpack'],
    ['encoding=msgpack', '', 'msgpack', ''],
    ['encoding=json', '', 'json', ''],
    ['x&y=2&encoding=msgpack', '', 'msgpack', ''],
    ['encoding=%6Dsgpack', '', 'msgpack', ''],
    // The query counts before the subprotocol, but a client still needs its subprotocol echoed.
    ['encoding=json', 'msgpack', 'json', 'msgpack'],
    ['encoding=msgpack', 'json', 'msgpack', 'json'],
    ['encoding=json', 'msgpack, json', 'json', 'msgpack'],
  ])(
    'with query %j and subprotocols %j is %s and echoes %j',
    (query, offered, encoding, protocol) => {
      expect(streamChoice(query, offered)).toEqual({ encoding, protocol });
    },
  );

  test.each([
    'encoding=',
    'encoding',
    'encoding=xml',
    'encoding=JSON',
    'encoding=%ff',
    'encoding=__proto__',
  ])('refuses the query %j, whatever is offered', (query) => {
    expect(() => streamChoice(query, 'msgpack')).toThrow(
      expect.objectContaining({ code: 'unknown_encoding', status: 400 }),
    );
  });
});

describe('an answer', () => {
  test.each([
    'application/msgpack',
    'application/x-msgpack',
    'application/vnd.msgpack',
    'Application/MsgPack',
    'application/msgpack; charset=binary',
    'application/msgpack, application/json;q=0.9',
    'application/json;q=0.9, application/msgpack',
    'application/msgpack, application/json',
    'application/msgpack, */*',
    '*/*, application/msgpack',
    'text/html, application/msgpack;q=0.1',
    'application/msgpack;q=0.9, */*;q=0.8',
    'application/x-msgpack;q=0, application/msgpack',
    'application/msgpack ; Q=1.0 , application/json ; q=0.5',
    'application/msgpack, application/json;q=0',
    'application/msgpack;q=0.5, application/*;q=0.5, */*;q=0.9',
  ])('is msgpack for %j', (accept) => {
    expect(answerEncoding(accept)).toBe('msgpack');
  });

  test.each([
    '',
    '*/*',
    'application/*',
    'application/json',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/json, application/msgpack',
    'application/json, application/msgpack;q=0.9',
    'application/msgpack;q=0.5, */*;q=0.8',
    'application/msgpack;q=0.5, application/*;q=0.8',
    'application/msgpack;q=0',
    'application/msgpack;q=2',
    'application/msgpack;q=nonsense',
    'application/msgpack2',
    'msgpack',
    ',;,',
  ])('is JSON for %j', (accept) => {
    expect(answerEncoding(accept)).toBe('json');
  });
});

describe('the coding of a body', () => {
  const offered = ['br', 'gzip', 'identity'] as const;

  test.each([
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0.001', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['*;q=0.2, gzip;q=0.7', 'gzip'],
    ['identity', 'identity'],
    ['identity;q=1, br;q=0.9', 'identity'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0, *;q=0', 'identity'],
    ['deflate, zstd', 'identity'],
    ['br;q=2, gzip', 'gzip'],
    ['br ; Q=0.1 , gzip ; q=0.2', 'gzip'],
  ])('of "%s" is %s', (accept, coding) => {
    expect(contentCoding(accept, offered)).toBe(coding);
  });

  test('is one that is offered', () => {
    expect(contentCoding('br, gzip', ['identity'])).toBe('identity');
    expect(contentCoding('br, gzip;q=0.1', ['gzip', 'identity'])).toBe('gzip');
  });
});

test('a header longer than any client has counts as absent', () => {
  const long = `application/msgpack,${'a,'.repeat(600)}`;
  expect([answerEncoding(long), prefersHtml(`text/html,${long}`)]).toEqual(['json', false]);
  expect(contentCoding(`gzip,${long}`, ['br', 'gzip'])).toBe('identity');
});
