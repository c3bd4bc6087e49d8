import { describe, expect, test } from 'vitest';
import { expectTruth, isVerified, type Stage, stage } from '../testing/live-stage.ts';
import { randomChanges } from '../testing/random-journal.ts';

const AGE_TICKS = 10_000;
const IMAGE_AGE_TICKS = 400;
/** Of the last change before the image. */
const SWITCHED_TICK = 9000;

/** A world that begins with an image here. */
async function joined(fetchJournal?: () => Promise<never>): Promise<Stage> {
  const on = stage({
    node: { city: 'grid', seed: 12, ageTicks: AGE_TICKS },
    prepare: (node) => {
      node.imageAgeTicks = IMAGE_AGE_TICKS;
      node.changes.push(...randomChanges(12, SWITCHED_TICK));
    },
    dependencies: { fetchJournal: fetchJournal ?? (async () => on.node.changes) },
  });
  await on.until(() => isVerified(on));
  return on;
}

/** What `knowWholeLife` resolves to. */
async function known(on: Stage): Promise<boolean | 'refused'> {
  let outcome: boolean | 'refused' | undefined;
  on.live.knowWholeLife().then(
    (isKnown) => {
      outcome = isKnown;
    },
    () => {
      outcome = 'refused';
    },
  );
  await on.until(() => outcome !== undefined);
  return outcome ?? 'refused';
}

describe('[K11] what lies before the first state that the node has sent', () => {
  test('is not known at first, then as the node had it: states, events and incidents', async () => {
    const on = await joined();
    const { world } = on.live;
    if (world === undefined) throw new Error('the world lives here');
    expect(world.knowsAll).toBe(false);
    expect(() => world.at(1234)).toThrow(RangeError);
    expect(() => world.journal()).toThrow(/^changes 1 to \d+ are not known here$/);
    expect(await known(on)).toBe(true);
    expect([world.knowsAll, world.firstTick]).toEqual([true, 0]);

    for (const tick of [0, 1, 1234, 3000, 9100, world.tick]) {
      const truth = await on.node.truth(tick);
      expect(world.at(tick).hash).toBe(truth.hash());
      truth.close();
    }
    const truth = await on.node.truth(world.tick);
    expect(world.events(10_000)).toEqual(truth.events(10_000));
    expect(world.incidents()).toEqual(truth.incidents());
    expect(truth.incidents().length).toBeGreaterThan(0);
    expect(world.journal()).toEqual(truth.journal());
  });

  test('does not matter for what comes later: changes that are late, forks, reports', async () => {
    const on = await joined();
    expect(await known(on)).toBe(true);
    const { world } = on.live;
    const [incident] = world?.incidents() ?? [];
    if (world === undefined || incident === undefined) throw new Error('something has collided');
    expect((await world.explain(incident.id)).explained).toBe(true);
    expect(world.fork(incident.tick - 1).tick).toBe(incident.tick - 1);
    on.node.change(3, 1, 0, 300);
    await on.time.advance(5000);
    await expectTruth(on);
    expect(on.live.state).toBe('verified');
  });

  test('stays unknown if the journal cannot be had, or tells of another life', async () => {
    const refused = async () => {
      throw new Error('503');
    };
    expect(await known(await joined(refused))).toBe('refused');

    const on = await joined();
    const [first] = on.node.changes;
    if (first === undefined) throw new Error('there are changes');
    on.node.changes[0] = { ...first, values: first.touched & ~first.values };
    expect(await known(on)).toBe(false);
    expect(on.live.world?.knowsAll).toBe(false);
  });
});
