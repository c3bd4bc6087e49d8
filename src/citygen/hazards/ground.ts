import { at, boundsOf, cross, lengthOf } from '../../city/geometry.ts';
import type { Block, Body, Box, HazardSite, Lane, Point } from '../../city/types.ts';
import {
  areaOf,
  covers,
  distanceToPolygon,
  intersectConvex,
  isNearBounds,
  startDirection,
} from '../geometry.ts';
import { lanesBefore, type Network } from '../network/network.ts';
import { cornersOf, crossingOf, headOf, isClearOf, joined } from './paths.ts';

/** The network and blocks of a city, indexed for the search for hazard sites. */
export interface Ground extends Network {
  blocks: readonly Block[];
  /** By the turn of the connector that the car drives. */
  crossings: Readonly<Record<'straight' | 'left', readonly Crossing[]>>;
  /** Bounding boxes of each lane and each block. */
  laneBounds: readonly Box[];
  blockBounds: readonly Box[];
  /** For each lane, the lanes that lead to it. */
  before: readonly (readonly number[])[];
  /** For each junction, the number of lanes that leave it. */
  exitCounts: readonly number[];
}

/** A connector that a car drives and a straight one that crosses it. */
export interface Crossing {
  /** The lane by which the car approaches, and the connector. */
  lanes: readonly [from: number, connector: number];
  own: Lane;
  approach: Lane;
  crosser: Lane;
  crosserIndex: number;
  crosserApproach: Lane;
  stationM: number;
  crosserStationM: number;
  isFromRight: boolean;
}

/** A possible place for a kind of hazard. */
export interface Place {
  /** As in `HazardSite`. */
  lanes: readonly number[];
  stationM: number;
  /** How unsuitable the place is; measured in metres of detour, 0 is ideal. */
  penalty: number;
  /** Gives the rest of the site. */
  build: () => SiteShape;
}

export type SiteShape = Partial<Omit<HazardSite, 'lanes' | 'stationM'>>;

export function surveyOf(network: Network, blocks: readonly Block[]): Ground {
  const exits = network.junctions.map(() => new Set<number>());
  for (const { connector, junction } of network.lanes) {
    if (connector) at(exits, junction).add(connector.to);
  }
  return {
    ...network,
    blocks,
    crossings: {
      straight: crossingsOf(network, 'straight'),
      left: crossingsOf(network, 'left'),
    },
    laneBounds: network.lanes.map(({ polyline }) => boundsOf(polyline)),
    blockBounds: blocks.map(({ polygon }) => boundsOf(polygon)),
    before: lanesBefore(network.lanes),
    exitCounts: exits.map(({ size }) => size),
  };
}

/** Pairs of a connector with the given turn and a straight one that crosses it. */
function crossingsOf({ lanes }: Network, turn: 'straight' | 'left'): Crossing[] {
  return lanes.flatMap((own, index): Crossing[] => {
    if (own.connector?.turn !== turn) return [];
    const { from } = own.connector;
    return own.connector.conflicts.flatMap((other): Crossing[] => {
      const crosser = at(lanes, other);
      if (crosser.connector?.turn !== 'straight') return [];
      const crossing = crossingOf(own.polyline, crosser.polyline);
      if (!crossing) return [];
      return [
        {
          lanes: [from, index],
          own,
          approach: at(lanes, from),
          crosser,
          crosserIndex: other,
          crosserApproach: at(lanes, crosser.connector.from),
          stationM: crossing.aM,
          crosserStationM: crossing.bM,
          isFromRight: cross(startDirection(own.polyline), startDirection(crosser.polyline)) > 0,
        },
      ];
    });
  });
}

/** The first block that contains the point. */
export const blockAt = ({ blocks, blockBounds }: Ground, point: Point): Block | undefined =>
  blocks.find(
    ({ polygon }, i) => isNearBounds(point, at(blockBounds, i), 0) && covers(polygon, point),
  );

/** Whether a solid block is within `reachM` of the point. */
export const isBuiltNear = ({ blocks, blockBounds }: Ground, point: Point, reachM: number) =>
  blocks.some(
    ({ solid, polygon }, i) =>
      solid &&
      isNearBounds(point, at(blockBounds, i), reachM) &&
      distanceToPolygon(point, polygon) < reachM,
  );

/** Whether a body blocks no lane. */
export const isClearOfLanes = ({ lanes, laneBounds }: Ground, body: Body): boolean =>
  lanes.every(
    (lane, index) =>
      !isNearBounds([body.x, body.y], at(laneBounds, index), body.lengthM + lane.widthM) ||
      isClearOf(body, lane),
  );

/** Greatest overlap of a body with a house. */
const INSIDE_HOUSE_MAX_M2 = 0.5;

export function isOutdoors({ blocks, blockBounds }: Ground, body: Body): boolean {
  const corners = cornersOf(body);
  return blocks.every(
    ({ solid, polygon }, i) =>
      !solid ||
      !isNearBounds([body.x, body.y], at(blockBounds, i), body.lengthM) ||
      areaOf(intersectConvex(corners, polygon)) <= INSIDE_HOUSE_MAX_M2,
  );
}

export const fastestOf = ({ lanes }: Ground): number =>
  Math.max(...lanes.map(({ speedLimitMps }) => speedLimitMps));

/** Penalty for a speed limit below the highest of the city, m per m/s. */
export const SLOWER_PENALTY = 150;

/** Indices of the lanes of roads, without dead ends. */
export const roadLanesOf = ({ lanes }: Ground): number[] =>
  lanes.flatMap(({ road, next }, index) => (road >= 0 && next.length > 0 ? [index] : []));

/** The path of at most `lengthM` that ends with the lane `last`, over straight connectors. */
export function pathBehind(ground: Ground, last: number, lengthM: number): Point[] {
  const parts = lanesBehind(ground, last, lengthM).map((index) => at(ground.lanes, index).polyline);
  return headOf(joined(parts.reverse()).reverse(), lengthM).reverse();
}

/** The lanes of that path, the last first. */
export const lanesBehind = ({ lanes, before }: Ground, last: number, lengthM: number): number[] =>
  lanesFrom(lanes, last, lengthM, ({ connector }, index) =>
    connector ? connector.from : straightest(lanes, at(before, index)),
  );

/** The path of at most `lengthM` that begins with the lane `first`, over straight connectors. */
export function pathBeyond(ground: Ground, first: number, lengthM: number): Point[] {
  const parts = lanesBeyond(ground, first, lengthM).map(
    (index) => at(ground.lanes, index).polyline,
  );
  return headOf(joined(parts), lengthM);
}

/** The lanes from `first` on over at most `lengthM`, over straight connectors. */
export const lanesBeyond = ({ lanes }: Ground, first: number, lengthM: number): number[] =>
  lanesFrom(lanes, first, lengthM, ({ connector, next }) =>
    connector ? connector.to : straightest(lanes, next),
  );

/** Consecutive lanes, none twice, up to the length or the last one. */
function lanesFrom(
  lanes: readonly Lane[],
  from: number,
  lengthM: number,
  following: (lane: Lane, index: number) => number | undefined,
): number[] {
  const found = new Set<number>();
  let restM = lengthM;
  let index: number | undefined = from;
  while (index !== undefined && restM > 0 && !found.has(index)) {
    const lane: Lane = at(lanes, index);
    found.add(index);
    restM -= lengthOf(lane.polyline);
    index = following(lane, index);
  }
  return [...found];
}

const straightest = (lanes: readonly Lane[], connectors: readonly number[]): number | undefined =>
  connectors.find((index) => at(lanes, index).connector?.turn === 'straight') ?? connectors[0];
