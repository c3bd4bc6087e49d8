import { expect, it } from 'vitest';
import { CAR_COUNT, F_ALL, F_BRAKES, F_STEERING } from '../../assembly/layout.ts';
import { scenesSection } from './scenes-report.ts';
import { noScenes, type Scenes, watchScenes } from './scenes-world.ts';

const WELL: Scenes = {
  ...noScenes(),
  worlds: 9,
  moves: 900,
  actorChanges: 900,
  told: 300,
  found: 300,
};

const missed = (counted: Partial<Scenes>, pathsInBuildings = 0) => {
  const rows = [{ name: 'worlds', counted: { ...WELL, ...counted } }];
  const { figures } = scenesSection({ rows, pathsInBuildings, accounts: [] });
  return figures.filter(({ target }) => target?.met === false).map(({ name }) => name);
};

it('misses a mark for whatever is seen or not told', () => {
  expect(missed({})).toEqual([]);
  expect(missed({ movesSeen: 1 })).toEqual(['cars that were put elsewhere in sight']);
  expect(missed({ movesUntold: 1 })).toEqual(['cars that were put elsewhere without an event']);
  expect(missed({ actorChangesSeen: 1 })).toEqual(['actors that came or went in sight']);
  expect(missed({ actorJumps: 1 })).toEqual(['actors that jumped']);
  expect(missed({}, 1)).toEqual(['paths of actors that end in a building']);
  expect(missed({ untold: 5 })).toEqual([]);
  expect(missed({ untold: 7 })).toEqual(['of these, told by an event']);
  expect(missed({ unfound: 7 })).toEqual(['events that the frames show']);
});

it('watches a world: cars are put elsewhere, each with its event', () => {
  const mask = Array.from({ length: CAR_COUNT }, (_, car) =>
    car % 2 === 0 ? F_ALL & ~F_BRAKES : F_ALL & ~F_STEERING,
  );
  const job = { row: 0, cityIndex: 1, seed: 5, mask, ticks: 6000, isRead: true };
  const { counted, accounts } = watchScenes(job);
  expect(counted).toMatchObject({ worlds: 1, movesSeen: 0, movesUntold: 0, actorJumps: 0 });
  expect(counted.moves).toBeGreaterThan(3);
  expect(counted.found).toBeGreaterThan(3);
  expect(accounts).toHaveLength(Math.min(5, counted.untold + counted.unfound));
});
