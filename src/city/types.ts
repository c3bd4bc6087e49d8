/**
 * A city as everybody but the kernel sees it. Metres, x east, y north. Coordinates are exact
 * doubles made by + − × ÷ and square root only, so a city is the same on any machine; rounding to
 * the centimetre happens where a city is shown.
 */
export type Point = readonly [x: number, y: number];

export interface Road {
  id: string;
  name: string;
  class: 'arterial' | 'collector' | 'local';
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
  /** Of a connector only: what the traffic on it must know. */
  connector?: Connector;
}

export interface Connector {
  turn: 'straight' | 'left' | 'right';
  /** The lanes that it joins. */
  from: number;
  to: number;
  /** Lane indices of connectors of the same junction that cross it, meet it or come too close. */
  conflicts: readonly number[];
  /** For each of `conflicts` from where to where along this connector they are too close. */
  conflictZones: readonly Omit<ConflictZone, 'other'>[];
  /** Those of `conflicts` whose traffic has right of way over it where no light decides otherwise. */
  yieldsTo: readonly number[];
  /** Index into `City.lights`, or −1. */
  light: number;
  /** A stop sign stands before it. */
  mustStop: boolean;
}

/** Where along a path through a junction another one is too close for two cars. */
export interface ConflictZone {
  other: number;
  fromM: number;
  toM: number;
}

export interface Junction {
  id: string;
  x: number;
  y: number;
  control: 'signals' | 'priority' | 'stop' | 'none';
  polygon: readonly Point[];
  /** Indices into `City.lights`. */
  lights: readonly number[];
  /** Length of the signal cycle, or 0. */
  cycleTicks: number;
}

/** One signal head: the traffic of one approach. Ticks of 20 ms within the junction's cycle. */
export interface Light {
  id: string;
  junction: number;
  x: number;
  y: number;
  /** Radians: the direction of the traffic that it faces. */
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
  /** Cars cannot drive through it. */
  solid: boolean;
}

export interface Zone {
  id: string;
  kind: 'ice' | 'wet' | 'fog' | 'dusk';
  /** Peak friction of the road in it; 0.95 where it is dry. */
  friction: number;
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
  /** The conflict point: where a car and what appears would meet, on the car's lane. */
  x: number;
  y: number;
  radiusM: number;
  /** Index into `City.roads`: the road by which cars come. */
  road: number;
  description: string;
  site: HazardSite;
}

/** What the hazard of a spot needs to know of the place. */
export interface HazardSite {
  /**
   * Indices into `City.lanes`, in driving order: the lane by which a car comes and, where the
   * conflict point lies in a junction, the connector. Who drives them all passes the spot.
   */
  lanes: readonly number[];
  /** Of the conflict point, from the start of the last of `lanes`, m. */
  stationM: number;
  /** From where the actor waits, over the conflict point, to where it goes; empty without actor. */
  actorPath: readonly Point[];
  /** Of the conflict point along `actorPath`, m. */
  actorStationM: number;
  /** Index into `City.lights` of the light that the actor's way obeys, −1 where none does. */
  actorLight: number;
  /** Stand beside the lanes always. */
  bodies: readonly Body[];
  /** Are there only while the hazard is alive; a moving one is listed as it waits. */
  active: readonly Body[];
  /** Where neither fog nor road lets anybody see farther than this, m; 0 elsewhere. */
  sightM: number;
  /** Rise of the road over the way, in driving direction. */
  grade: number;
  /** What comes onto the road or stands on it; null where the road itself is the hazard. */
  actor: Actor | null;
}

/** What comes onto the road, or stands on it, at a spot. */
export interface Actor {
  /** What touching it is. */
  kind: 'vehicle' | 'person' | 'animal' | 'obstacle';
  /** As reports call it. */
  name: string;
  lengthM: number;
  widthM: number;
  massKg: number;
  /** That it wants to drive, walk or run; 0 for what stands. */
  speedMps: number;
}

/** An oriented box. */
export interface Body {
  /** Its middle. */
  x: number;
  y: number;
  /** Unit vector along its length. */
  heading: Point;
  lengthM: number;
  widthM: number;
}

/** The loop that car i of every fleet drives: lane indices, each in the `next` of the one before. */
export type Route = readonly number[];

/** An upright rectangle, m. */
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
  /** One a car, 20 of them. */
  routes: readonly Route[];
}

/** A city without what the catalogue says about it. */
export type CityBody = Omit<City, 'name' | 'title' | 'description'>;
