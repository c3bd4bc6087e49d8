import type { MoveStatus } from '../../cluster-operator.ts';
import { element } from './dom.ts';
import type { NodeNames } from './names.ts';

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Fills the table of moves, newest first. */
export function showMoves(body: HTMLElement, moves: readonly MoveStatus[], names: NodeNames): void {
  const shown = JSON.stringify(moves);
  // Nothing new: a selection stays.
  if (body.dataset.shown === shown) return;
  body.dataset.shown = shown;
  body.replaceChildren(...moves.map((move) => rowOf(move, names)));
}

function rowOf({ at, partition, from, to, why }: MoveStatus, names: NodeNames): HTMLElement {
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('time', { datetime: at, title: at }, timeOf(at))),
    element('td', { 'data-align': 'end' }, String(partition)),
    element('td', {}, names.of(from)),
    element('td', {}, names.of(to)),
    element('td', {}, element('span', { class: 'tag', 'data-kind': kindOf(why, from) }, why)),
  );
}

/** A handover is the rule, and so is what is taken when the first node starts. */
function kindOf(why: MoveStatus['why'], from: string | null): string {
  if (why === 'lost') return 'bad';
  return why === 'handover' || from === null ? 'plain' : 'warn';
}

/** With the day, where that is not today's. */
function timeOf(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? TIME.format(date) : `${DAY.format(date)}, ${TIME.format(date)}`;
}
