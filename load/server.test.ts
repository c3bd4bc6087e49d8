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
  expect(() => attach('http://example.org:8080', undefined)).toThrow('not an http address');
  expect(() => attach('https://localhost:8080', undefined)).toThrow('not an http address');
  expect(() => attach('not an address', undefined)).toThrow('not an http address');
  expect(attach('http://localhost:8080', 7)).toMatchObject({ pid: 7 });
});
