import { describe, expect, test } from 'vitest';
import { at } from '../../city/geometry.ts';
import type { Connector, Junction, Point } from '../../city/types.ts';
import { type Movement, yieldsAmong } from './right-of-way.ts';

/** Approaches by the driving direction of their traffic; 60° and 30° by sine. */
const HEADINGS = {
  south: [0, 1],
  west: [1, 0],
  north: [0, -1],
  east: [-1, 0],
  southwest: [0.5, Math.sqrt(0.75)],
  northeast: [-0.5, -Math.sqrt(0.75)],
  southeast: [-Math.sqrt(0.75), 0.5],
} as const satisfies Record<string, Point>;

type Way = `${keyof typeof HEADINGS} ${Connector['turn']}`;

/** The movements that each movement yields to, if all conflict; `main` are on the main street. */
function yields(
  control: Junction['control'],
  ways: readonly Way[],
  main: readonly (keyof typeof HEADINGS)[] = [],
): Partial<Record<Way, Way[]>> {
  const movements = ways.map((way): Movement => {
    const [side, turn] = way.split(' ') as [keyof typeof HEADINGS, Connector['turn']];
    return { turn, heading: HEADINGS[side], isMain: main.includes(side) };
  });
  const conflicts = ways.map((_, i) => [...ways.keys()].filter((other) => other !== i));
  const found = yieldsAmong(control, movements, conflicts);
  return Object.fromEntries(
    ways.map((way, i) => [way, at(found, i).map((other) => at(ways, other))]),
  );
}

describe('Where nothing is signed', () => {
  test('traffic from the right goes first, all around.', () => {
    expect(
      yields('none', ['south straight', 'east straight', 'north straight', 'west straight']),
    ).toEqual({
      'south straight': ['east straight'],
      'east straight': ['north straight'],
      'north straight': ['west straight'],
      'west straight': ['south straight'],
    });
  });

  test('a left turn gives way to oncoming traffic and to the right, not to an oncoming left turn.', () => {
    const ways = ['south left', 'north straight', 'east straight', 'west straight'] as const;
    expect(yields('none', ways)['south left']).toEqual(['north straight', 'east straight']);
    expect(yields('none', ['south left', 'north right'])).toEqual({
      'south left': ['north right'],
      'north right': [],
    });
    expect(yields('none', ['south left', 'north left'])).toEqual({
      'south left': [],
      'north left': [],
    });
  });

  test('arms that cross at 60° face each other where they are straight on, and no others.', () => {
    expect(yields('none', ['southwest left', 'northeast straight', 'east straight'])).toEqual({
      'southwest left': ['northeast straight', 'east straight'],
      'northeast straight': [],
      'east straight': ['northeast straight'],
    });
  });

  test('at a T junction the foot goes before the left arm and after the right one.', () => {
    expect(yields('none', ['south left', 'west straight', 'east straight'])).toEqual({
      'south left': ['east straight'],
      'west straight': ['south left'],
      'east straight': [],
    });
  });
});

describe.each(['priority', 'stop'] as const)('Where signs say %s', (control) => {
  test('the side street gives way to every way of the main street.', () => {
    const ways = ['south straight', 'west straight', 'west left', 'east left'] as const;
    expect(yields(control, ways, ['west', 'east'])['south straight']).toEqual([
      'west straight',
      'west left',
      'east left',
    ]);
  });

  test('on the main street only left turns give way, to oncoming traffic.', () => {
    const ways = ['west left', 'east straight', 'south straight', 'north left'] as const;
    const found = yields(control, ways, ['west', 'east']);
    expect(found['west left']).toEqual(['east straight']);
    expect(found['east straight']).toEqual([]);
  });

  test('two side streets are equal: the left turn gives way to the oncoming one.', () => {
    expect(yields(control, ['south left', 'north straight'], ['west', 'east'])).toEqual({
      'south left': ['north straight'],
      'north straight': [],
    });
  });

  test('where the main street bends, its arms are equal: the right one goes first.', () => {
    const ways = ['south straight', 'east straight', 'west straight'] as const;
    expect(yields(control, ways, ['south', 'east'])).toEqual({
      'south straight': ['east straight'],
      'east straight': [],
      'west straight': ['south straight', 'east straight'],
    });
  });
});

describe('At lights', () => {
  test('only left turns give way, to oncoming traffic: the lights see to the rest.', () => {
    const ways = ['south left', 'north straight', 'north right', 'east straight'] as const;
    expect(yields('signals', ways)).toEqual({
      'south left': ['north straight', 'north right'],
      'north straight': [],
      'north right': [],
      'east straight': [],
    });
  });
});

test('No movement yields to one that it does not conflict with.', () => {
  const movements = (['south', 'east'] as const).map(
    (side): Movement => ({ turn: 'straight', heading: HEADINGS[side], isMain: false }),
  );
  expect(yieldsAmong('none', movements, [[], []])).toEqual([[], []]);
});

test('Two movements never yield to each other.', () => {
  const sides = Object.keys(HEADINGS) as (keyof typeof HEADINGS)[];
  const ways = sides.flatMap((side) =>
    (['left', 'straight', 'right'] as const).map((turn): Way => `${side} ${turn}`),
  );
  for (const control of ['none', 'priority', 'stop', 'signals'] as const) {
    const found = yields(control, ways, ['south', 'east']);
    for (const way of ways) {
      for (const other of found[way] ?? []) expect(found[other]).not.toContain(way);
    }
  }
});
