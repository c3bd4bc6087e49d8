import { at } from '../../city/geometry.ts';
import type { Actor, City, HazardSpot, Lane, Point } from '../../city/types.ts';
import { buildNetwork } from '../../citygen/network/network.ts';
import type { JunctionPlan, NetworkPlan, RoadPlan } from '../../citygen/network/streets.ts';
import { wayBetween } from './paths.ts';

const LENGTH_M = 700;
const WIDTH_M = 300;
/** Where the cars stand that have no part: the second of the four roads. */
const PARK_ROAD = 2;

export interface ProvingRoad {
  city: City;
  /** The lane to drive on, straight from west to east: the rightmost. */
  lane: Lane;
  laneIndex: number;
  /** The lanes of cars that have no part. */
  parkLanes: readonly number[];
}

/**
 * Four roads around a field. The first is straight and empty. Actors are placed by the test and
 * never come by themselves.
 */
export function provingRoad(actors: readonly Actor[], lanes: 1 | 2): ProvingRoad {
  const network = buildNetwork(planNetwork(lanes === 2 ? 'arterial' : 'collector'));
  const isEastbound = ({ road, polyline }: Lane) =>
    road === 0 && at(polyline, -1)[0] > at(polyline, 0)[0];
  const eastbound = network.lanes.flatMap((lane, i) => (isEastbound(lane) ? [i] : []));
  const laneIndex = eastbound.reduce((a, b) => (southOf(network.lanes, a, b) ? a : b));
  const parkLanes = network.lanes.flatMap(({ road }, i) => (road === PARK_ROAD ? [i] : []));
  const loop = loopFrom(network.lanes, laneIndex);
  const city: City = {
    name: 'proving-road',
    title: 'Proving road',
    description: 'A long straight road.',
    bounds: { minX: -50, minY: -WIDTH_M - 50, maxX: LENGTH_M + 50, maxY: 50 },
    ...network,
    blocks: [],
    zones: [],
    hazards: actors.map(spotOf),
    routes: Array.from({ length: 20 }, (_, car) =>
      car === 0 ? loop : loopFrom(network.lanes, at(parkLanes, car % parkLanes.length)),
    ),
  };
  return { city, lane: at(network.lanes, laneIndex), laneIndex, parkLanes };
}

const southOf = (lanes: readonly Lane[], a: number, b: number): boolean =>
  at(at(lanes, a).polyline, 0)[1] < at(at(lanes, b).polyline, 0)[1];

function planNetwork(firstClass: 'arterial' | 'collector'): NetworkPlan {
  const corners: readonly Point[] = [
    [0, 0],
    [LENGTH_M, 0],
    [LENGTH_M, -WIDTH_M],
    [0, -WIDTH_M],
  ];
  const junctions = corners.map(
    ([x, y]): JunctionPlan => ({ x, y, control: 'none', mainStreet: -1 }),
  );
  const roads = corners.map(
    (from, street): RoadPlan => ({
      name: `Street ${street}`,
      class: street === 0 ? firstClass : 'collector',
      street,
      segments: [
        {
          fromJunction: street,
          toJunction: (street + 1) % 4,
          axis: [from, at(corners, (street + 1) % 4)],
        },
      ],
    }),
  );
  return { junctions, roads };
}

/** Fewest lanes from one back to itself. */
const loopFrom = (lanes: readonly Lane[], first: number): number[] =>
  wayBetween(lanes, first, first);

/** A spot that no car's way leads to. */
export function spotOf(actor: Actor, i: number): HazardSpot {
  const { lengthM, widthM } = actor;
  const body = { x: 0, y: -WIDTH_M / 2, heading: [1, 0] as const, lengthM, widthM };
  return {
    id: `spot-${i}`,
    kind: 'fog_stall',
    x: body.x,
    y: body.y,
    radiusM: 10,
    road: 0,
    description: 'What a manoeuvre needs.',
    site: {
      lanes: [],
      stationM: 0,
      actorPath: [],
      actorStationM: 0,
      bodies: [],
      active: [body],
      sightM: 0,
      grade: 0,
      actorLight: -1,
      actor,
    },
  };
}
