/**
 * What the twin says on the wire, written down from its description alone: nothing here is taken
 * from the code that answers.
 */
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
] as const;

export type FeatureName = (typeof FEATURES)[number];
export type Effective = 'on' | 'off' | 'degraded';
export type Point = [x: number, y: number];

export interface ErrorBody {
  error: string;
  hint: string;
}

export interface FleetEntry {
  vin: string;
  model: string;
  plate: string;
  colour: string;
}

export interface HazardSpot {
  id: string;
  kind: string;
  x: number;
  y: number;
  radius: number;
  road: string;
  description: string;
}

export interface World {
  id: string;
  viewer_url: string;
  stream_url: string;
  created_at: string;
  seed: number;
  city: string;
  rate_hz: number;
  tick: number;
  watchers: number;
  fleet: FleetEntry[];
  hazards: HazardSpot[];
  exact?: false;
}

export interface Cities {
  cities: { name: string; title: string; description: string }[];
}

export interface CityMap {
  city: string;
  bounds: { min_x: number; min_y: number; max_x: number; max_y: number };
  roads: {
    id: string;
    name: string;
    class: string;
    speed_limit: number;
    lanes: string[];
    centerline: Point[];
  }[];
  junctions: {
    id: string;
    x: number;
    y: number;
    control: string;
    polygon: Point[];
    lights: { id: string; x: number; y: number; heading: number; lanes: string[] }[];
  }[];
  lanes: {
    id: string;
    road: string | null;
    junction: string | null;
    width: number;
    speed_limit: number;
    polyline: Point[];
    next: string[];
  }[];
  blocks: { id: string; kind: string; polygon: Point[]; height: number }[];
  zones: { id: string; kind: string; polygon: Point[] }[];
  hazards: HazardSpot[];
}

export interface SnapshotVehicle {
  vin: string;
  x: number;
  y: number;
  heading: number;
  speed: number;
  road: string;
  gap: number | null;
  braking: boolean;
  aeb: boolean;
  esc: boolean;
  evasive: boolean;
  status: 'driving' | 'stopped' | 'crashed';
}

export interface Snapshot {
  type: 'snapshot';
  world: string;
  tick: number;
  time: number;
  vehicles: SnapshotVehicle[];
  lights: { id: string; state: 'red' | 'red_amber' | 'amber' | 'green' }[];
  hazards: {
    id: string;
    kind: string;
    active: boolean;
    x: number;
    y: number;
    heading: number;
    length: number;
    width: number;
  }[];
}

export interface Hello {
  type: 'hello';
  world: string;
  rate_hz: number;
  fleet: FleetEntry[];
  tick: number;
}

export interface Catalogue {
  features: {
    name: FeatureName;
    group: string;
    needs: (string | string[])[];
    owner_menu: boolean;
    description: string;
  }[];
}

export interface FeatureState {
  declared: Record<FeatureName, boolean>;
  effective: Record<FeatureName, Effective>;
  missing: Partial<Record<FeatureName, FeatureName[]>>;
}

export interface FeatureSetting {
  name: FeatureName;
  enabled: boolean;
  effective: Effective;
  missing: FeatureName[];
}

export interface Telemetry {
  vin: string;
  world: string;
  tick: number;
  time: number;
  position: { x: number; y: number };
  heading: number;
  speed: number;
  acceleration: number;
  steering: number;
  road: string;
  lane: string;
  gap: number | null;
  aeb: boolean;
  esc: boolean;
  evasive: boolean;
  status: 'driving' | 'stopped' | 'crashed';
}

export interface Vehicle {
  vin: string;
  world: string;
  model: string;
  plate: string;
  colour: string;
  configuration: FeatureState;
  telemetry: Telemetry;
  incidents: string[];
}

export interface Route {
  vin: string;
  lanes: string[];
  streets: string[];
  length: number;
}

export interface IncidentVehicle {
  vin: string;
  model: string;
  plate: string;
  speed: number;
  delta_v: number;
  heading: number;
  role: 'striking' | 'struck';
  off: FeatureName[];
  degraded: FeatureName[];
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
  failures: {
    vin: string;
    feature: FeatureName;
    restores: FeatureName[];
    effect: 'avoids' | 'mitigates';
    set: number;
    explanation: string;
  }[];
  earned: {
    severity: 'slight' | 'serious' | 'severe';
    injury_risk: number;
    points: number;
    repair_cost: number;
  };
}

export interface Replay {
  incident: string;
  with: FeatureName[];
  frames: Snapshot[];
  contact_tick: number | null;
}

export interface WorldEvent {
  seq: number;
  tick: number;
  time: number;
  kind: 'hazard' | 'intervention' | 'configuration' | 'collision';
  vin: string | null;
  feature: string | null;
  hazard: string | null;
  incident: string | null;
  message: string;
}

export interface JournalEntry {
  tick: number;
  car: number;
  features: Partial<Record<FeatureName, boolean>>;
}

export interface Journal {
  kernel: string;
  seed: number;
  city: string;
  tick: number;
  changes: JournalEntry[];
}
