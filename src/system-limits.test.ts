import { expect, test } from 'vitest';
import { connectionsAllowed, readSystemLimits, systemWarnings } from './system-limits.ts';

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             96365                96365                processes
Max open files            4096                 65536                files     `;

const reading = (files: Record<string, string>) => (file: string) => files[file] ?? '';

test('the limits of Linux are read, and connections leave some descriptors to the node', () => {
  const limits = readSystemLimits(
    reading({
      '/proc/self/limits': LIMITS,
      '/proc/sys/net/ipv4/tcp_rmem': '4096\t131072\t6291456\n',
    }),
  );
  expect(limits).toEqual({ descriptorsMax: 4096, receiveBufferBytesMax: 6_291_456 });
  expect(connectionsAllowed(limits)).toBe(3840);
  expect(systemWarnings(limits, 3840)).toEqual([
    expect.stringContaining('at most 3840 connections'),
    expect.stringContaining('net.ipv4.tcp_rmem allows 6291456 bytes'),
  ]);
  expect(systemWarnings(limits, 20_000)[0]).toContain('MAX_CONNECTIONS is 20000');
});

test('a system that has enough, and one that does not say, give no warning', () => {
  const much = readSystemLimits(
    reading({
      '/proc/self/limits': LIMITS.replace('4096 ', '1048576'),
      '/proc/sys/net/ipv4/tcp_rmem': '4096 131072 393216',
    }),
  );
  expect(systemWarnings(much, connectionsAllowed(much))).toEqual([]);
  const unknown = readSystemLimits(reading({}));
  expect(connectionsAllowed(unknown)).toBe(Number.POSITIVE_INFINITY);
  expect(systemWarnings(unknown, connectionsAllowed(unknown))).toEqual([]);
});
