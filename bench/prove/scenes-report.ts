import { type Figure, figure } from '../common/figures.ts';
import type { SeenScenes } from './scenes.ts';
import { noScenes, type Scenes } from './scenes-world.ts';
import { listed, type Section, shown } from './section.ts';

const AGREED_MIN = 98;
/** Fewer consequences, moves or changes show nothing. */
const SHOWN_MIN = 200;

export function scenesSection(seen: SeenScenes): Section {
  const sum = seen.rows.map(({ counted }) => counted).reduce(plus, noScenes());
  return {
    id: 'scenes',
    title: 'Scenes: does anything appear, vanish or happen that nobody is told?',
    method:
      'Worlds of fresh seeds in every city are watched for 15 minutes frame by frame. A car or an ' +
      'actor is seen if a car of the traffic is within 60 m and no building is between. Frames of ' +
      'worlds with features off are read, with nothing but the map beside them, for red lights run, ' +
      'lanes left and near misses, which are compared with the events.',
    figures: marksOf(seen, sum),
    tables: [
      {
        title: 'What was seen',
        head: [
          ...['Worlds with', 'worlds', 'cars moved', 'seen', 'untold'],
          ...['actors came or went', 'seen', 'jumped'],
          ...['told', 'found', 'not told', 'not found'],
        ],
        rows: seen.rows.map(({ name, counted }) => [name, ...cellsOf(counted)]),
      },
      ...listed('What should not be there', seen.accounts),
    ],
    plots: [],
    data: seen,
  };
}

function plus(a: Scenes, b: Scenes): Scenes {
  const sum = { ...a };
  for (const key of Object.keys(b) as (keyof Scenes)[]) sum[key] += b[key];
  return sum;
}

const cellsOf = (counted: Scenes): string[] => {
  const { told, found, untold, unfound, ...others } = counted;
  return [...Object.values(others), told, found, untold, unfound].map(shown);
};

function marksOf({ pathsInBuildings }: SeenScenes, sum: Scenes): Figure[] {
  const agreed = (missing: number, of: number) => 100 * (1 - missing / of);
  return [
    figure('cars that were put elsewhere', sum.moves, 'cars', { atLeast: SHOWN_MIN }),
    figure('cars that were put elsewhere in sight', sum.movesSeen, 'cars', { atMost: 0 }),
    figure('cars that were put elsewhere without an event', sum.movesUntold, 'cars', { atMost: 0 }),
    figure('actors that came or went', sum.actorChanges, 'actors', { atLeast: SHOWN_MIN }),
    figure('actors that came or went in sight', sum.actorChangesSeen, 'actors', { atMost: 0 }),
    figure('actors that jumped', sum.actorJumps, 'actors', { atMost: 0 }),
    figure('paths of actors that end in a building', pathsInBuildings, 'paths', { atMost: 0 }),
    figure('consequences that the frames show', sum.found, 'events', { atLeast: SHOWN_MIN }),
    figure('of these, told by an event', agreed(sum.untold, sum.found), '%', {
      atLeast: AGREED_MIN,
    }),
    figure('events that the frames show', agreed(sum.unfound, sum.told), '%', {
      atLeast: AGREED_MIN,
    }),
  ];
}
