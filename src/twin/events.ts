import {
  EVENT_COLLISION,
  EVENT_CONFIGURATION,
  EVENT_HAZARD,
  EVENT_INTERVENTION,
  EVENT_LANE_LEFT,
  EVENT_NEAR_MISS,
  EVENT_NOT_YIELDED,
  EVENT_RED_LIGHT,
  EVENT_STALLED,
  EVENT_TOWED,
  EVENT_WAITS,
  OTHER_ACTOR,
} from '../../assembly/layout.ts';
import { besideRoadAt } from './beside-road.ts';
import { FEATURE_NAMES } from './catalogue.ts';
import { incidentId } from './incidents.ts';
import { withArticle } from './party-names.ts';
import { timeS } from './units.ts';
import type { EventRecord, FleetEntry } from './wire.ts';

/** An event as the kernel records it: numbers only, see E_ in the memory map. */
export interface RawEvent {
  seq: number;
  tick: number;
  kind: number;
  car: number;
  /** Index of the feature; of a collision, the tick of the first contact of the incident. */
  feature: number;
  hazard: number;
  /**
   * Of a collision, the order of that contact within its tick; of a consequence, a distance in cm and,
   * from bit 16 on, how often it has happened again.
   */
  arg: number;
  /**
   * Of a collision or a near miss, the other car, −1 for a body or building, OTHER_ACTOR for a hazard's
   * actor.
   */
  other: number;
}

/** What the numbers of an event refer to. */
interface EventContext {
  fleet: readonly FleetEntry[];
  hazards: readonly EventHazard[];
}

interface EventHazard {
  id: string;
  kind: string;
  site?: { actor: { name: string } | null };
}

/** What happens at a spot when it shows itself, by kind. */
const APPEARANCES: Readonly<Record<string, string>> = {
  parked_row_child: 'A child ran out from between parked cars',
  sudden_stop: 'A vehicle braked to a standstill',
  fog_stall: 'A car broke down in the fog',
  deer_crossing: 'A deer leapt onto the road',
  red_light_lorry: 'A lorry set off on its green light',
  blind_crossing: 'A car came out of the side street',
  left_turn_oncoming: 'An oncoming car came out from behind a van',
  wet_crest: 'A container rolled onto the wet road',
  ice_bend: 'Ice formed on the bend',
  blind_stall: 'A lorry came along the narrow road',
  tram_crossing: 'A tram came towards its crossing',
  dark_zebra: 'Somebody stepped onto the dark zebra crossing',
  cut_in: 'A van pulled out',
};

/** Where a spot of a kind is, in words. */
const SPOTS: Readonly<Record<string, string>> = {
  parked_row_child: 'a row of parked cars',
  sudden_stop: 'a car that stopped suddenly',
  fog_stall: 'a broken-down car in the fog',
  deer_crossing: 'a deer crossing',
  red_light_lorry: 'a crossing with lorries',
  blind_crossing: 'a blind crossing',
  left_turn_oncoming: 'a left turn across oncoming traffic',
  wet_crest: 'a wet crest',
  ice_bend: 'an icy bend',
  sharp_bend: 'a sharp bend',
  downhill_stop: 'a stop line at the foot of a hill',
  blind_stall: 'a narrow road with lorries',
  tram_crossing: 'a tram crossing',
  dark_zebra: 'a dark zebra crossing',
  cut_in: 'a van that pulled out',
};

/** Number of events that the API lists. */
export const EVENTS_SHOWN = 60;

const KINDS = new Map<number, EventRecord['kind']>([
  [EVENT_HAZARD, 'hazard'],
  [EVENT_INTERVENTION, 'intervention'],
  [EVENT_CONFIGURATION, 'configuration'],
  [EVENT_COLLISION, 'collision'],
]);

const CONSEQUENCES = new Map<number, EventRecord['consequence']>([
  [EVENT_RED_LIGHT, 'red_light'],
  [EVENT_LANE_LEFT, 'lane_departure'],
  [EVENT_NOT_YIELDED, 'right_of_way'],
  [EVENT_NEAR_MISS, 'near_miss'],
  [EVENT_STALLED, 'stall'],
  [EVENT_TOWED, 'tow'],
  [EVENT_WAITS, 'wait'],
]);

export function eventOf(raw: RawEvent, context: EventContext): EventRecord {
  const isCollision = raw.kind === EVENT_COLLISION;
  const consequence = CONSEQUENCES.get(raw.kind) ?? null;
  return {
    seq: raw.seq,
    tick: raw.tick,
    time: timeS(raw.tick),
    kind: KINDS.get(raw.kind) ?? 'hazard',
    vin: context.fleet[raw.car]?.vin ?? null,
    feature: isCollision ? null : (FEATURE_NAMES[raw.feature] ?? null),
    hazard: context.hazards[raw.hazard]?.id ?? null,
    incident: isCollision ? incidentId(raw.feature, raw.arg) : null,
    consequence,
    distance: raw.kind === EVENT_NEAR_MISS ? distanceOf(raw) : null,
    count: consequence === null ? 1 : 1 + (raw.arg >>> 16),
    message: messageOf(raw, context),
  };
}

/** Metres. */
const distanceOf = ({ arg }: RawEvent): number => (arg & 0xffff) / 100;

function messageOf(raw: RawEvent, context: EventContext): string {
  const car = carName(context.fleet[raw.car]);
  const feature = (FEATURE_NAMES[raw.feature] ?? 'a feature').replaceAll('_', ' ');
  const hazard = context.hazards[raw.hazard];
  const spot = hazard && spotName(hazard);
  switch (raw.kind) {
    case EVENT_CONFIGURATION:
      return `${car}: ${feature} was switched ${raw.arg === 1 ? 'on' : 'off'}.`;
    case EVENT_INTERVENTION:
      return `${car}: ${feature} intervened${spot ? ` at ${spot}` : ''}.`;
    case EVENT_COLLISION:
      return `${car} ${collisionOf(raw, context)}.`;
    case EVENT_HAZARD:
      return `${appearanceOf(hazard)}${raw.car < 0 ? '' : ` ahead of ${car}`}.`;
    default:
      return `${car} ${consequenceOf(raw, context)}${raw.feature < 0 ? '' : `: ${feature} is off`}.`;
  }
}

/** What happens when a spot of this kind shows itself; undefined if it cannot, or there is none. */
export function appearanceAt(kind: string | undefined): string | undefined {
  return kind === undefined ? undefined : APPEARANCES[kind];
}

function appearanceOf(hazard: EventHazard | undefined): string {
  if (hazard === undefined) return 'A hazard appeared';
  const { id, kind } = hazard;
  return `${appearanceAt(kind) ?? `Something appeared at the ${kind.replaceAll('_', ' ')}`} (${id})`;
}

function consequenceOf(raw: RawEvent, { fleet, hazards }: EventContext): string {
  const hazard = hazards[raw.hazard];
  switch (raw.kind) {
    case EVENT_RED_LIGHT:
      return 'ran a red light';
    case EVENT_LANE_LEFT:
      return 'left its lane';
    case EVENT_NOT_YIELDED:
      return `did not give way${hazard ? ` at ${spotName(hazard)}` : ''}`;
    case EVENT_NEAR_MISS: {
      const actor = hazard?.site?.actor?.name;
      const other = actor ? withArticle(actor) : carName(fleet[raw.other]);
      return `missed ${other} by ${distanceOf(raw).toFixed(2)} m`;
    }
    case EVENT_STALLED:
      return 'stalled: it stands and cannot drive off';
    case EVENT_TOWED:
      return 'was towed away and is put back elsewhere on its route';
    default:
      return 'waits beside its route before it drives on';
  }
}

function collisionOf({ other, hazard }: RawEvent, { fleet, hazards }: EventContext): string {
  if (other >= 0) return `collided with ${carName(fleet[other])}`;
  const spot = hazards[hazard];
  if (spot === undefined) return 'collided with a building';
  const actor = spot.site?.actor?.name;
  if (other === OTHER_ACTOR && actor) return `collided with ${withArticle(actor)} (${spot.id})`;
  return `left its lane at ${spotName(spot)} and hit ${withArticle(besideRoadAt(spot.kind).name)}`;
}

function spotName({ id, kind }: EventHazard): string {
  return `${SPOTS[kind] ?? `the ${kind.replaceAll('_', ' ')}`} (${id})`;
}

function carName(entry: FleetEntry | undefined): string {
  return entry ? `${entry.model} (plate ${entry.plate})` : 'A vehicle';
}
