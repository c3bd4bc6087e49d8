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

export interface HazardSpot {
  id: string;
  kind: string;
  x: number;
  y: number;
  radiusM: number;
  /** Index into `City.roads`. */
  road: number;
  description: string;
}

/** The loop that car i of every fleet drives: lane indices, each in the `next` of the one before. */
export type Route = readonly number[];

export interface City {
  name: string;
  title: string;
  description: string;
  bounds: { minX: number; minY: number; maxX: number; maxY: number };
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
