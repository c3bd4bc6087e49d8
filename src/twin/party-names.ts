import { besideRoadAt } from './beside-road.ts';

/** What a collision was with, in words: the same in events, in previews of links and on pages. */

/** A party that is no car of the fleet. */
interface Other {
  kind: string;
  /** Id of its spot. */
  hazard: string | null;
  /** Null: it is fixed to the ground. */
  mass: number | null;
}

/** A hazard spot of the city. */
export interface Spot {
  id: string;
  kind: string;
}

const PLURALS: Readonly<Record<string, string>> = { child: 'children', lorry: 'lorries' };

/** “a child”, “two bollards”: those of one name together. */
export function namesOfOthers(others: readonly Other[], spots: readonly Spot[]): string[] {
  const byName = Map.groupBy(others, ({ kind, hazard, mass }) => {
    const spot = mass === null ? spots.find(({ id }) => id === hazard) : undefined;
    return (spot === undefined ? kind : besideRoadAt(spot.kind).name).replaceAll('_', ' ');
  });
  return [...byName].map(([name, { length }]) =>
    length === 1 ? withArticle(name) : `${counted(length)} ${PLURALS[name] ?? `${name}s`}`,
  );
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

export const counted = (count: number): string => NUMBERS[count] ?? String(count);

export const withArticle = (name: string): string =>
  `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
