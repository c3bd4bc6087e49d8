import { describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { cityOf } from '../../testing/rigs/cities.ts';
import { FEATURES } from '../../twin/catalogue.ts';
import { FAILS_WITHOUT } from '../../twin/spot-features.ts';
import { HAZARD_KINDS } from './kinds.ts';

const named = Object.entries(HAZARD_KINDS);

describe('The kinds of hazard', () => {
  test('have names in snake case and a description of one sentence.', () => {
    for (const [kind, { description }] of named) {
      expect(kind).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(description).toMatch(/^[A-Z][^.]{20,90}\.$/);
    }
    expect(new Set(named.map(([, { description }]) => description)).size).toBe(named.length);
  });

  test('each fail without one or more known features.', () => {
    const features = new Set(FEATURES.map(({ name }) => name));
    expect(Object.keys(FAILS_WITHOUT).toSorted()).toEqual(Object.keys(HAZARD_KINDS).toSorted());
    for (const failsWithout of Object.values(FAILS_WITHOUT)) {
      expect(failsWithout.length).toBeGreaterThan(0);
      for (const feature of failsWithout) expect(features).toContain(feature);
    }
  });

  test.each(CITIES)(
    '[W27] of $name are ten or more and together fail without each of the twelve features.',
    ({ name, seed }) => {
      const kinds = cityOf(name, seed).hazards.map(({ kind }) => kind);
      // One on each of two circuits.
      const alike = Map.groupBy(kinds, (kind) => kind);
      for (const equal of alike.values()) expect(equal.length).toBeLessThanOrEqual(2);
      expect(kinds.length).toBeGreaterThanOrEqual(10);
      expect(kinds.length).toBeLessThanOrEqual(16);
      const covered = new Set(kinds.flatMap((kind) => FAILS_WITHOUT[kind]));
      expect([...covered].sort()).toEqual(FEATURES.map(({ name: feature }) => feature).sort());
    },
  );
});
