import { expect, test } from 'vitest';
import { addressKey, addressText } from './address-key.ts';

const ofBytes = (bytes: Uint8Array) => addressKey(addressText(bytes));

test('a closed connection has a key', () => {
  expect(ofBytes(new Uint8Array(0))).toBe('gone');
});

test('an IPv4 address is a key, also in its IPv6-mapped form', () => {
  expect(ofBytes(Uint8Array.of(192, 0, 2, 7))).toBe('192.0.2.7');
  const mapped = new Uint8Array(16);
  mapped.set([255, 255, 192, 0, 2, 7], 10);
  expect(ofBytes(mapped)).toBe('192.0.2.7');
});

test('[L9] IPv6 addresses of one /64 share a key', () => {
  const first = new Uint8Array(16).fill(1);
  const neighbour = Uint8Array.from(first).fill(9, 8);
  const stranger = Uint8Array.from(first).fill(9, 7, 8);
  expect(ofBytes(first)).toBe('101:101:101:101::/64');
  expect(ofBytes(neighbour)).toBe(ofBytes(first));
  expect(ofBytes(stranger)).not.toBe(ofBytes(first));
});

test.each([
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2001:0DB8:0:1:ffff::', '2001:db8:0:1::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
])('the network of %s is %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});
