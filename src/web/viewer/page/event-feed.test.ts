import { type Signal, signal } from '@preact/signals';
import { beforeEach, expect, test, vi } from 'vitest';
import { incidentWith } from '../../../testing/doubles/incident.ts';
import type { Incident, WorldEvent } from '../api/types.ts';
import type { Extent } from '../life/life.ts';
import type { Happened } from '../life/local-life.ts';
import { EventFeed } from './event-feed.ts';
import type { LiveWorld } from './live-world.ts';

const EARLIER = incidentWith('A', { id: 'i300-0', tick: 300 });
const read = vi.fn(async () => [EARLIER]);
vi.mock('../api/twin.ts', () => ({ readIncidentsUntil: () => read() }));

const crash = (seq: number, tick: number): WorldEvent => ({
  ...{ seq, tick, time: tick / 50, count: 1, kind: 'collision', vin: null, feature: null },
  ...{ hazard: null, consequence: null, distance: null },
  ...{ incident: `i${tick}-0`, message: `crash ${tick}` },
});
const report = (vin: string, tick: number): Incident =>
  incidentWith(vin, { id: `i${tick}-0`, tick });

let happened: ReturnType<typeof signal<Happened>>;
let begin: Signal<number | undefined>;
let extent: Signal<Extent | undefined>;
let playback: { newest?: { tick: number } };
let life: Signal<object | null>;
let feed: EventFeed;
let news: (readonly WorldEvent[])[];
beforeEach(() => {
  happened = signal<Happened>({ events: [], incidents: [] });
  begin = signal<number | undefined>(0);
  extent = signal<Extent | undefined>(undefined);
  playback = {};
  life = signal<object | null>({ happened, begin, extent });
  const live = { id: 'w', life, isTold: signal(false), playback };
  feed = new EventFeed(live as unknown as LiveWorld);
  news = [];
  feed.onNews = (events) => news.push(events);
  feed.start();
});

test('[P23] of several collisions at once that of the picked car comes first, else the last', () => {
  const events = [crash(1, 2000), crash(2, 2010)];
  happened.value = { events, incidents: [report('A', 2000), report('B', 2010)] };
  expect(news).toEqual([events]);
  expect(feed.foremost(events, 'A')?.message).toBe('crash 2000');
  expect(feed.foremost(events, 'B')?.message).toBe('crash 2010');
  expect(feed.foremost(events, 'C')?.message).toBe('crash 2010');
  expect(feed.foremost(events, null)?.message).toBe('crash 2010');
  expect(feed.foremost([], 'A')).toBeUndefined();
});

test('[P41] the list has what was before the life too, and keeps it while that goes on', async () => {
  begin.value = 1000;
  await vi.waitFor(() => expect(feed.incidents.value).toEqual([EARLIER]));
  happened.value = { events: [crash(1, 2000)], incidents: [report('B', 2000)] };
  expect(feed.incidents.value).toEqual([report('B', 2000), EARLIER]);
  expect(read).toHaveBeenCalledTimes(1);
});

test('what happened more than ten seconds ago is in the list, and is no news', () => {
  const [old, older] = [crash(2, 59_499), crash(1, 2000)];
  const recent = crash(3, 59_500);
  extent.value = [0, 60_000];
  happened.value = { events: [older, old], incidents: [report('A', 2000), report('A', 59_499)] };
  expect([news, feed.events.value]).toEqual([[], [old, older]]);
  happened.value = { events: [older, old, recent], incidents: [report('A', 59_500)] };
  expect(news).toEqual([[recent]]);
});

test('how long ago it was is counted from the newest frame where nothing lives here', () => {
  playback.newest = { tick: 3000 };
  happened.value = { events: [crash(1, 2000)], incidents: [report('A', 2000)] };
  expect(news).toEqual([]);
  playback.newest = { tick: 3020 };
  const recent = crash(2, 3010);
  happened.value = { events: [crash(1, 2000), recent], incidents: [report('A', 3010)] };
  expect(news).toEqual([[recent]]);
});

test('[P41] there may be earlier collisions until the beginning of the life and its reports are known', async () => {
  expect(feed.lacksEarlier.value).toBe(false);
  begin.value = undefined;
  expect(feed.lacksEarlier.value).toBe(true);
  begin.value = 1000;
  expect(feed.lacksEarlier.value).toBe(true);
  await vi.waitFor(() => expect(feed.lacksEarlier.value).toBe(false));
  begin.value = undefined;
  life.value = null;
  expect(feed.lacksEarlier.value).toBe(false);
});
