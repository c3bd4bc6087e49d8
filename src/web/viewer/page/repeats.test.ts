import { expect, it } from 'vitest';
import { groupRepeats } from './repeats.ts';

it('groups what repeats at the place of its newest entry, and loses nothing', () => {
  const entries = ['wall 9', 'deer 8', 'wall 7', 'wall 5', 'lorry 4', 'deer 2'];
  const groups = groupRepeats(entries, (entry) => entry.split(' ')[0] ?? '');
  expect(groups).toEqual([
    { newest: 'wall 9', older: ['wall 7', 'wall 5'] },
    { newest: 'deer 8', older: ['deer 2'] },
    { newest: 'lorry 4', older: [] },
  ]);
  expect(groupRepeats([], String)).toEqual([]);
});
