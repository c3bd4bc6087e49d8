import { TICK_MS } from '../../assembly/layout.ts';
import type { Held } from './random-switching.ts';

/** A change may be shown so much later. */
const SHOWN_LATE_MS = 500;

/** What a world showed at some moment. */
export interface Shown {
  tick: number;
  hash: string;
  /** The tick of the node's clock. */
  serverTick: number;
  /** How many changes were known. */
  seq: number;
}

/**
 * Why a state was wrong when it was shown. `young`: what was not known yet had just happened. `held`: what was
 * not known could not be. `late`: it could. `known`: nothing was unknown, so it was lived wrongly.
 */
export type Cause = 'young' | 'held' | 'late' | 'known';

/** What the node has of a world. */
export interface Known {
  /** All of the world, in order. */
  changes: readonly { tick: number }[];
  createdAtMs: number;
  /** Times in which messages were held up. */
  held: readonly Held[];
}

const unknownOf = ({ tick, seq }: Shown, changes: Known['changes']) =>
  changes.slice(seq).filter((change) => change.tick <= tick);

export function causeOf(shown: Shown, { changes, createdAtMs, held }: Known): Cause {
  const { serverTick } = shown;
  const unknown = unknownOf(shown, changes);
  if (unknown.length === 0) return 'known';
  const youngTick = serverTick - SHOWN_LATE_MS / TICK_MS;
  if (unknown.every(({ tick }) => tick > youngTick)) return 'young';
  const atMs = createdAtMs + serverTick * TICK_MS;
  const isHeld = held.some(
    ({ fromMs, untilMs }) => atMs >= fromMs && atMs <= untilMs + SHOWN_LATE_MS,
  );
  return isHeld ? 'held' : 'late';
}

/** For the reader of a report. */
export function wrongText(id: string, shown: Shown, changes: Known['changes']): string {
  const { tick, serverTick, seq } = shown;
  const unknown = unknownOf(shown, changes).map((change) => change.tick);
  const why = unknown.length > 0 ? `unknown: changes at ${unknown.join(', ')}` : 'all was known';
  return `${id} at tick ${tick} when it was ${serverTick.toFixed(1)}, by ${seq} changes; ${why}`;
}
