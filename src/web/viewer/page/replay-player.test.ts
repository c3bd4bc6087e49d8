import { signal } from '@preact/signals';
import { beforeEach, expect, test, vi } from 'vitest';
import { incidentWith } from '../../../testing/doubles/incident.ts';
import { RequestError } from '../../common/request.ts';
import type { Incident } from '../api/types.ts';
import type { LiveWorld } from './live-world.ts';
import { ReplayPlayer } from './replay-player.ts';

vi.mock('../../common/media.ts', () => ({ prefersReducedMotion: signal(false) }));

const EARLIER = incidentWith('A', { id: 'i300-0', tick: 300, explained: false });
const LATER = incidentWith('A', { id: 'i900-0', tick: 900, explained: true });

let asked: string[];
beforeEach(() => {
  asked = [];
});

/** A player whose world answers with these reports, or with these errors where it has no replay. */
function open(id: string, answers: Record<string, Incident | null | Error>): ReplayPlayer {
  const ask = async (question: string, [asks = '']: readonly string[]) => {
    asked.push(`${question} ${asks}`);
    const answer = answers[`${question} ${asks}`];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const live = { id: 'w', fleet: signal([]), ask } as unknown as LiveWorld;
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
