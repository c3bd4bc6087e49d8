import { signal } from '@preact/signals';
import { beforeEach, expect, test, vi } from 'vitest';
import { incidentWith } from '../../../testing/doubles/incident.ts';
import type { Incident, WorldEvent } from '../api/types.ts';
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
let begin: ReturnType<typeof signal<number>>;
let feed: EventFeed;
let news: (readonly WorldEvent[])[];
beforeEach(() => {
  happened = signal<Happened>({ events: [], incidents: [] });
  begin = signal(0);
  const live = { id: 'w', life: signal({ happened, begin }), isTold: signal(false) };
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
