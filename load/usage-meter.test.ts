import { expect, test } from 'vitest';
import { systemTime } from '../src/time.ts';
import { formatMiB, formatShare, parseStat, UsageMeter } from './usage-meter.ts';

test('processor time and memory are read past a command with blanks and parentheses', () => {
  const fields = '1 1 1 0 -1 4194560 20000 0 0 0 150 25 0 0 20 0 11 0 12345 999424000 2560 1844';
  expect(parseStat(`4242 (node (dev) x) S ${fields}`)).toEqual({
    cpuMs: 1750,
    rssBytes: 2560 * 4096,
  });
});

test.runIf(process.platform === 'linux')('a meter sees work done by its process', () => {
  const meter = new UsageMeter(process.pid);
  const busyUntilMs = systemTime.now() + 120;
  while (systemTime.now() < busyUntilMs) Math.sqrt(busyUntilMs);
  const usage = meter.read();
  expect(usage.cpuMs).toBeGreaterThan(0);
  expect(usage.busiestThreadShare).toBeGreaterThan(0);
  expect(usage.rssBytes).toBeGreaterThan(1024 * 1024);
});

test('shares and sizes are printed for readers', () => {
  expect([formatShare(0.0042), formatShare(1.234)]).toEqual(['0.4 % of a core', '123 % of a core']);
  expect(formatMiB(1.5 * 1024 * 1024)).toBe('2 MiB');
});
