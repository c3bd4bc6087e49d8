import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemTime } from '../src/time.ts';
import { formatMiB, formatShare, LoadMeter, parseStat, usageMeter } from './usage-meter.ts';

test('processor time and memory are read past a command with blanks and parentheses', () => {
  const fields = '1 1 1 0 -1 4194560 20000 0 0 0 150 25 0 0 20 0 11 0 12345 999424000 2560 1844';
  expect(parseStat(`4242 (node (dev) x) S ${fields}`)).toEqual({
    cpuMs: 1750,
    rssBytes: 2560 * 4096,
  });
});

test('a meter sees what its process and its busiest thread have used since', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'usage-meter-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, ticks: number): void => {
    mkdirSync(join(folder, path), { recursive: true });
    const fields = `1 1 1 0 -1 0 0 0 0 0 ${ticks} 0 0 0 20 0 11 0 12345 999424000 2560`;
    writeFileSync(join(folder, path, 'stat'), `1 (node) S ${fields}`);
  };
  write('', 100);
  write('task/1', 90);
  write('task/2', 10);
  const read = usageMeter(folder);
  write('', 160);
  write('task/1', 100);
  write('task/2', 60);
  await systemTime.sleep(1);
  const usage = read();
  expect([usage.cpuMs, usage.rssBytes]).toEqual([600, 2560 * 4096]);
  expect(usage.wallMs).toBeGreaterThan(0);
  expect(usage.cpuShare).toBeCloseTo(600 / usage.wallMs);
  expect(usage.busiestThreadShare).toBeCloseTo(500 / usage.wallMs);
});

test('a meter of this process sees its work', () => {
  const meter = new LoadMeter({ pid: undefined });
  const busyUntilMs = systemTime.now() + 120;
  while (systemTime.now() < busyUntilMs) Math.sqrt(busyUntilMs);
  expect(meter.ownShare()).toBeGreaterThan(0);
  expect(meter.server()).toBeUndefined();
});

test('shares and sizes are printed for readers', () => {
  expect([formatShare(0.0042), formatShare(1.234)]).toEqual(['0.4 % of a core', '123 % of a core']);
  expect(formatMiB(1.5 * 1024 * 1024)).toBe('2 MiB');
});
