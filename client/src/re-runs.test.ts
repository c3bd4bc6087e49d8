import { afterEach, expect, test, vi } from 'vitest';
import { LEAD_TICKS_MAX } from '../../src/limits.ts';
import { Rewind } from '../../src/shard/counterfactual/rewind.ts';
import { COMPARED_END_TICKS } from '../../src/twin/contact-records.ts';
import { builtAssets } from '../testing/built-assets.ts';
import { journalOf, randomChanges } from '../testing/random-journal.ts';
import { LocalWorld } from './local-world.ts';

const END_TICK = 6600;

afterEach(() => {
  vi.restoreAllMocks();
});

test('[K4] a collision is run again with the changes of these seconds, not with all of a life', async () => {
  const changes = randomChanges(12, END_TICK);
  const world = await LocalWorld.create({
    ...{ journal: journalOf('grid', 12, changes), assets: builtAssets },
  });
  world.step(END_TICK);
  const incident = world.incidents().find(({ tick }) => tick > END_TICK / 3);
  if (incident === undefined) throw new Error('something has collided');
  const restore = vi.spyOn(Rewind.prototype, 'restore');
  expect((await world.explain(incident.id)).explained).toBe(true);
  await world.replay(incident.id);
  const { tick } = incident;
  const wanted = changes.filter(
    (each) => each.tick > tick - LEAD_TICKS_MAX && each.tick <= tick + COMPARED_END_TICKS,
  );
  expect(wanted.length).toBeGreaterThan(3);
  expect(restore.mock.calls.length).toBeGreaterThan(2);
  for (const [start] of restore.mock.calls) expect(start.changes).toEqual(wanted);
  world.close();
});
