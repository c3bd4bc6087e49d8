import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { incidentWith } from '../../../testing/doubles/incident.ts';
import { RequestError } from '../../common/request.ts';
import type { Incident, Replay, Snapshot } from '../api/types.ts';
import type { LiveWorld } from './live-world.ts';
import { ReplayPlayer } from './replay-player.ts';

vi.mock('../../common/media.ts', () => ({ prefersReducedMotion: signal(false) }));

const EARLIER = incidentWith('A', { id: 'i300-0', tick: 300, explained: false });
const LATER = incidentWith('A', { id: 'i900-0', tick: 900, explained: true });

const CAR = { vin: 'A', model: 'Lumen City', plate: 'p', colour: 'teal' };

let asked: string[];
beforeEach(() => {
  asked = [];
});
afterEach(() => {
  vi.useRealTimers();
});

/** A player whose world answers with these reports, or with these errors where it has no replay. */
function open(
  id: string,
  answers: Record<string, Incident | Replay | null | Error>,
  fleet = signal([CAR]),
): ReplayPlayer {
  const ask = async (question: string, [asks = '']: readonly string[]) => {
    asked.push(`${question} ${asks}`);
    const answer = answers[`${question} ${asks}`];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const live = { id: 'w', fleet, ask } as unknown as LiveWorld;
  const player = new ReplayPlayer(live, {
    find: async (sought) => (sought === EARLIER.id ? EARLIER : undefined),
    has: (sought) => sought === EARLIER.id,
  });
  player.open(id);
  return player;
}

async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

test('[P41] of a collision from before the life there is a report, and no replay is asked for', async () => {
  const player = open(EARLIER.id, { 'incident i300-0': null });
  await settled();
  expect([player.incident.value, player.hasNoReplay.value]).toEqual([EARLIER, true]);
  expect([player.isUnknown.value, player.error.value]).toEqual([false, '']);
  player.choose(0);
  await settled();
  expect(asked).toEqual(['incident i300-0']);
  player.open(null);
  expect(player.hasNoReplay.value).toBe(false);
});

test('a report of the service whose replay it does not have is shown as well', async () => {
  const error = new RequestError(404, 'It cannot be replayed.', 'unknown_incident');
  const player = open(LATER.id, { 'incident i900-0': LATER, 'replay i900-0': error });
  await settled();
  expect([player.incident.value, player.hasNoReplay.value]).toEqual([LATER, true]);
  expect([player.isUnknown.value, player.error.value]).toEqual([false, '']);
});

test('an incident that the whole life does not have is unknown, and no service is asked', async () => {
  const player = open('i5-0', { 'incident i5-0': null });
  await settled();
  expect([player.incident.value, player.isUnknown.value]).toEqual([null, true]);
  expect([player.hasNoReplay.value, asked]).toEqual([false, ['incident i5-0']]);
});

/** A replay of the later collision up to a tick. */
function replayUpTo(endTick: number): Replay {
  const ticks = Array.from({ length: (endTick - 500) / 4 + 1 }, (_, i) => 500 + 4 * i);
  const vehicles = [{ ...CAR, x: 0, y: 0, heading: 0, speed: 0, status: 'driving' }];
  const frames = ticks.map((tick) => ({ tick, vehicles, hazards: [], lights: [] }));
  return {
    incident: LATER.id,
    with: [],
    frames: frames as unknown as Snapshot[],
    contact_tick: 900,
  };
}

test('[P9] the seconds after the contact are read once they have been lived', async () => {
  vi.useFakeTimers();
  const answers = { 'incident i900-0': LATER, 'replay i900-0': replayUpTo(924) };
  const player = open(LATER.id, answers);
  await vi.advanceTimersByTimeAsync(0);
  player.seek(920);
  answers['replay i900-0'] = replayUpTo(1000);
  await vi.advanceTimersByTimeAsync(1500);
  expect(player.frames.at(-1)?.tick).toBe(924);
  await vi.advanceTimersByTimeAsync(1000);
  expect(player.frames.at(-1)?.tick).toBe(1000);
  expect([player.tick.value, player.isPlaying.value]).toEqual([920, true]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.filter((each) => each.startsWith('replay'))).toHaveLength(2);
});

test('what cannot be read of them is not asked for without end, nor of what was closed', async () => {
  vi.useFakeTimers();
  const answers = { 'incident i900-0': LATER, 'replay i900-0': replayUpTo(924) };
  open(LATER.id, answers);
  await vi.advanceTimersByTimeAsync(600_000);
  const times = asked.length;
  expect(times).toBeGreaterThan(3);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toHaveLength(times);
  asked = [];
  const closed = open(LATER.id, answers);
  await vi.advanceTimersByTimeAsync(0);
  closed.open(null);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toHaveLength(2);
});

test('a ghost is signed with what its car has on', async () => {
  vi.useFakeTimers();
  const failure = { vin: 'A', restores: [], effect: 'avoids' as const, set: 0, explanation: 'So.' };
  const failures = (['esc', 'front_camera'] as const).map((feature) => ({ ...failure, feature }));
  const answers = { 'incident i900-0': { ...LATER, failures }, 'replay i900-0': replayUpTo(1000) };
  const player = open(LATER.id, answers);
  await vi.advanceTimersByTimeAsync(0);
  expect(player.show()).toBe(true);
  expect(player.shown.ghostSign).toBe('with ESC and front camera');
});

test('a report is there before its replay, which is said to be on its way', async () => {
  const player = open(LATER.id, { 'incident i900-0': LATER, 'replay i900-0': new Error('down') });
  expect([player.isOpening.value, player.incident.value]).toEqual([true, null]);
  await settled();
  expect([player.isOpening.value, player.incident.value]).toEqual([true, LATER]);
  const there = open(LATER.id, { 'incident i900-0': LATER, 'replay i900-0': replayUpTo(1000) });
  await settled();
  expect([there.isOpening.value, there.asItWas.value?.incident]).toEqual([false, LATER.id]);
  const earlier = open(EARLIER.id, { 'incident i300-0': null });
  await settled();
  expect(earlier.isOpening.value).toBe(false);
  earlier.open(null);
  expect(earlier.isOpening.value).toBe(false);
});

test('[P24] what is recorded plays at the usual speed, and leaves the chosen one', async () => {
  const player = open(LATER.id, { 'incident i900-0': LATER, 'replay i900-0': replayUpTo(1000) });
  await settled();
  player.speed.value = 0.25;
  const played = player.playThrough();
  expect([player.tick.value, player.speed.value]).toEqual([500, 1]);
  for (let i = 0; i < 200 && player.isPlaying.value; i++) player.advance(0.25);
  await played;
  expect([player.tick.value, player.speed.value]).toEqual([1000, 0.25]);
});

test('a replay and its ghost are shown once it is known whose cars they are', async () => {
  const failure = { vin: 'A', restores: [], effect: 'avoids' as const, set: 0, explanation: 'So.' };
  const failures = [{ ...failure, feature: 'esc' as const }];
  const answers = { 'incident i900-0': { ...LATER, failures }, 'replay i900-0': replayUpTo(1000) };
  const fleet = signal<(typeof CAR)[]>([]);
  const player = open(LATER.id, answers, fleet);
  await settled();
  expect(player.asItWouldHaveBeen.value).not.toBeNull();
  expect(player.show()).toBe(false);
  fleet.value = [CAR];
  expect(player.show()).toBe(true);
  expect(player.shown.ghosts.map(({ vin }) => vin)).toEqual(['A']);
});

test('a car that is not of the fleet has no ghost, and the others have theirs', async () => {
  const failure = { restores: [], effect: 'avoids' as const, set: 0, explanation: 'So.' };
  const failures = ['Z', 'A'].map((vin) => ({ ...failure, vin, feature: 'esc' as const }));
  const answers = { 'incident i900-0': { ...LATER, failures }, 'replay i900-0': replayUpTo(1000) };
  const player = open(LATER.id, answers);
  await settled();
  expect(player.show()).toBe(true);
  expect(player.shown.ghosts.map(({ vin }) => vin)).toEqual(['A']);
});
