import { at, lengthOf } from './geometry.ts';
import type { Network } from './junctions.ts';
import { headOf, joined } from './paths.ts';
import type { Block, HazardSite, Lane, Point } from './types.ts';

/** A finished network as the search for sites looks at it. */
export interface Ground extends Network {
  blocks: readonly Block[];
  lengthsM: readonly number[];
  /** For each lane those that lead to it. */
  before: readonly (readonly number[])[];
  /** For each junction how many lanes leave it. */
  exitCounts: readonly number[];
}

/** Where a kind of hazard could be. */
export interface Place {
  /** As in `HazardSite`. */
  lanes: readonly number[];
  stationM: number;
  /** How far the place is from the ideal one of its kind, in metres of detour that this is worth. */
  misfit: number;
  /** The rest of the site. */
  build: () => SiteShape;
}

export type SiteShape = Partial<Omit<HazardSite, 'lanes' | 'stationM'>>;

export function surveyOf(network: Network, blocks: readonly Block[]): Ground {
  const before: number[][] = network.lanes.map(() => []);
  const exits = network.junctions.map(() => new Set<number>());
  for (const [index, { connector, junction, next }] of network.lanes.entries()) {
    for (const follower of next) at(before, follower).push(index);
    if (connector) at(exits, junction).add(connector.to);
  }
  const lengthsM = network.lanes.map(({ polyline }) => lengthOf(polyline));
  return { ...network, blocks, lengthsM, before, exitCounts: exits.map(({ size }) => size) };
}

/** Indices of the lanes of roads that lead somewhere. */
export const roadLanesOf = ({ lanes }: Ground): number[] =>
  lanes.flatMap(({ road, next }, index) => (road >= 0 && next.length > 0 ? [index] : []));

export const pathThrough = ({ lanes }: Ground, indices: readonly number[]): Point[] =>
  joined(indices.map((index) => at(lanes, index).polyline));

/** Where the lane `last` ends, the path back from there over straight connectors, so long at most. */
export function pathBehind({ lanes, before }: Ground, last: number, lengthM: number): Point[] {
  const parts: (readonly Point[])[] = [];
  let lane: number | undefined = last;
  let restM = lengthM;
  const seen = new Set<number>();
  while (lane !== undefined && restM > 0 && !seen.has(lane)) {
    seen.add(lane);
    const { polyline, connector }: Lane = at(lanes, lane);
    parts.unshift(polyline);
    restM -= lengthOf(polyline);
    lane = connector ? connector.from : straightest(lanes, at(before, lane));
  }
  return headOf(joined(parts).reverse(), lengthM).reverse();
}

/** From where the lane `first` begins, the path on over straight connectors, so long at most. */
export function pathBeyond({ lanes }: Ground, first: number, lengthM: number): Point[] {
  const parts: (readonly Point[])[] = [];
  let lane: number | undefined = first;
  let restM = lengthM;
  const seen = new Set<number>();
  while (lane !== undefined && restM > 0 && !seen.has(lane)) {
    seen.add(lane);
    const { polyline, next, connector }: Lane = at(lanes, lane);
    parts.push(polyline);
    restM -= lengthOf(polyline);
    lane = connector ? connector.to : straightest(lanes, next);
  }
  return headOf(joined(parts), lengthM);
}

const straightest = (lanes: readonly Lane[], connectors: readonly number[]): number | undefined =>
  connectors.find((index) => at(lanes, index).connector?.turn === 'straight') ?? connectors[0];
