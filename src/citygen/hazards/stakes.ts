import type { HazardKind } from '../../city/types.ts';

/**
 * What is at stake on every route: it passes a spot of one kind of each group, so that a car notices
 * soon when what the group needs is off.
 */
export const STAKES: readonly (readonly HazardKind[])[] = [
  // Emergency braking.
  ['parked_row_child', 'dark_zebra', 'sudden_stop', 'cut_in'],
  // Animal detection.
  ['deer_crossing'],
  // Front radar.
  ['fog_stall'],
  // Evasive steering.
  ['wet_crest'],
  // Stability control.
  ['ice_bend'],
  // Intersection assist and corner radars.
  ['blind_crossing', 'left_turn_oncoming', 'tram_crossing'],
];
