import {
  EVENT_COLLISION,
  EVENT_CONFIGURATION,
  EVENT_HAZARD,
  EVENT_INTERVENTION,
  OTHER_ACTOR,
} from '../../assembly/layout.ts';
import { FEATURE_NAMES } from './catalogue.ts';
import { incidentId } from './incidents.ts';
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
  /** Of a collision, the order of that contact within its tick. */
  arg: number;
  /** Of a collision, the other car, −1 for a body or building, OTHER_ACTOR for a hazard's actor. */
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

/** Permanent bodies beside the road, by kind of spot. A car that hits one has left its lane. */
const BESIDE_ROAD: Readonly<Record<string, string>> = {
  parked_row_child: 'a parked car',
  deer_crossing: 'a hedge',
  blind_crossing: 'a house',
  ice_bend: 'a bollard',
  sharp_bend: 'a wall',
};

/** Number of events that the API lists. */
export const EVENTS_SHOWN = 60;

const KINDS = new Map<number, EventRecord['kind']>([
  [EVENT_HAZARD, 'hazard'],
  [EVENT_INTERVENTION, 'intervention'],
  [EVENT_CONFIGURATION, 'configuration'],
  [EVENT_COLLISION, 'collision'],
]);

export function eventOf(raw: RawEvent, context: EventContext): EventRecord {
  const isCollision = raw.kind === EVENT_COLLISION;
  return {
    seq: raw.seq,
    tick: raw.tick,
    time: timeS(raw.tick),
    kind: KINDS.get(raw.kind) ?? 'hazard',
    vin: context.fleet[raw.car]?.vin ?? null,
    feature: isCollision ? null : (FEATURE_NAMES[raw.feature] ?? null),
    hazard: context.hazards[raw.hazard]?.id ?? null,
    incident: isCollision ? incidentId(raw.feature, raw.arg) : null,
    message: messageOf(raw, context),
  };
}

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
    default:
      return `Hazard${spot ? ` ${spot}` : ''} appeared${raw.car < 0 ? '' : ` ahead of ${car}`}.`;
  }
}

function collisionOf({ other, hazard }: RawEvent, { fleet, hazards }: EventContext): string {
  if (other >= 0) return `collided with ${carName(fleet[other])}`;
  const spot = hazards[hazard];
  if (spot === undefined) return 'collided with a building';
  const actor = spot.site?.actor?.name;
  if (other === OTHER_ACTOR && actor) return `collided with ${withArticle(actor)} (${spot.id})`;
  return `left its lane at the ${spotName(spot)} and hit ${BESIDE_ROAD[spot.kind] ?? 'an obstacle'}`;
}

function spotName({ id, kind }: EventHazard): string {
  return `${kind.replaceAll('_', ' ')} (${id})`;
}

function withArticle(name: string): string {
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function carName(entry: FleetEntry | undefined): string {
  return entry ? `${entry.model} (plate ${entry.plate})` : 'A vehicle';
}
