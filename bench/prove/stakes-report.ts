import { CITIES } from '../../src/city/catalogue.ts';
import type { FeatureName } from '../../src/twin/catalogue.ts';
import { type Figure, figure } from '../common/figures.ts';
import { listed, mark, type Section, shown } from './section.ts';
import type { StakesRow, TriedStakes } from './stakes.ts';

const SHOWN_MIN = 90;
const COLLISIONS_MIN = 60;
/** Without these a car collides soon; without the others it may come away with less. */
const COLLIDES: readonly FeatureName[] = [
  'brakes',
  'steering',
  'aeb',
  'front_camera',
  'esc',
  'animal_detection',
  'intersection_assist',
];

const percent = (part: number, { runs }: StakesRow): number => (100 * part) / runs;
const cityName = ({ cityIndex }: StakesRow): string => CITIES[cityIndex]?.name ?? '';

export function stakesSection(stakes: TriedStakes): Section {
  return {
    id: 'stakes',
    title: 'Stakes: does what the outlook tells come true?',
    method:
      'In worlds of fresh seeds the outlook is asked between 10 and 100 s after their beginning. Each ' +
      'feature is switched off on the car that it names: the first that would collide, else the ' +
      'first, if its time is within 55 s. Counted is whether an event tells a consequence or a ' +
      'collision of that car within a minute, and a collision within two.',
    figures: stakes.rows.flatMap((row) => marksOf(row, stakes.wanted)),
    tables: [
      {
        title: 'What came of it',
        head: ['City', 'off', 'runs', 'shown in a minute', 'collision in two minutes', ''],
        rows: stakes.rows.map((row) => [
          cityName(row),
          row.feature,
          String(row.runs),
          `${shown(percent(row.shown, row))} %`,
          `${shown(percent(row.collisions, row))} %`,
          mark(marksOf(row, stakes.wanted).every(({ target }) => target?.met === true)),
        ]),
      },
      ...listed('Nothing came of', stakes.accounts),
    ],
    plots: [],
    data: stakes,
  };
}

function marksOf(row: StakesRow, wanted: number): Figure[] {
  const where = `${cityName(row)}, ${row.feature} off`;
  const marks = [
    figure(`${where}: runs`, row.runs, 'runs', { atLeast: wanted }),
    figure(`${where}: something shows in a minute`, percent(row.shown, row), '%', {
      atLeast: SHOWN_MIN,
    }),
  ];
  if (!COLLIDES.includes(row.feature)) return marks;
  const collisions = figure(
    `${where}: a collision in two minutes`,
    percent(row.collisions, row),
    '%',
    { atLeast: COLLISIONS_MIN },
  );
  return [...marks, collisions];
}
