/** What the twin sends, as generated from its documents; and parts of that by names of their own. */
import type {
  Catalogue,
  Cities,
  CityMap,
  Events,
  FeatureState,
  Incident,
  Perception,
  Snapshot,
  VehicleOutlook,
  WorldOutlook,
} from '../../../../build/api/twin.d.ts';

export type {
  CityMap,
  FeatureState,
  FleetEntry,
  HazardSpot,
  Hello,
  Incident,
  Journal,
  Perception,
  Replay,
  Route,
  Snapshot,
  VehicleOutlook,
  World,
  WorldOptions,
  WorldOutlook,
} from '../../../../build/api/twin.d.ts';

export type SensorName = Perception['detections'][number]['sensors'][number];

export { TICKS_PER_S } from '../../common/units.ts';

export type City = Cities['cities'][number];
export type Feature = Catalogue['features'][number];
export type Effective = FeatureState['effective'][keyof FeatureState['effective']];
export type WorldEvent = Events[number];
/** What would happen next to a car without a feature; the world's entries name the car. */
export type Stake = VehicleOutlook['outlook'][number];
export type WorldStake = WorldOutlook['outlook'][number];
export type IncidentVehicle = Incident['vehicles'][number];
export type IncidentOther = Incident['other'][number];
export type Failure = Incident['failures'][number];

/** Cars, lights and hazards of a frame. */
export type Vehicle = Snapshot['vehicles'][number];
export type LightState = Snapshot['lights'][number]['state'];
export type Hazard = Snapshot['hazards'][number];
export type Pose = Pick<Vehicle, 'x' | 'y' | 'heading'>;

/** Metres east and north. */
export type MapPoint = MapRoad['centerline'][number];
export type MapRoad = CityMap['roads'][number];
/** A signal head; its heading is the direction of the traffic that it faces. */
export type MapLight = CityMap['junctions'][number]['lights'][number];
export type MapLane = CityMap['lanes'][number];
export type MapBlock = CityMap['blocks'][number];
export type MapBody = CityMap['bodies'][number];
export type MapZone = CityMap['zones'][number];
export type Bounds = CityMap['bounds'];
