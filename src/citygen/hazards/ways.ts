import { at, lengthOf } from '../../city/geometry.ts';
import type { HazardKind, Lane } from '../../city/types.ts';
import type { Network } from '../network/network.ts';

/** A stretch of streets that hosts spots of the given kinds. */
export interface StretchPlan {
  /** Indices of the junctions that it leads through, the first and the last included. */
  via: readonly number[];
  kinds: readonly HazardKind[];
}

/** The lanes of a stretch in driving order, connectors included. */
export interface Way {
  lanes: readonly number[];
  /** For each lane, when a car reaches its start, s. */
  startsS: readonly number[];
}

/** When a car reaches a station of a lane of the way that it drives from the start, s. */
export function timeAt(lane: Lane, startS: number, stationM: number): number {
  const isBehindBend = isBent(lane) && stationM > lengthOf(lane.polyline) / 2;
  return startS + stationM / lane.speedLimitMps + (isBehindBend ? BEND_S : 0);
}

/** What a turn at a junction and a bend of a road cost a car at the speed limit, s. */
const TURN_S = 3;
const BEND_S = 2;
/** A lane is longer than the straight line between its ends by this factor if it bends. */
const BENT = 1.1;

/**
 * The way through the junctions. Where a road has several lanes, those that lead on.
 *
 * @throws RangeError if no lanes lead there
 */
export function wayThrough(network: Network, via: readonly number[]): Way {
  const { lanes } = network;
  const ends = endsOf(lanes);
  const follow = (leg: number, lane: number): number[] | undefined => {
    if (leg === via.length - 2) return [lane];
    for (const connector of at(lanes, lane).next) {
      const to = at(lanes, connector).connector?.to ?? -1;
      if (at(ends, to).to !== via[leg + 2]) continue;
      const rest = follow(leg + 1, to);
      if (rest) return [lane, connector, ...rest];
    }
    return undefined;
  };
  for (const [lane, { from, to }] of ends.entries()) {
    if (from !== via[0] || to !== via[1]) continue;
    const found = follow(0, lane);
    if (found) return { lanes: found, startsS: startsOf(lanes, found) };
  }
  throw new RangeError(`no lanes lead through the junctions ${via.join(', ')}`);
}

/** For each lane of a road the junctions where it begins and ends; −1 for connectors. */
function endsOf(lanes: readonly Lane[]): { from: number; to: number }[] {
  const ends = lanes.map(() => ({ from: -1, to: -1 }));
  for (const { connector, junction } of lanes) {
    if (!connector) continue;
    at(ends, connector.from).to = junction;
    at(ends, connector.to).from = junction;
  }
  return ends;
}

function startsOf(lanes: readonly Lane[], way: readonly number[]): number[] {
  let timeS = 0;
  return way.map((index) => {
    const startS = timeS;
    timeS += secondsOn(at(lanes, index));
    return startS;
  });
}

/** How long a car takes that drives as fast as limit, turns and bends allow, s. */
function secondsOn(lane: Lane): number {
  const { polyline, connector } = lane;
  const isTurn = connector !== undefined && connector.turn !== 'straight';
  return timeAt(lane, 0, lengthOf(polyline)) + (isTurn ? TURN_S : 0);
}

const isBent = ({ polyline, connector }: Lane): boolean =>
  !connector && lengthOf(polyline) > BENT * lengthOf([at(polyline, 0), at(polyline, -1)]);
