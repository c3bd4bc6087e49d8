import type { HazardKind } from './types.ts';

/**
 * What moves onto the road, or stands on it, at a spot of each kind, as events and reports name it; null
 * where the road itself is the hazard. Clients have the kind of a spot only, from the map.
 */
export const ACTOR_NAMES = {
  parked_row_child: 'child',
  sudden_stop: 'car',
  fog_stall: 'broken-down car',
  deer_crossing: 'deer',
  red_light_lorry: 'lorry',
  blind_crossing: 'car',
  left_turn_oncoming: 'car',
  wet_crest: 'container',
  ice_bend: null,
  sharp_bend: null,
  downhill_stop: 'car',
  blind_stall: 'lorry',
  tram_crossing: 'tram',
  dark_zebra: 'pedestrian',
  cut_in: 'delivery van',
} as const satisfies Readonly<Record<HazardKind, string | null>>;

/** Null also for kinds that are not known here. */
export function actorNameOf(kind: string): string | null {
  return Object.hasOwn(ACTOR_NAMES, kind) ? ACTOR_NAMES[kind as HazardKind] : null;
}
