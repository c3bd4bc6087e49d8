import { expect, test } from 'vitest';
import type { PlaceFound } from './comparison.ts';
import { type Circumstances, outcomeOf } from './verdict.ts';

const OF: Circumstances = {
  ...{ answered: 900, failed: 3, kills: 1, dropCount: 9, due: 300, unsettled: [] },
};
const SOUND: PlaceFound = {
  ...{
    place: 'Node.js',
    compared: 300,
    differing: [],
    unknown: 0,
    firstTick: 0,
    told: {},
    differences: [],
  },
  ...{ shown: 2000, wrong: [], young: 150, excused: 20, jumps: [{ ticks: 12, m: 0.1 }] },
};

function missed(spoiled: Partial<PlaceFound>, of: Partial<Circumstances> = {}): string[] {
  const { judged = [] } = outcomeOf([SOUND, { ...SOUND, ...spoiled }], { ...OF, ...of });
  return judged.flatMap(({ name, target }) => (target?.met === false ? [name] : []));
}

test('lives pass where all was seen that has to be, and nothing was wrong', () => {
  expect(missed({})).toEqual([]);
  expect(missed({ differing: ['a hash'] })).toEqual(['hashes that differ']);
  expect(missed({ wrong: ['a state'] })).toEqual(['states that were wrong when shown']);
  expect(missed({}, { unsettled: ['a world'] })).toEqual([
    'worlds that are not verified in the end',
  ]);
  const jump = [{ ticks: 20, m: 0.4 }];
  expect(missed({ jumps: jump })).toEqual(['jump of a car by a change ≤ 400 ms late']);
  // A change that is later may move cars by more.
  expect(missed({ jumps: [...SOUND.jumps, { ticks: 21, m: 0.4 }] })).toEqual([]);
});

test('lives do not pass where too little was seen, in one place only', () => {
  expect(missed({ firstTick: 3004 })).toEqual([
    'first tick that is known, in the place with the latest',
  ]);
  expect(missed({ compared: 299 })).toEqual(['hashes compared in each place']);
  expect(missed({ shown: 0, young: 0, excused: 0 })).toEqual(['states looked at in each place']);
  expect(missed({ shown: 299, excused: 0 })).toEqual(['states looked at in each place']);
  expect(missed({ excused: 101 })).toEqual(['of these excused, in one place']);
  const noJump = ['late changes by which a car could jump in each place'];
  expect(missed({ jumps: [] })).toEqual(noJump);
  expect(missed({ jumps: [{ ticks: 21, m: 0.1 }] })).toEqual(noJump);
});
