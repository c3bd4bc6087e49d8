/** What the twin sends: types from its published document. */
import type { CityMap, components, Incident } from '../../../../build/api/twin.d.ts';

export type {
  CityMap,
  ErrorBody,
  Events,
  FeatureState,
  Hello,
  Incident,
  Journal,
  Replay,
  Snapshot,
  World,
} from '../../../../build/api/twin.d.ts';

/** By their names in the document. */
export type Schemas = components['schemas'];
export type FeatureName = keyof Schemas['FeatureState']['declared'];
export type Point = CityMap['roads'][number]['centerline'][number];
export type IncidentVehicle = Incident['vehicles'][number];

/** A feature, or several of which one is enough. */
export type Need = FeatureName | readonly FeatureName[];

/** The twelve features in the order of the contract, written down from it alone. */
export const CATALOGUE: readonly (readonly [FeatureName, group: string, needs: Need[]])[] = [
  ['steering', 'actuator', []],
  ['brakes', 'actuator', []],
  ['throttle', 'actuator', []],
  ['front_camera', 'sensor', []],
  ['front_radar', 'sensor', []],
  ['corner_radars', 'sensor', []],
  ['aeb', 'function', ['brakes', ['front_radar', 'front_camera']]],
  ['animal_detection', 'function', ['front_camera']],
  ['evasive_steering', 'function', ['steering', 'front_camera']],
  ['traffic_light_recognition', 'function', ['front_camera', 'brakes']],
  ['intersection_assist', 'function', ['corner_radars', 'brakes']],
  ['esc', 'function', ['brakes', 'steering']],
];
export const FEATURES = CATALOGUE.map(([name]) => name);
