import { expect, it } from 'vitest';
import { groupRepeats } from './repeats.ts';

const keyOf = (entry: string) => entry.split(' ')[0] ?? '';

it('groups what repeats at the place of its newest entry, and loses nothing', () => {
  const entries = ['wall 9', 'deer 8', 'wall 7', 'wall 5', 'lorry 4', 'deer 2'];
  expect(groupRepeats(entries, keyOf)).toEqual([
    { entry: 'wall 9', older: ['wall 7', 'wall 5'] },
    { entry: 'deer 8', older: ['deer 2'] },
    { entry: 'lorry 4', older: [] },
  ]);
  expect(groupRepeats([], String)).toEqual([]);
});

it('puts what is unfolded where its time is', () => {
  const entries = ['wall 9', 'deer 8', 'wall 7', 'lorry 4', 'wall 2', 'deer 1'];
  const shown = groupRepeats(entries, keyOf, (key) => key === 'wall');
  expect(shown.map(({ entry }) => entry)).toEqual(entries.filter((entry) => entry !== 'deer 1'));
  expect(shown[0]?.older).toEqual(['wall 7', 'wall 2']);
  expect(shown[2]?.older).toEqual([]);
  const withDeer = groupRepeats(entries, keyOf, (_, group) => group.includes('deer 1'));
  expect(withDeer.map(({ entry }) => entry)).toEqual(['wall 9', 'deer 8', 'lorry 4', 'deer 1']);
});
