import { CAR_COUNT, TICK_S } from '../../assembly/layout.ts';
import { FEATURE_NAMES } from './catalogue.ts';
import { OUTLOOK_CONSEQUENCES } from './enumerations.ts';
import { LEAD_TICKS, type Outlook, WAY_TICKS } from './outlook-record.ts';
import { hundredths } from './units.ts';
import type { WorldOutlook } from './wire.ts';

/** A car without drive slows down by about so much, m/s². */
const ROLLING_OUT = 0.6;

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
