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

/** Where each kind of hazard is possible. */
export const PLACES: Readonly<Record<HazardKind, (ground: Ground) => Place[]>> = {
  deer_crossing: deerCrossings,
  ice_bend: iceBends,
  red_light_lorry: redLights,
  fog_stall: fogStalls,
  wet_crest: wetCrests,
  blind_crossing: blindCrossings,
  tram_crossing: tramCrossings,
  blind_stall: blindStalls,
  left_turn_oncoming: leftTurns,
  sharp_bend: sharpBends,
  downhill_stop: stopLines,
  parked_row_child: parkedRows,
  cut_in: bays,
  dark_zebra: zebras,
  sudden_stop: suddenStops,
};
