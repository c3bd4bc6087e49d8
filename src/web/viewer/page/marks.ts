/** Marks as they stand on a time line: where many are near each other, one stands for them. */
import { joinWords, sentence } from '../formatting.ts';
import type { Extent, Mark } from '../life/life.ts';

export interface PlacedMark {
  kind: Mark['kind'];
  /** Of the first of the gravest. */
  tick: number;
  /** Where on the line: 0 to 1. */
  part: number;
  words: string;
}

/** The gravest first, each with its name. */
const KINDS: readonly (readonly [kind: Mark['kind'], one: string, many: string])[] = [
  ['incident', 'collision', 'collisions'],
  ['earlier', 'earlier collision without a replay', 'earlier collisions without a replay'],
  ['hazard', 'hazard', 'hazards'],
  ['configuration', 'switched feature', 'switched features'],
  ['event', 'other event', 'other events'],
];
/** Marks that are nearer than this part of a place are one. */
const APART_PLACES = 0.75;

/**
 * Marks of a part of a life, oldest first.
 * @param placesMax so many have room beside each other
 */
export function placeMarks(
  marks: readonly Mark[],
  [first, last]: Extent,
  placesMax: number,
): PlacedMark[] {
  const ticks = Math.max(1, last - first);
  const placeTicks = ticks / Math.max(1, placesMax);
  const groups: Mark[][] = [];
  for (const mark of marks) {
    if (mark.tick < first || mark.tick > last) continue;
    // Counted from the beginning of the world: a window that moves on does not group them anew.
    const place = Math.floor(mark.tick / placeTicks);
    const group = groups.at(-1);
    const begins = group?.[0];
    if (group && begins && Math.floor(begins.tick / placeTicks) === place) group.push(mark);
    else groups.push([mark]);
  }
  return apart(groups, placeTicks * APART_PLACES).map((group) => placed(group, first, ticks));
}

/** Joins groups whose marks would stand too near to each other. */
function apart(groups: readonly Mark[][], apartTicks: number): Mark[][] {
  const joined: Mark[][] = [];
  for (const group of groups) {
    const before = joined.at(-1);
    if (before && gravest(group).tick - gravest(before).tick < apartTicks) before.push(...group);
    else joined.push([...group]);
  }
  return joined;
}

function gravest(group: readonly Mark[]): Mark {
  for (const [kind] of KINDS) {
    const found = group.find((mark) => mark.kind === kind);
    if (found !== undefined) return found;
  }
  throw new Error('a group has a mark');
}

function placed(group: readonly Mark[], first: number, ticks: number): PlacedMark {
  const { tick, kind } = gravest(group);
  return { kind, tick, part: (tick - first) / ticks, words: wordsOf(group) };
}

/** What a mark that stands for several says: “2 collisions and 1 hazard”. */
function wordsOf(group: readonly Mark[]): string {
  const distinct = [...new Map(group.map((mark) => [keyOf(mark), mark])).values()];
  const [only] = distinct;
  if (distinct.length === 1 && only !== undefined) return sentence(only.message);
  const counts = KINDS.flatMap(([kind, one, many]) => {
    const count = distinct.filter((mark) => mark.kind === kind).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return joinWords(counts);
}

/** A collision is told by several events, one for each contact. */
const keyOf = ({ tick, incident, message }: Mark): string => incident ?? `${tick} ${message}`;
