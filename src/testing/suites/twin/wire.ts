/** What the twin sends: types from its published document. `schemas.ts` judges independently. */
import type {
  CityMap,
  Events,
  FeatureState,
  Incident,
  Journal as PublishedJournal,
  Snapshot,
} from '../../../../build/api/twin.d.ts';

export type {
  Catalogue,
  Cities,
  CityMap,
  ErrorBody,
  FeatureSetting,
  FeatureState,
  HazardSpot,
  Hello,
  Incident,
  Replay,
  Route,
  Snapshot,
  Telemetry,
  Vehicle,
  World,
} from '../../../../build/api/twin.d.ts';

export type Journal = PublishedJournal;
export type JournalEntry = Journal['changes'][number];
export type FeatureName = keyof FeatureState['declared'];
export type Point = CityMap['roads'][number]['centerline'][number];
export type SnapshotVehicle = Snapshot['vehicles'][number];
export type IncidentVehicle = Incident['vehicles'][number];
export type WorldEvent = Events[number];

/** In the order of the contract, written down from it alone. */
export const FEATURES = [
  'steering',
  'brakes',
  'throttle',
  'front_camera',
  'front_radar',
  'corner_radars',
  'aeb',
  'animal_detection',
  'evasive_steering',
  'traffic_light_recognition',
  'intersection_assist',
  'esc',
] as const satisfies readonly FeatureName[];
