import { expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../src/config.ts';
import { PRICES_US } from '../../src/http/server/prices.ts';
import { createRateLimits } from '../../src/http/server/rate-limits.ts';
import { TestTime } from '../../src/testing/doubles/test-time.ts';
import { countPacked } from '../../src/twin/journal.ts';
import { parseWorldOptions, type WorldOptions } from '../../src/twin/world-options.ts';
import { recklessTicks } from './large-answers.ts';
import { longJournal, recklessWorld, WORLD_BODY_BYTES } from './world-bodies.ts';

const optionsOf = (body: string) => parseWorldOptions(JSON.parse(body), ['mixed-town']);
const countOf = ({ journal }: WorldOptions) => countPacked(journal?.changes ?? new Int32Array(0));

test('a long journal is valid and fills a body', () => {
  const body = longJournal();
  expect(body.length).toBeLessThanOrEqual(WORLD_BODY_BYTES);
  expect(body.length).toBeGreaterThan(WORLD_BODY_BYTES - 100);
  expect(countOf(optionsOf(body))).toBeGreaterThan(23_000);
});

test('an invalid journal is only found to be so at its last change', () => {
  const body = longJournal('wings');
  const { changes } = JSON.parse(body).journal;
  const hint = expect.stringContaining(
    `journal.changes[${changes.length - 1}].features has "wings"`,
  );
  expect(() => optionsOf(body)).toThrow(expect.objectContaining({ hint }));
});

test('a reckless world begins late, with all cars changed', () => {
  const options = optionsOf(recklessWorld(890_000));
  expect(options.startTick).toBe(890_000);
  expect(countOf(options)).toBe(20);
});

test('an address may make the reckless world of an attack of any length', () => {
  const limits = createRateLimits(DEFAULT_RATE_LIMITS, TestTime.standing());
  const ticks = recklessTicks(60);
  const bodyUs = PRICES_US.parsedByte * recklessWorld(ticks).length;
  limits.work?.take('hostile', bodyUs + PRICES_US.world + PRICES_US.tick * ticks);
});
