import { CAR_COUNT, TICK_S } from '../../assembly/layout.ts';
import { FEATURE_NAMES } from './catalogue.ts';
import { hundredths } from './units.ts';
import { OUTLOOK_CONSEQUENCES, type WorldOutlook } from './wire.ts';

/** What a world that was lived ahead has shown. */
export interface Outlook {
  /** The tick from which it was lived ahead. */
  fromTick: number;
  /** Six numbers each: car, index of the feature, tick, spot or −1, consequence, way of the car in dm. */
  rows: Int32Array;
  /** Ways of all cars at the end of each second, m. */
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
  const found: (OutlookEntry & { tick: number })[] = [];
  for (let start = 0; start < outlook.rows.length; start += ROW_INTS) {
    const row = outlook.rows.subarray(start, start + ROW_INTS);
    const [of = 0, feature = 0, then = 0, spot = -1, consequence = 0, wayDm = 0] = row;
    const [{ vin } = { vin: '' }, name] = [fleet[of], FEATURE_NAMES[feature]];
    if (then < tick || name === undefined || (car !== undefined && of !== car)) continue;
    const hazard = hazards[spot];
    found.push({
      vin,
      feature: name,
      hazard: hazard?.id ?? null,
      kind: hazard?.kind ?? KINDS[consequence] ?? 'road',
      distance: hundredths(Math.max(0, wayDm / 10 - wayAt(outlook, of, tick))),
      time: hundredths((then - tick) * TICK_S),
      consequence: OUTLOOK_CONSEQUENCES[consequence] ?? 'collision',
      tick: then,
    });
  }
  return found.sort((a, b) => a.tick - b.tick).map(({ tick: _, ...entry }) => entry);
}

/** What a car has driven between the beginning and a tick, m, between the seconds that are known. */
function wayAt({ ways, fromTick }: Outlook, car: number, tick: number): number {
  const seconds = Math.max(0, (tick - fromTick) * TICK_S);
  const before = Math.floor(seconds);
  const at = (second: number) => (second === 0 ? 0 : (ways[(second - 1) * CAR_COUNT + car] ?? 0));
  const [from, to] = [at(before), at(before + 1)];
  return from + Math.max(0, to - from) * (seconds - before);
}
