import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { incidentWith } from '../../../testing/doubles/incident.ts';
import { EarlierIncidents } from './earlier-incidents.ts';

const report = (tick: number) => incidentWith('A', { id: `i${tick}-0`, tick });

let asked: number[];
let failures: number;
beforeEach(() => {
  vi.useFakeTimers();
  [asked, failures] = [[], 0];
});
afterEach(() => {
  vi.useRealTimers();
});

function stage(begin: number | undefined) {
  const life = { begin: signal(begin) };
  const shown = signal<typeof life | null>(life);
  const earlier = new EarlierIncidents(shown, async (untilTick) => {
    asked.push(untilTick);
    if (failures-- > 0) throw new Error('not now');
    return [report(300), report(900)];
  });
  return { life, shown, earlier };
}

test('[P41] reports from before the beginning of a life are read once, and are marks at that', async () => {
  const { life, shown, earlier } = stage(undefined);
  const found = earlier.find('i900-0');
  await vi.advanceTimersByTimeAsync(10_000);
  expect([asked, earlier.reports.value]).toEqual([[], null]);
  life.begin.value = 1000;
  await vi.advanceTimersByTimeAsync(0);
  shown.value = null;
  shown.value = life;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toEqual([1000]);
  expect(await found).toEqual(report(900));
  expect(await earlier.find('i901-0')).toBeUndefined();
  expect([earlier.has('i300-0'), earlier.has('i1-0')]).toEqual([true, false]);
  const [first, second] = earlier.marks.value;
  expect(first).toMatchObject({ tick: 1000, kind: 'earlier', incident: 'i300-0' });
  expect(first?.message).toMatch(/, without a replay$/);
  expect(second).toMatchObject({ tick: 1000, incident: 'i900-0' });
});

test('[P41] a life that began with its world has none, and nothing is read', async () => {
  const { earlier } = stage(0);
  expect(await earlier.find('i900-0')).toBeUndefined();
  expect([asked, earlier.reports.value]).toEqual([[], []]);
});

test('reports that cannot be read are read later, and anew where a world starts over', async () => {
  failures = 2;
  const { life, earlier } = stage(1000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([asked, earlier.reports.value?.length]).toEqual([[1000, 1000, 1000], 2]);
  life.begin.value = 5000;
  await vi.advanceTimersByTimeAsync(0);
  expect([asked.at(-1), earlier.marks.value[0]?.tick]).toEqual([5000, 5000]);
});
