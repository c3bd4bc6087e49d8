import {
  at,
  distance,
  distanceToPath,
  dot,
  lengthOf,
  pointAlong,
  startDirection,
} from './geometry.ts';
import type { Network } from './junctions.ts';
import type { Block, HazardSpot, Junction, Lane, Point, Road, Route } from './types.ts';

/** A lane that loops use, and what is at its end. */
interface Site {
  lane: Lane;
  roadClass: Road['class'];
  control: Junction['control'];
  /** Lanes that leave the junction: two only where the road does nothing but bend. */
  exitCount: number;
  connectors: readonly Lane[];
  /** How many loops come by. */
  traffic: number;
  isByPark: boolean;
  /** A left turn from the lane crosses traffic from straight ahead. */
  turnsAcrossOncoming: boolean;
}

interface SpotRule {
  kind: string;
  radiusM: number;
  description: string;
  /** Part of the lane's length at which the spot lies. */
  along: number;
  suits: (site: Site) => boolean;
}

const isClass =
  (...classes: readonly Road['class'][]) =>
  ({ roadClass }: Site): boolean =>
    classes.includes(roadClass);

/** In order of choice: those with few suitable places first. */
const SPOT_RULES: readonly SpotRule[] = [
  {
    kind: 'deer_crossing',
    radiusM: 45,
    description: 'A deer may leap out of the hedge of the park and onto the road.',
    along: 0.55,
    suits: (site) => site.isByPark && isClass('collector')(site),
  },
  {
    kind: 'sharp_bend',
    radiusM: 35,
    description: 'The fast road ends in a sharp bend with a wall right behind it.',
    along: 1,
    suits: (site) => site.exitCount === 2 && isClass('collector')(site),
  },
  {
    kind: 'ice_bend',
    radiusM: 35,
    description: 'The bend lies in the shade and keeps a sheet of ice.',
    along: 1,
    suits: (site) => site.exitCount === 2,
  },
  {
    kind: 'fog_stall',
    radiusM: 60,
    description: 'A broken-down car stands in a bank of fog that a camera cannot see through.',
    along: 0.6,
    suits: isClass('arterial'),
  },
  {
    kind: 'wet_crest',
    radiusM: 45,
    description: 'Something covers half the lane behind a crest where the road is wet.',
    along: 0.6,
    suits: isClass('arterial'),
  },
  {
    kind: 'red_light_lorry',
    radiusM: 40,
    description: 'A lorry crosses on its green the moment the light here turns red.',
    along: 1,
    suits: (site) => site.control === 'signals' && isClass('collector', 'local')(site),
  },
  {
    kind: 'left_turn_oncoming',
    radiusM: 40,
    description: 'A waiting van hides fast oncoming traffic from whoever turns left.',
    along: 1,
    suits: (site) => site.turnsAcrossOncoming && isClass('arterial')(site),
  },
  {
    kind: 'downhill_stop',
    radiusM: 35,
    description: 'The street falls towards a stop line with cross traffic behind it.',
    along: 1,
    suits: (site) => site.connectors.some((lane) => lane.connector?.mustStop),
  },
  {
    kind: 'blind_crossing',
    radiusM: 35,
    description: 'Houses hide a car that comes fast out of the side street.',
    along: 1,
    suits: (site) => site.control === 'none' && site.exitCount > 2,
  },
  {
    kind: 'parked_row_child',
    radiusM: 40,
    description: 'A child may run out from between the parked cars.',
    along: 0.5,
    suits: isClass('collector'),
  },
  {
    kind: 'sudden_stop',
    radiusM: 40,
    description: 'The vehicle ahead may brake to a standstill without warning.',
    along: 0.5,
    suits: isClass('arterial', 'collector'),
  },
  {
    kind: 'dark_zebra',
    radiusM: 40,
    description: 'Somebody in dark clothes may walk over the unlit zebra crossing.',
    along: 0.65,
    suits: isClass('collector', 'local'),
  },
  {
    kind: 'cut_in',
    radiusM: 40,
    description: 'A delivery van may pull out of its bay right in front of a car.',
    along: 0.45,
    suits: isClass('collector'),
  },
  {
    kind: 'blind_stall',
    radiusM: 50,
    description: 'Lorries come through here that see a car standing on the road far too late.',
    along: 0.5,
    suits: isClass('collector', 'local'),
  },
];

const PARK_BESIDE_M = 16;

/**
 * One spot of every kind that the network has a place for: the place most loops come by, among
 * those at least `apartM` from the spots before it.
 */
export function placeHazardSpots(
  network: Network,
  blocks: readonly Block[],
  routes: readonly Route[],
  apartM: number,
): HazardSpot[] {
  const sites = sitesOf(network, blocks, routes);
  const spots: HazardSpot[] = [];
  for (const rule of SPOT_RULES) {
    const busiest = sites.find(
      (site) =>
        rule.suits(site) &&
        spots.every((spot) => distance([spot.x, spot.y], placeOf(rule, site)) >= apartM),
    );
    if (!busiest) continue;
    const [x, y] = placeOf(rule, busiest);
    spots.push({
      id: `h${spots.length + 1}`,
      kind: rule.kind,
      x,
      y,
      radiusM: rule.radiusM,
      road: busiest.lane.road,
      description: rule.description,
    });
  }
  return spots;
}

const placeOf = (rule: SpotRule, { lane: { polyline } }: Site): Point =>
  pointAlong(polyline, lengthOf(polyline) * rule.along);

/** The lanes of roads that loops use, the busiest first. */
function sitesOf(
  { lanes, roads, junctions }: Network,
  blocks: readonly Block[],
  routes: readonly Route[],
): Site[] {
  const parks = blocks.filter((block) => block.kind === 'park');
  const sites = lanes.flatMap((lane, index): Site[] => {
    const traffic = routes.filter((route) => route.includes(index)).length;
    if (lane.road < 0 || traffic === 0) return [];
    const connectors = lane.next.map((next) => at(lanes, next));
    const middle = pointAlong(lane.polyline, lengthOf(lane.polyline) / 2);
    const junction = at(connectors, 0).junction;
    return [
      {
        lane,
        roadClass: at(roads, lane.road).class,
        control: at(junctions, junction).control,
        exitCount: exitCountOf(junction, lanes),
        connectors,
        traffic,
        turnsAcrossOncoming: connectors.some((one) => crossesOncoming(one, lanes)),
        isByPark: parks.some((park) => distanceToPath(middle, park.polygon) < PARK_BESIDE_M),
      },
    ];
  });
  return sites.sort((a, b) => b.traffic - a.traffic);
}

function crossesOncoming({ connector, polyline }: Lane, lanes: readonly Lane[]): boolean {
  if (connector?.turn !== 'left') return false;
  return connector.conflicts.some((other) => {
    const crossed = at(lanes, other);
    const isOncoming = dot(startDirection(polyline), startDirection(crossed.polyline)) < -0.9;
    return isOncoming && crossed.connector?.turn === 'straight';
  });
}

function exitCountOf(junction: number, lanes: readonly Lane[]): number {
  const exits = lanes
    .filter((lane) => lane.junction === junction)
    .map((lane) => lane.connector?.to);
  return new Set(exits).size;
}
