import type { HazardKind } from '../city/types.ts';
import { type FeatureName, maskOf } from './catalogue.ts';

/** By kind of hazard spot: with any one of these features off, the hazard can end in a collision. */
export const FAILS_WITHOUT: Readonly<Record<HazardKind, readonly FeatureName[]>> = {
  parked_row_child: ['aeb', 'front_camera', 'brakes'],
  sudden_stop: ['aeb', 'brakes'],
  fog_stall: ['front_radar'],
  deer_crossing: ['animal_detection', 'front_camera', 'brakes'],
  red_light_lorry: ['traffic_light_recognition', 'front_camera', 'brakes'],
  blind_crossing: ['intersection_assist', 'corner_radars', 'brakes'],
  left_turn_oncoming: ['intersection_assist', 'corner_radars'],
  wet_crest: ['evasive_steering', 'steering', 'front_camera'],
  ice_bend: ['esc'],
  sharp_bend: ['steering'],
  downhill_stop: ['brakes'],
  blind_stall: ['throttle'],
  tram_crossing: ['throttle', 'intersection_assist'],
  dark_zebra: ['front_camera', 'aeb'],
  cut_in: ['aeb'],
};

/** Mask of the features that a spot needs. */
export const needsOf = (kind: HazardKind): number => maskOf(FAILS_WITHOUT[kind]);
