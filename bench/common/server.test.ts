import { expect, test } from 'vitest';
import { attach, isLoopback } from './server.ts';

test('only addresses of this machine take load', () => {
  for (const hostname of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
    expect(isLoopback(hostname)).toBe(true);
  }
  for (const hostname of ['example.org', '10.0.0.1', '127.0.0.1.example.org', 'localhost.local']) {
    expect(isLoopback(hostname)).toBe(false);
  }
});

test('a foreign or encrypted address is refused', () => {
  const given = { url: 'http://localhost:8080', dealer: '', ops: '', pid: 0 };
  for (const url of ['http://example.org:8080', 'https://localhost:8080', 'not an address']) {
    expect(() => attach({ ...given, url })).toThrow('not an http address');
    expect(() => attach({ ...given, dealer: url })).toThrow('not an http address');
  }
  expect(attach({ ...given, pid: 7 })).toMatchObject({ pid: 7, dealerUrl: undefined });
  const dealer = attach({ ...given, dealer: 'http://localhost:8000' }).dealerUrl;
  expect(dealer?.href).toBe('http://localhost:8000/');
});
