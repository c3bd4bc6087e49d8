import { expect, test } from 'vitest';
import { LiveIncidents, liveSummary, outOfOrder } from './live-incidents.ts';

const collision = (tick: number, incident: string) => ({ tick, kind: 'collision', incident });

test('an incident is asked for once it is over, and again until it is explained', () => {
  const live = new LiveIncidents(10_000, 0);
  live.note([collision(50, 'a'), { tick: 60, kind: 'hazard', incident: null }]);
  // Tick 50 is at 11 s, the end two seconds later.
  expect(live.toAsk(13_099, 100)).toEqual([]);
  expect(live.toAsk(13_100, 100)).toEqual(['a']);
  expect(live.toAsk(13_200, 100)).toEqual([]);
  expect(live.answered('a', false, 13_200)).toBeUndefined();
  expect(live.toAsk(13_300, 100)).toEqual(['a']);
  expect(live.waiting(13_400)).toEqual([400]);
  expect(live.answered('a', true, 13_450)).toBe(450);
  live.note([collision(50, 'a')]);
  expect(live.toAsk(20_000, 100)).toEqual([]);
  expect(live.waiting(20_000)).toEqual([]);
});

test('a further contact extends the incident', () => {
  const live = new LiveIncidents(0, 0);
  live.note([collision(0, 'a')]);
  live.note([collision(0, 'a'), collision(75, 'a')]);
  expect(live.toAsk(3499, 0)).toEqual([]);
  expect(live.toAsk(3500, 0)).toEqual(['a']);
});

test('incidents that were over before do not count', () => {
  const live = new LiveIncidents(0, 3000);
  live.note([collision(49, 'before'), collision(50, 'after')]);
  expect(live.toAsk(9000, 0)).toEqual(['after']);
});

test('overdue incidents count with the time they have waited', () => {
  const { explained, late, open } = liveSummary([300, 500, 2500], [100, 4000]);
  expect([explained.count, late, open]).toEqual([4, 2, 1]);
  expect(explained.maxMs).toBeCloseTo(4000, -1);
});

test('an old incident that is explained before a newer one is out of order', () => {
  expect(outOfOrder([])).toBe(0);
  expect(outOfOrder([false, false, true, true])).toBe(0);
  expect(outOfOrder([true, true, true])).toBe(0);
  expect(outOfOrder([true, false, true, false, true])).toBe(2);
});
