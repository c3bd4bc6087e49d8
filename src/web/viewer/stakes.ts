/** What is at stake next, in words. */
import { type Stake, TICKS_PER_S, type WorldEvent } from './api/types.ts';
import { inSentence } from './formatting.ts';

/** By kind of an entry of the outlook: what lies ahead. */
const PLACES: Readonly<Record<string, string>> = {
  parked_row_child: 'a child between parked cars',
  sudden_stop: 'a car that may stop without warning',
  fog_stall: 'a broken-down car in the fog',
  deer_crossing: 'a deer',
  red_light_lorry: 'a lorry behind a red light',
  blind_crossing: 'a crossing behind houses',
  left_turn_oncoming: 'oncoming traffic behind a van',
  wet_crest: 'a container behind a wet crest',
  ice_bend: 'an icy bend',
  sharp_bend: 'a sharp bend',
  downhill_stop: 'a stop line at the foot of a hill',
  blind_stall: 'lorries on a narrow road',
  tram_crossing: 'a tram',
  dark_zebra: 'somebody on a dark zebra crossing',
  cut_in: 'a van that pulls out',
  traffic_light: 'a red light',
  junction: 'a junction',
  bend: 'a bend',
  road: 'traffic',
};

const CONSEQUENCES: Readonly<Record<Stake['consequence'], string>> = {
  collision: 'it would crash',
  red_light: 'it would run a red light',
  lane_departure: 'it would leave its lane',
  right_of_way: 'it would not give way',
  stall: 'it would come to a stop in the road',
};

/** By kind of what stands or moves at a spot, where that is not the place itself. */
const THINGS: Readonly<Record<string, string>> = {
  parked_row_child: 'a child',
  sudden_stop: 'a car',
  fog_stall: 'a broken-down car',
  red_light_lorry: 'a lorry',
  blind_crossing: 'a crossing car',
  left_turn_oncoming: 'an oncoming car',
  wet_crest: 'a container',
  blind_stall: 'a lorry',
  dark_zebra: 'a pedestrian',
  cut_in: 'a van',
};

/** What is at a spot of a kind: “a child”. */
export function thingOf({ kind }: Pick<Stake, 'kind'>): string {
  return THINGS[kind] ?? placeOf({ kind });
}

const NEAR_M = 10;

/** “a deer”. */
export function placeOf({ kind }: Pick<Stake, 'kind'>): string {
  return PLACES[kind] ?? inSentence(kind);
}

/** “a deer, 120 m ahead”; distances to ten metres, as nobody measures them. */
export function placeAhead(stake: Pick<Stake, 'kind' | 'distance'>): string {
  const { distance } = stake;
  if (distance < NEAR_M) return placeOf(stake);
  return `${placeOf(stake)}, ${Math.round(distance / NEAR_M) * NEAR_M} m ahead`;
}

/** What is at stake, and when it is expected. */
export interface NextStake extends Stake {
  /** World tick. */
  dueTick: number;
}

/** An outlook that was made at a tick, by feature, the next first. */
export function stakesOf(
  outlook: readonly Stake[],
  tick: number,
): ReadonlyMap<string, readonly NextStake[]> {
  const all = outlook.map((stake) => ({ ...stake, dueTick: tick + stake.time * TICKS_PER_S }));
  const inOrder = all.toSorted((a, b) => a.dueTick - b.dueTick);
  return Map.groupBy(inOrder, ({ feature }) => feature);
}

/** “Next: a deer in 14 s”, of the first that is still ahead at a tick; empty where nothing is known to come. */
export function nextText(stakes: readonly NextStake[], tick: number): string {
  const secondsTo = ({ dueTick }: NextStake) => Math.round((dueTick - tick) / TICKS_PER_S);
  const next = stakes.find((stake) => secondsTo(stake) >= 1);
  return next === undefined ? '' : `Next: ${placeOf(next)} in ${secondsTo(next)} s`;
}

/** “it would crash”. */
export function consequenceOf({ consequence }: Pick<Stake, 'consequence'>): string {
  return CONSEQUENCES[consequence];
}

/** Whether an event tells what came of a feature that was off. */
export function isConsequenceOf(
  { vin, feature, consequence }: Pick<WorldEvent, 'vin' | 'feature' | 'consequence'>,
  stake: { vin: string; feature: string },
): boolean {
  return vin === stake.vin && consequence !== null && feature === stake.feature;
}
