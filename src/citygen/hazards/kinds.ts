import type { HazardKind } from '../../city/types.ts';
import type { FeatureName } from '../../twin/catalogue.ts';

interface KindEntry {
  radiusM: number;
  description: string;
  /** Each of these being off is enough for the hazard to end in a collision. */
  failsWithout: readonly FeatureName[];
}

/** All kinds of hazard. */
export const HAZARD_KINDS: Readonly<Record<HazardKind, KindEntry>> = {
  parked_row_child: {
    radiusM: 40,
    description: 'A child may run out from between the parked cars.',
    failsWithout: ['aeb', 'front_camera', 'brakes'],
  },
  sudden_stop: {
    radiusM: 40,
    description: 'The vehicle ahead may brake to a standstill without warning.',
    failsWithout: ['aeb', 'brakes'],
  },
  fog_stall: {
    radiusM: 60,
    description: 'A broken-down car stands in a bank of fog that a camera cannot see through.',
    failsWithout: ['front_radar'],
  },
  deer_crossing: {
    radiusM: 45,
    description: 'A deer may leap out of the hedge of the park and onto the road.',
    failsWithout: ['animal_detection', 'front_camera', 'brakes'],
  },
  red_light_lorry: {
    radiusM: 40,
    description: 'A lorry crosses on its green the moment the light here turns red.',
    failsWithout: ['traffic_light_recognition', 'front_camera', 'brakes'],
  },
  blind_crossing: {
    radiusM: 35,
    description: 'Houses hide a car that comes fast out of the side street.',
    failsWithout: ['intersection_assist', 'corner_radars', 'brakes'],
  },
  left_turn_oncoming: {
    radiusM: 40,
    description: 'A waiting van hides fast oncoming traffic from whoever turns left.',
    failsWithout: ['intersection_assist', 'corner_radars'],
  },
  wet_crest: {
    radiusM: 45,
    description: 'Something covers half the lane behind a crest where the road is wet.',
    failsWithout: ['evasive_steering', 'steering', 'front_camera'],
  },
  ice_bend: {
    radiusM: 35,
    description: 'The bend lies in the shade and keeps a sheet of ice.',
    failsWithout: ['esc'],
  },
  sharp_bend: {
    radiusM: 35,
    description: 'The fast road ends in a sharp bend with a wall right behind it.',
    failsWithout: ['steering'],
  },
  downhill_stop: {
    radiusM: 35,
    description: 'The street falls towards a stop line with cross traffic behind it.',
    failsWithout: ['brakes'],
  },
  blind_stall: {
    radiusM: 50,
    description: 'Lorries come through here that see a car standing on the road far too late.',
    failsWithout: ['throttle'],
  },
  tram_crossing: {
    radiusM: 40,
    description: 'A tram crosses here that cannot stop for whoever is slow to clear its track.',
    failsWithout: ['throttle', 'intersection_assist'],
  },
  dark_zebra: {
    radiusM: 40,
    description: 'Somebody in dark clothes may walk over the unlit zebra crossing.',
    failsWithout: ['front_camera', 'aeb'],
  },
  cut_in: {
    radiusM: 40,
    description: 'A delivery van may pull out of its bay right in front of a car.',
    failsWithout: ['aeb'],
  },
};
