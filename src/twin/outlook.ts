import { CAR_COUNT, FRAME_TICKS, TICK_S } from '../../assembly/layout.ts';
import { FEATURE_NAMES } from './catalogue.ts';
import { hundredths } from './units.ts';
import { OUTLOOK_CONSEQUENCES, type WorldOutlook } from './wire.ts';

/** What happens sooner is not told: nobody could wait for it, ticks (3 s). */
export const LEAD_TICKS = 150;

/** A car without drive slows down by about so much, m/s². */
const ROLLING_OUT = 0.6;
/** Interval at which the ways of the cars are known, ticks: twelve frames. */
export const WAY_TICKS = 12 * FRAME_TICKS;

/** What a world that was lived ahead has shown. */
export interface Outlook {
  /** The tick from which it was lived ahead. */
  fromTick: number;
  /**
   * Six numbers each: car, index of the feature, tick, spot or −1, consequence, way of the car in dm.
   * A car can lose its drive at any time: tick and way of that are not used.
   */
  rows: Int32Array;
  /** What each car has driven since `fromTick` at each later multiple of WAY_TICKS, m. */
  ways: Float32Array;
}

interface OutlookContext {
  fleet: readonly { vin: string }[];
  hazards: readonly { id: string; kind: string }[];
}

type OutlookEntry = WorldOutlook['outlook'][number];

const ROW_INTS = 6;
/** Where no spot is the reason, by consequence. */
const KINDS = ['road', 'traffic_light', 'bend', 'junction', 'road'] as const;

/**
 * What is at stake after a tick, soonest first.
 * @param car of one car alone; undefined: of all
 */
export function outlookEntries(
  outlook: Outlook,
  tick: number,
  { fleet, hazards }: OutlookContext,
  car?: number,
): OutlookEntry[] {
  const found: OutlookEntry[] = [];
  for (let start = 0; start < outlook.rows.length; start += ROW_INTS) {
    const row = outlook.rows.subarray(start, start + ROW_INTS);
    const [of = 0, feature = 0, then = 0, spot = -1, consequence = 0, wayDm = 0] = row;
    const [{ vin } = { vin: '' }, name] = [fleet[of], FEATURE_NAMES[feature]];
    if (name === undefined || (car !== undefined && of !== car)) continue;
    const { seconds, wayM } =
      OUTLOOK_CONSEQUENCES[consequence] === 'stall'
        ? rollingOut(outlook, of, tick)
        : { seconds: (then - tick) * TICK_S, wayM: wayDm / 10 - wayAt(outlook, of, tick) };
    if (seconds < LEAD_TICKS * TICK_S) continue;
    const hazard = hazards[spot];
    found.push({
      vin,
      feature: name,
      hazard: hazard?.id ?? null,
      kind: hazard?.kind ?? KINDS[consequence] ?? 'road',
      distance: hundredths(Math.max(0, wayM)),
      time: hundredths(seconds),
      consequence: OUTLOOK_CONSEQUENCES[consequence] ?? 'collision',
    });
  }
  return found.sort((a, b) => a.time - b.time);
}

/** A car that loses its drive at a tick: when and how far on it stands. */
function rollingOut(outlook: Outlook, car: number, tick: number) {
  const wayM = wayAt(outlook, car, tick + WAY_TICKS) - wayAt(outlook, car, tick);
  const speed = wayM / (WAY_TICKS * TICK_S);
  const seconds = Math.max(LEAD_TICKS * TICK_S, speed / ROLLING_OUT);
  return { seconds, wayM: (speed * seconds) / 2 };
}

/** What a car has driven between the beginning and a tick, m; between the known ways it is estimated. */
function wayAt({ ways, fromTick }: Outlook, car: number, tick: number): number {
  const first = Math.floor(fromTick / WAY_TICKS);
  const known = Math.floor(tick / WAY_TICKS) - first;
  const at = (index: number) => (index === 0 ? 0 : (ways[(index - 1) * CAR_COUNT + car] ?? 0));
  const [from, to] = [at(known), at(known + 1)];
  const fromAt = known === 0 ? fromTick : (first + known) * WAY_TICKS;
  const share = (tick - fromAt) / ((first + known + 1) * WAY_TICKS - fromAt);
  return from + Math.max(0, to - from) * share;
}
