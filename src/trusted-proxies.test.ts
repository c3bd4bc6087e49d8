import { describe, expect, test } from 'vitest';
import { TrustedProxies } from './trusted-proxies.ts';

const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.1', '::1', '2001:db8::/32']);
const behind = (remote: string, forwardedFor: string, forwarded = '') =>
  proxies.clientOf(remote, { forwardedFor, forwarded });

describe('[L18] the address of a client', () => {
  test('is that of the connection unless a trusted proxy connected', () => {
    expect(behind('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
    expect(behind('10.1.1.1', '')).toBe('10.1.1.1');
  });

  test('is the right-most that is no trusted proxy: the client itself wrote what is left of it', () => {
    expect(behind('10.1.1.1', '203.0.113.9, 198.51.100.7, 10.2.2.2')).toBe('198.51.100.7');
    expect(behind('::ffff:10.1.1.1', '198.51.100.7')).toBe('198.51.100.7');
    expect(behind('10.1.1.1', '192.0.2.1,10.2.2.2')).toBe('192.0.2.1');
  });

  test('may have a port, and may be one of IPv6', () => {
    expect(behind('10.1.1.1', '198.51.100.7:4711')).toBe('198.51.100.7');
    expect(behind('::1', '2001:db9::7')).toBe('2001:db9::7');
    expect(behind('::1', '[2001:db9::7]:4711')).toBe('2001:db9::7');
  });

  test('is read from Forwarded where there is no X-Forwarded-For', () => {
    const forwarded = 'for=198.51.100.7;proto=http;by=203.0.113.43, For="[2001:db8::1]:4711"';
    expect(behind('10.1.1.1', '', forwarded)).toBe('198.51.100.7');
    expect(behind('10.1.1.1', '203.0.113.9', forwarded)).toBe('203.0.113.9');
  });

  test.each(['unknown', '_hidden', '1.2.3', '203.0.113.9,nonsense', ','])(
    'is that of the proxy that wrote "%s"',
    (forwardedFor) => {
      expect(behind('10.1.1.1', forwardedFor)).toBe('10.1.1.1');
      expect(behind('10.1.1.1', `${forwardedFor},10.2.2.2`)).toBe('10.2.2.2');
    },
  );
});

test.each(['x', '1.2.3.4/33', '1.2.3.4/', '::/129', '1.2.3.4/a', '1.2.3.4/-1', ''])(
  '"%s" is no range',
  (range) => {
    expect(() => new TrustedProxies([range])).toThrow(
      `"${range}" is neither an address nor a range`,
    );
  },
);
