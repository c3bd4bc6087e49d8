/**
 * A city, as all code but the kernel uses it. Metres, x east, y north. Coordinates are not rounded:
 * the API does that (`map.ts`).
 */
export type Point = readonly [x: number, y: number];

/** The most important first. */
export const ROAD_CLASSES = ['arterial', 'collector', 'local'] as const;
export type RoadClass = (typeof ROAD_CLASSES)[number];

export interface Road {
  id: string;
  name: string;
  class: RoadClass;
  speedLimitMps: number;
  /** Indices into `City.lanes`. */
  lanes: readonly number[];
  centerline: readonly Point[];
}

export interface Lane {
  id: string;
  /** Index into `City.roads`, or −1 for a connector. */
  road: number;
  /** Index into `City.junctions`, or −1 for a lane of a road. */
  junction: number;
  widthM: number;
  speedLimitMps: number;
  /** Centre line in driving direction; its last point is the first point of each `next`. */
  polyline: readonly Point[];
  /** Indices into `City.lanes`. */
  next: readonly number[];
  /** Only connectors have one. */
  connector?: Connector;
}

export interface Connector {
  turn: 'straight' | 'left' | 'right';
  /** Indices of the lanes that it joins. */
  from: number;
  to: number;
  /** Lane indices of connectors in the same junction that cross it, merge or come too close. */
  conflicts: readonly number[];
  /** For each of `conflicts`: the part of this connector that is too close to it. */
  conflictZones: readonly Omit<ConflictZone, 'other'>[];
  /** Those of `conflicts` that have right of way over it, unless a light says otherwise. */
  yieldsTo: readonly number[];
  /** Index into `City.lights`, or −1. */
  light: number;
  /** Whether a stop sign stands before it. */
  mustStop: boolean;
}

/** The part of a path through a junction where a car would touch a car on another path. */
export interface ConflictZone {
  other: number;
  fromM: number;
  toM: number;
}

export type JunctionControl = 'signals' | 'priority' | 'stop' | 'none';

export interface Junction {
  id: string;
  x: number;
  y: number;
  control: JunctionControl;
  polygon: readonly Point[];
  /** Indices into `City.lights`. */
  lights: readonly number[];
  /** Length of the signal cycle; 0 without signals. */
  cycleTicks: number;
}

/** The signal head of one approach. Times are ticks of 20 ms in the junction's signal cycle. */
export interface Light {
  id: string;
  junction: number;
  x: number;
  y: number;
  /** Driving direction of the traffic that it faces, radians. */
  heading: number;
  /** Indices of the approach lanes that it controls. */
  lanes: readonly number[];
  greenFromTick: number;
  greenTicks: number;
  amberTicks: number;
  redAmberTicks: number;
}

export interface Block {
  id: string;
  kind: 'building' | 'wall' | 'park' | 'square';
  /** Convex, counter-clockwise, at most eight corners. */
  polygon: readonly Point[];
  heightM: number;
  /** Whether cars collide with it. */
  solid: boolean;
}

export type ZoneKind = 'ice' | 'wet' | 'fog' | 'dusk';

/** An area with worse grip or sight. */
export interface Zone {
  id: string;
  kind: ZoneKind;
  /** Peak friction coefficient of the road; 0.95 if dry. */
  friction: number;
  /** Index into `City.hazards`: the zone counts only while that spot is active; else always. */
  spot?: number;
  /** Convex, counter-clockwise, at most eight corners. */
  polygon: readonly Point[];
}

export type HazardKind =
  | 'parked_row_child'
  | 'sudden_stop'
  | 'fog_stall'
  | 'deer_crossing'
  | 'red_light_lorry'
  | 'blind_crossing'
  | 'left_turn_oncoming'
  | 'wet_crest'
  | 'ice_bend'
  | 'sharp_bend'
  | 'downhill_stop'
  | 'blind_stall'
  | 'tram_crossing'
  | 'dark_zebra'
  | 'cut_in';

export interface HazardSpot {
  id: string;
  kind: HazardKind;
  /** The conflict point: where the car and the actor would meet, on the car's lane. */
  x: number;
  y: number;
  radiusM: number;
  /** Index into `City.roads`: the road by which cars approach. */
  road: number;
  description: string;
  site: HazardSite;
}

/** The place of a hazard, and the bodies and the actor there. */
export interface HazardSite {
  /**
   * Indices into `City.lanes`, in driving order: the lane by which a car approaches and, if the
   * conflict point is in a junction, the connector. A car that drives all of them passes the spot.
   */
  lanes: readonly number[];
  /** Conflict point, from the start of the last of `lanes`. */
  stationM: number;
  /** From the waiting position over the conflict point to the end; empty if no actor moves. */
  actorPath: readonly Point[];
  /** Conflict point along `actorPath`. */
  actorStationM: number;
  /** Index into `City.lights`: the light that the actor obeys, or −1. */
  actorLight: number;
  /** Bodies that are always there, beside the lanes. */
  bodies: readonly Body[];
  /** Bodies that are there while the hazard is active; a moving one is given where it waits. */
  active: readonly Body[];
  /** Range of sight at the spot; 0: not limited. */
  sightM: number;
  /** Slope of the road in driving direction, rise per run. */
  grade: number;
  /** Null if the road itself is the hazard. */
  actor: Actor | null;
}

/** What moves onto the road, or stands on it, at a hazard spot. */
export interface Actor {
  /** Kind of a collision with it. */
  kind: 'vehicle' | 'person' | 'animal' | 'obstacle';
  /** As incident reports name it. */
  name: string;
  lengthM: number;
  widthM: number;
  massKg: number;
  /** Desired speed; 0 if it stands still. */
  speedMps: number;
}

/** An oriented box. */
export interface Body {
  /** Centre. */
  x: number;
  y: number;
  /** Unit vector along its length. */
  heading: Point;
  lengthM: number;
  widthM: number;
}

/** A closed loop of lane indices, each in the `next` of the one before. */
export type Route = readonly number[];

/** An axis-aligned rectangle, m. */
export interface Box {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}

export interface City {
  name: string;
  title: string;
  description: string;
  bounds: Box;
  roads: readonly Road[];
  junctions: readonly Junction[];
  lanes: readonly Lane[];
  lights: readonly Light[];
  blocks: readonly Block[];
  zones: readonly Zone[];
  hazards: readonly HazardSpot[];
  /** By car index, 20 of them. */
  routes: readonly Route[];
}
