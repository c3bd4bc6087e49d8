import { CHAIN_TICKS, FRAME_TICKS } from '../../../assembly/layout.ts';
import { IMAGE_TICKS } from '../../limits.ts';
import { settled } from '../../twin/contact-records.ts';
import { declaredIn } from '../../twin/explanation.ts';
import type { IncidentContacts } from '../../twin/incidents.ts';
import { CounterfactualRunner } from './counterfactual-runner.ts';
import { carsOf, contactsBetween } from './counterfactual-search.ts';
import type { Rewind, RewindStart, Slices } from './rewind.ts';

/** A replay begins and ends this long before and after the first contact, ticks. */
const REPLAY_LEAD_TICKS = IMAGE_TICKS;
const REPLAY_AFTER_TICKS = CHAIN_TICKS;

/** What is played. */
export interface ReplayOrder {
  chain: IncidentContacts;
  /** Mask of the features that are on; 0: as it was. */
  on: number;
  /** At which they are switched on; undefined: a re-run finds it. */
  startTick: number | undefined;
  /** How far the world has been lived. */
  untilTick: number;
}

/**
 * Re-runs the seconds around an incident, as it was or with features on.
 * @param show gets each packed frame; it is overwritten later
 * @returns the tick of the contact; null if there is none
 */
export function* playFrames(
  rewind: Rewind,
  start: RewindStart,
  { chain, on: features, startTick, untilTick }: ReplayOrder,
  table: ArrayBuffer,
  show: (packed: Int32Array) => void,
): Slices<number | null> {
  const [{ tick }] = chain;
  const on = switchedOn(chain, features);
  let switchTick = tick;
  if (on.size > 0) {
    const runner = new CounterfactualRunner(rewind, start, chain, table);
    switchTick = startTick ?? (yield* runner.findStarts())[0] ?? switchTick;
  }
  const capture = () => {
    if (rewind.tick < tick - REPLAY_LEAD_TICKS || rewind.tick % FRAME_TICKS !== 0) return;
    show(rewind.kernel.pack(rewind.slab));
  };
  rewind.restore(start);
  capture();
  yield* rewind.stepTo(switchTick, FRAME_TICKS, capture);
  const recordsBefore = rewind.records.length;
  rewind.switchOn(on);
  yield* rewind.stepTo(Math.min(untilTick, tick + REPLAY_AFTER_TICKS), FRAME_TICKS, capture);
  const after = on.size === 0 ? chain : settled(rewind.records.slice(recordsBefore));
  const [contact] = contactsBetween(chain, after);
  return contact?.tick ?? null;
}

/** By car: which of these features it had off. */
function switchedOn(chain: IncidentContacts, features: number): Map<number, number> {
  const cars = carsOf(chain).map((car) => [car, features & ~declaredIn(chain, car)] as const);
  return new Map(cars.filter(([, mask]) => mask !== 0));
}
