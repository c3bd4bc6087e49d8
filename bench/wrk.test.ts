import { expect, test } from 'vitest';
import { luaScript, parseWrk } from './wrk.ts';

const REPORT = `Running 2s test @ http://127.0.0.1:8080
  1 threads and 64 connections
  Latency Distribution
     50%  402.00us
     99%    1.25ms
  300000 requests in 2.00s, 60.00MB read
Requests/sec: 150012.34
Transfer/sec:     30.00MB
`;

test('rate and p99 are read from a report', () => {
  expect(parseWrk(REPORT)).toEqual({ perS: 150012.34, p99Ms: 1.25 });
  expect(parseWrk(REPORT.replace('1.25ms', '900.00us')).p99Ms).toBeCloseTo(0.9);
});

test('a report with errors throws', () => {
  expect(() => parseWrk(`${REPORT}  Non-2xx or 3xx responses: 3\n`)).toThrow('responses: 3');
  expect(() =>
    parseWrk(`${REPORT}  Socket errors: connect 0, read 1, write 0, timeout 0\n`),
  ).toThrow('read 1');
  expect(() => parseWrk('unable to connect')).toThrow('no figures');
});

const URL_HERE = new URL('http://127.0.0.1:8080');

test('wrk repeats a single request by itself', () => {
  const script = luaScript(URL_HERE, [{ method: 'GET', path: '/a', headers: { 'X-VIN': 'V' } }]);
  expect(script).toBe('wrk.method = "GET"\nwrk.path = "/a"\nwrk.headers["X-VIN"] = "V"');
});

test('several requests are sent in turn', () => {
  const script = luaScript(URL_HERE, [
    { method: 'PATCH', path: '/a', body: '{"aeb":false}' },
    { method: 'PATCH', path: '/b', body: '{"aeb":true}' },
  ]);
  expect(script).toContain('"PATCH /a HTTP/1.1\\r\\nHost: 127.0.0.1:8080\\r\\n');
  expect(script).toContain('\\r\\n\\r\\n{\\"aeb\\":true}"');
  expect(script).toContain('return requests[turn]');
});
