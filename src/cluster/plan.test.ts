import { describe, expect, test } from 'vitest';
import { PARTITION_COUNT } from '../limits.ts';
import { type Candidate, keptPlan, type Move, plan } from './plan.ts';

const node = (process: string, about: Partial<Candidate> = {}): Candidate => ({
  process,
  build: 1,
  isDraining: false,
  isCutOff: false,
  ...about,
});
const nodes = (count: number) => Array.from({ length: count }, (_, i) => node(`node-${i}:0a`));
const FREE = Array.from({ length: PARTITION_COUNT }, () => undefined);

function applied(holders: readonly (string | undefined)[], moves: readonly Move[]) {
  const result = [...holders];
  for (const { partition, from, to } of moves) {
    expect(result[partition]).toBe(from);
    result[partition] = to;
  }
  return result;
}

function counts(holders: readonly (string | undefined)[], of: readonly Candidate[]): number[] {
  return of.map(({ process }) => holders.filter((holder) => holder === process).length);
}

const spread = (numbers: readonly number[]) => Math.max(...numbers) - Math.min(...numbers);

describe('free partitions', () => {
  test.each([1, 2, 3, 5, 64, 100])('%i nodes share them evenly', (count) => {
    const candidates = nodes(count);
    const holders = applied(FREE, plan({ candidates, holders: FREE }));
    expect(holders).not.toContain(undefined);
    expect(spread(counts(holders, candidates))).toBeLessThanOrEqual(1);
  });

  test('those of a dead node go to the others, and nothing else moves', () => {
    const candidates = nodes(4);
    const before = applied(FREE, plan({ candidates, holders: FREE }));
    const dead = candidates[3]?.process;
    const holders = before.map((holder) => (holder === dead ? undefined : holder));
    const moves = plan({ candidates: candidates.slice(0, 3), holders });
    expect(moves.map(({ from }) => from)).toEqual(Array.from({ length: 16 }, () => undefined));
    expect(spread(counts(applied(holders, moves), candidates.slice(0, 3)))).toBeLessThanOrEqual(1);
  });

  test('without a node that is able nobody takes them', () => {
    const candidates = [node('a', { isDraining: true }), node('b', { isCutOff: true })];
    expect(plan({ candidates, holders: FREE })).toEqual([]);
  });
});

describe('balance', () => {
  test.each([2, 3, 7, 20])('a node that joins %i gets its share with the fewest moves', (count) => {
    const candidates = nodes(count + 1);
    const holders = applied(FREE, plan({ candidates: candidates.slice(0, count), holders: FREE }));
    const moves = plan({ candidates, holders });
    expect(moves.length).toBe(Math.floor(PARTITION_COUNT / (count + 1)));
    expect(new Set(moves.map(({ to }) => to))).toEqual(new Set([candidates[count]?.process]));
    const result = applied(holders, moves);
    expect(spread(counts(result, candidates))).toBeLessThanOrEqual(1);
    expect(plan({ candidates, holders: result })).toEqual([]);
  });

  test('the order in which nodes are known makes no difference', () => {
    const candidates = nodes(5);
    const holders = applied(FREE, plan({ candidates: candidates.slice(0, 2), holders: FREE }));
    const moves = plan({ candidates, holders });
    expect(plan({ candidates: candidates.toReversed(), holders })).toEqual(moves);
    expect(moves.length).toBeGreaterThan(0);
  });

  test('a node that drains or is cut off gets nothing', () => {
    const [a = node(''), b = node('')] = nodes(2);
    const holders = FREE.map(() => a.process);
    expect(plan({ candidates: [a, { ...b, isDraining: true }], holders })).toEqual([]);
    expect(plan({ candidates: [a, { ...b, isCutOff: true }], holders })).toEqual([]);
    expect(plan({ candidates: [a, b], holders }).length).toBe(32);
  });
});

describe('builds', () => {
  const [old, fresh] = [node('old', { build: 1 }), node('new', { build: 2 })];

  test('nothing moves from a newer build to an older one', () => {
    const holders = FREE.map(() => fresh.process);
    expect(plan({ candidates: [old, fresh], holders })).toEqual([]);
  });

  test('an older node gives to a newer one', () => {
    const holders = FREE.map(() => old.process);
    expect(plan({ candidates: [old, fresh], holders }).length).toBe(32);
  });

  test('what is free goes to the newest', () => {
    const moves = plan({ candidates: [old, fresh], holders: FREE });
    expect(new Set(moves.map(({ to }) => to))).toEqual(new Set(['new']));
  });

  test('once the newest drains, the older take over', () => {
    const candidates = [old, { ...fresh, isDraining: true }];
    const moves = plan({ candidates, holders: FREE });
    expect(new Set(moves.map(({ to }) => to))).toEqual(new Set(['old']));
  });
});

describe('a kept plan', () => {
  const candidates = nodes(3);
  const two = candidates.slice(0, 2);
  const holders = applied(FREE, plan({ candidates: two, holders: FREE }));
  const [first = node(''), ...others] = candidates;

  test('stays the same in the same situation', () => {
    const planned = keptPlan();
    const moves = planned({ candidates, holders });
    expect(moves.length).toBeGreaterThan(0);
    expect(planned({ candidates: [...candidates], holders: [...holders] })).toBe(moves);
  });

  test.each([
    ['a node has come', { candidates: [...candidates, node('node-9:0a')], holders }],
    ['a node has gone', { candidates: two, holders }],
    ['a node drains', { candidates: [{ ...first, isDraining: true }, ...others], holders }],
    ['a node is cut off', { candidates: [{ ...first, isCutOff: true }, ...others], holders }],
    ['a node has another build', { candidates: [{ ...first, build: 2 }, ...others], holders }],
    ['a partition is free', { candidates, holders: holders.with(0, undefined) }],
  ])('is made anew when %s', (_, situation) => {
    const planned = keptPlan();
    expect(planned({ candidates, holders })).not.toEqual(plan(situation));
    expect(planned(situation)).toEqual(plan(situation));
  });
});
