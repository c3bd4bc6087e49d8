import { expect, test } from 'vitest';
import { attach } from './server.ts';

const GIVEN = { url: 'http://localhost:8080', dealer: '', ops: '', pid: 0 };

test.each(['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])('%s takes load', (host) => {
  const { url, dealerUrl, pid } = attach({ ...GIVEN, url: `http://${host}:8080`, pid: 7 });
  expect([url.hostname, dealerUrl, pid]).toEqual([host, undefined, 7]);
  const dealer = attach({ ...GIVEN, dealer: `http://${host}:8000` }).dealerUrl;
  expect(dealer?.href).toBe(`http://${host}:8000/`);
});

test.each([
  'http://example.org',
  'http://10.0.0.1',
  'http://127.0.0.1.example.org',
  'http://localhost.local',
  'https://localhost:8080',
  'not an address',
])('%s does not: only http addresses of this machine do', (url) => {
  expect(() => attach({ ...GIVEN, url })).toThrow('not an http address');
  expect(() => attach({ ...GIVEN, dealer: url })).toThrow('not an http address');
});
