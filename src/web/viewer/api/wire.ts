/** What the twin says, in the shapes of its description. */

export type FeatureGroup = 'actuator' | 'sensor' | 'function';
export type Effective = 'on' | 'off' | 'degraded';
export type CarStatus = 'driving' | 'stopped' | 'crashed';
export type LightState = 'red' | 'red_amber' | 'amber' | 'green';
export type EventKind = 'hazard' | 'intervention' | 'configuration' | 'collision';

export interface FleetEntry {
  vin: string;
  model: string;
  plate: string;
  colour: string;
}

export interface World {
  id: string;
  city: string;
  seed: number;
  tick: number;
  created_at: string;
  watchers: number;
  fleet: FleetEntry[];
}

export interface City {
  name: string;
  title: string;
  description: string;
}

export interface Pose {
  x: number;
  y: number;
  /** Radians, 0 east, counter-clockwise. */
  heading: number;
}

export interface Vehicle extends Pose {
  vin: string;
  speed: number;
  road: string;
  /** Metres to the vehicle ahead, as the car measures them. */
  gap: number | null;
  braking: boolean;
  aeb: boolean;
  esc: boolean;
  evasive: boolean;
  status: CarStatus;
}

export interface Hazard extends Pose {
  id: string;
  kind: string;
  active: boolean;
  length: number;
  width: number;
}

export interface Snapshot {
  type: 'snapshot';
  world: string;
  tick: number;
  time: number;
  vehicles: Vehicle[];
  lights: { id: string; state: LightState }[];
  hazards: Hazard[];
}

export interface Hello {
  type: 'hello';
  world: string;
  rate_hz: number;
  fleet: FleetEntry[];
  tick: number;
}

export interface Feature {
  name: string;
  group: FeatureGroup;
  /** All members are required; of a list within it, one. */
  needs: (string | string[])[];
  owner_menu: boolean;
  description: string;
}

export interface FeatureState {
  declared: Record<string, boolean>;
  effective: Record<string, Effective>;
  missing: Record<string, string[]>;
}

export interface CarRoute {
  vin: string;
  lanes: string[];
  streets: string[];
  length: number;
}

export interface WorldEvent {
  seq: number;
  tick: number;
  time: number;
  kind: EventKind;
  vin: string | null;
  feature: string | null;
  hazard: string | null;
  incident: string | null;
  message: string;
}

export interface IncidentVehicle {
  vin: string;
  model: string;
  plate: string;
  speed: number;
  delta_v: number;
  heading: number;
  role: 'striking' | 'struck';
  off: string[];
  degraded: string[];
}

export interface Failure {
  vin: string;
  feature: string;
  restores: string[];
  effect: 'avoids' | 'mitigates';
  set: number;
  explanation: string;
}

export interface Incident {
  id: string;
  world: string;
  tick: number;
  time: number;
  place: { x: number; y: number; road: string; street: string };
  kind: 'vehicle' | 'person' | 'animal' | 'obstacle' | 'building';
  vehicles: IncidentVehicle[];
  other: { kind: string; hazard: string | null }[];
  explained: boolean;
  failures: Failure[];
  earned: {
    severity: 'slight' | 'serious' | 'severe';
    injury_risk: number;
    points: number;
    repair_cost: number;
  };
}

export interface Replay {
  incident: string;
  with: string[];
  frames: Snapshot[];
  contact_tick: number | null;
}
