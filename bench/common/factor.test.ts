import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { factorOf, formatFactor, keepFactor, measuredFactor } from './factor.ts';

test('the factor is the car-tick over that of the reference machine, at most 3', () => {
  expect(factorOf(170)).toBe(1);
  expect(factorOf(374)).toBeCloseTo(2.2);
  expect(factorOf(900)).toBe(3);
});

test('a factor is kept for later reports, and does not count on another machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'factor-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'new', 'factor.json');
  expect(measuredFactor(file)).toBeUndefined();
  const kept = keepFactor(340, file);
  expect(measuredFactor(file)).toEqual(kept);
  expect(formatFactor(kept)).toContain('machine factor 2.00, measured 2');
  writeFileSync(file, readFileSync(file, 'utf8').replace(kept.cpu, 'another processor'));
  expect(measuredFactor(file)).toBeUndefined();
});
