import { expect, onTestFinished, test } from 'vitest';
import { LocalWorld } from '../../client/src/local-world.ts';
import { builtAssets } from '../../client/testing/built-assets.ts';
import { CITIES } from '../../src/city/catalogue.ts';
import type { Difference } from './difference.ts';
import { WorldCheck } from './world-check.ts';

/** It switches everything off. */
const CHANGE = { seq: 1, tick: 30, car: 0, touched: 0xfff, values: 0 };

async function makeCheck() {
  const city = CITIES[0]?.name ?? '';
  const [local, node] = await Promise.all(
    [1, 1].map((seed) => LocalWorld.create({ city, seed, assets: builtAssets })),
  );
  if (!local || !node) throw new Error('two were made');
  onTestFinished(() => {
    local.close();
    node.close();
  });
  const journal = Promise.withResolvers<number>();
  const differences: Difference[] = [];
  const journalLength = () => journal.promise;
  const onDifference = (difference: Difference) => void differences.push(difference);
  const check = new WorldCheck({ local, journalLength, onDifference });
  return { check, node, journal, differences };
}

test('a frame that differs waits until all of the journal is told, and counts as one that waits', async () => {
  const { check, node, journal, differences } = await makeCheck();
  node.change(CHANGE);
  node.step(400);
  check.frame('json', node.tick, node.frame('json'));
  expect(check.waiting).toBe(1);
  journal.resolve(1);
  await journal.promise;
  expect(check.waiting).toBe(1);
  check.change(CHANGE);
  await expect.poll(() => check.waiting).toBe(0);
  expect(differences).toEqual([]);
  expect(check.same.json).toBe(1);
});

test('a frame that differs although all is known waits no longer, and is reported', async () => {
  const { check, node, journal, differences } = await makeCheck();
  node.change(CHANGE);
  node.step(400);
  journal.resolve(0);
  check.frame('json', node.tick, node.frame('json'));
  await expect.poll(() => check.waiting).toBe(0);
  expect(differences).toHaveLength(1);
});
