import { TICK_MS } from '../../assembly/layout.ts';
import { type Figure, figure } from '../../bench/common/figures.ts';
import type { Outcome } from '../command.ts';
import type { PlaceFound } from './comparison.ts';

/** A change that is late by so little moves no car by more. */
const JUMP_TICKS_MAX = 20;
const JUMP_M_MAX = 0.3;
/** If more of what was looked at is excused, too little was seen: %. */
const EXCUSED_MAX = 5;
const LINES_MAX = 5;

export interface Circumstances {
  answered: number;
  failed: number;
  kills: number;
  dropCount: number;
  /** Hashes that every place has to compare, and states that have to be looked at there. */
  due: number;
  unsettled: readonly string[];
}

/** What was found in places, judged. */
export function outcomeOf(found: readonly PlaceFound[], of: Circumstances): Outcome {
  const jumps = found.flatMap(jumpsOf).sort((a, b) => a - b);
  const judged = [...judgedLives(found, of), ...judgedShown(found, of), ...judgedJumps(found)];
  const lines = [
    ...found.flatMap(({ place, differing, wrong }) => [
      ...differing.slice(0, LINES_MAX).map((line) => `${place}: hash of ${line}`),
      ...wrong.slice(0, LINES_MAX).map((line) => `${place}: shown of ${line}`),
    ]),
    ...of.unsettled.slice(0, LINES_MAX),
  ];
  const rows: Outcome['rows'] = [
    ['changes meanwhile', `${of.answered}, failed: ${of.failed}`],
    ['nodes killed, connections ended by proxies', `${of.kills}, ${of.dropCount}`],
    ...found.map((each): [string, string] => [each.place, rowOf(each)]),
    [
      'jumps of cars',
      `${jumps.length}, p99 ${(jumps[Math.floor(jumps.length * 0.99)] ?? 0).toFixed(3)} m`,
    ],
    ...lines.map((line): [string, string] => ['DIFFERENT', line]),
  ];
  const places = found.map(({ jumps, ...each }) => ({ ...each, jumps: jumps.length }));
  return { rows, judged, figures: { ...of, places, judged } };
}

type Count = (each: PlaceFound) => number;

function judgedLives(found: readonly PlaceFound[], of: Circumstances): Figure[] {
  const differing = found.reduce((sum, each) => sum + each.differing.length, 0);
  const firstTick = Math.max(0, ...found.map((each) => each.firstTick));
  const none = { atMost: 0 };
  return [
    figure('hashes that differ', differing, '', none),
    atLeast('hashes compared in each place', found, ({ compared }) => compared, of.due),
    figure('first tick that is known, in the place with the latest', firstTick, '', none),
    figure('worlds that are not verified in the end', of.unsettled.length, '', none),
  ];
}

function judgedShown(found: readonly PlaceFound[], { due }: Circumstances): Figure[] {
  const wrong = found.reduce((sum, each) => sum + each.wrong.length, 0);
  const shares = found.map(({ shown, excused }) => (shown === 0 ? 0 : (excused / shown) * 100));
  return [
    figure('states that were wrong when shown', wrong, '', { atMost: 0 }),
    atLeast('states looked at in each place', found, ({ shown }) => shown, due),
    figure('of these excused, in one place', Math.max(0, ...shares), '%', { atMost: EXCUSED_MAX }),
  ];
}

/** The least of all places. */
function atLeast(name: string, found: readonly PlaceFound[], count: Count, least: number): Figure {
  const value = found.length === 0 ? 0 : Math.min(...found.map(count));
  return figure(name, value, '', { atLeast: least });
}

/** Jumps by changes that were not too late to be judged, m. */
const jumpsOf = ({ jumps }: PlaceFound): number[] =>
  jumps.flatMap(({ ticks, m }) => (ticks <= JUMP_TICKS_MAX ? [m] : []));

function judgedJumps(found: readonly PlaceFound[]): Figure[] {
  const late = `by a change ≤ ${JUMP_TICKS_MAX * TICK_MS} ms late`;
  const highest = Math.max(0, ...found.flatMap(jumpsOf));
  return [
    figure(`jump of a car ${late}`, highest, 'm', { atMost: JUMP_M_MAX }),
    atLeast(
      'late changes by which a car could jump in each place',
      found,
      (each) => jumpsOf(each).length,
      1,
    ),
  ];
}

function rowOf(each: PlaceFound): string {
  const { compared, unknown, firstTick, shown, young, excused, told, differences } = each;
  const { rollback = 0, reconnecting = 0, restart = 0 } = told;
  return (
    `${compared} hashes compared, ${unknown} not known there, lives known from tick ${firstTick} on, ${shown} shown states looked at, of which ${young} ` +
    `lacked a young change and ${excused} one that was held, ` +
    `${rollback} late changes, ${reconnecting} reconnects, ${restart} read anew ` +
    `(${[...new Set(differences.map((text) => text.replace(/\d+/g, 'n')))].join('; ') || 'no difference told'})`
  );
}
