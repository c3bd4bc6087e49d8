import { expect, test } from 'vitest';
import { worldIdOf } from '../../src/twin/ids.ts';
import { partitionOfWorld } from '../cluster/cluster-map.ts';
import { isOfKill } from './rolling.ts';

const [lost, other] = [worldIdOf(1), worldIdOf(2 ** 49 + 1)];
const held = new Set([partitionOfWorld(lost)]);
const failed = { atMs: 0, world: other, status: 503, text: '{"detail":"it starts"}' };

test('a kill explains what failed of the worlds that its node had, and what met its connections', () => {
  expect(isOfKill(held, { ...failed, world: lost })).toBe(true);
  expect(isOfKill(held, { ...failed, status: undefined })).toBe(true);
  expect(isOfKill(held, { ...failed, status: 502 })).toBe(true);
  expect(isOfKill(held, { ...failed, text: 'no node is reachable' })).toBe(true);
});

test('a kill does not explain what failed of other worlds, or of none', () => {
  expect(partitionOfWorld(other)).not.toBe(partitionOfWorld(lost));
  expect(isOfKill(held, failed)).toBe(false);
  expect(isOfKill(held, { ...failed, world: undefined })).toBe(false);
});
