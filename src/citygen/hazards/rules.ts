import type { HazardKind } from '../../city/types.ts';
import { iceBends, sharpBends } from './bends.ts';
import { blindCrossings, leftTurns, redLights, stopLines, tramCrossings } from './crossings.ts';
import type { Ground, Place } from './ground.ts';
import {
  bays,
  blindStalls,
  deerCrossings,
  fogStalls,
  parkedRows,
  suddenStops,
  wetCrests,
  zebras,
} from './stretches.ts';

interface Rule {
  kind: HazardKind;
  /** The needed kinds together depend on all twelve features. */
  isNeeded: boolean;
  /** Number of spots if there is room; 1 by default. */
  count?: number;
  places: (ground: Ground) => Place[];
}

/** In order of choice: kinds with few suitable places first. */
export const SITE_RULES: readonly Rule[] = [
  { kind: 'deer_crossing', isNeeded: true, places: deerCrossings },
  { kind: 'ice_bend', isNeeded: true, places: iceBends },
  { kind: 'red_light_lorry', isNeeded: true, places: redLights },
  { kind: 'fog_stall', isNeeded: true, places: fogStalls },
  { kind: 'wet_crest', isNeeded: true, count: 2, places: wetCrests },
  { kind: 'blind_crossing', isNeeded: true, places: blindCrossings },
  { kind: 'tram_crossing', isNeeded: true, places: tramCrossings },
  { kind: 'blind_stall', isNeeded: true, places: blindStalls },
  { kind: 'left_turn_oncoming', isNeeded: false, places: leftTurns },
  { kind: 'sharp_bend', isNeeded: false, places: sharpBends },
  { kind: 'downhill_stop', isNeeded: false, places: stopLines },
  { kind: 'parked_row_child', isNeeded: false, places: parkedRows },
  { kind: 'cut_in', isNeeded: false, places: bays },
  { kind: 'dark_zebra', isNeeded: false, places: zebras },
  { kind: 'sudden_stop', isNeeded: false, places: suddenStops },
];
