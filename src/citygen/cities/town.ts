import { at, boundsOf, direction, lengthOf } from '../../city/geometry.ts';
import {
  type Block,
  type Box,
  type HazardKind,
  type JunctionControl,
  type Lane,
  type Point,
  ROAD_CLASSES,
  type RoadClass,
} from '../../city/types.ts';
import { type Corner, roundedPath } from '../curves.ts';
import { grown, pointAlong } from '../geometry.ts';
import { type BlockPlan, surroundingBlocks } from '../land/blocks.ts';
import {
  buildInsideBend,
  buildWallOutside,
  fillWithGreens,
  type HouseStyle,
  lineWithHouses,
} from '../land/frontage.ts';
import { Land } from '../land/land.ts';
import { buildNetwork } from '../network/network.ts';
import {
  halfWidthOf,
  type JunctionPlan,
  type NetworkPlan,
  type SegmentPlan,
} from '../network/streets.ts';
import { RandomStream, STREAM } from '../random-stream.ts';
import { furnish, type GeneratedCity } from './furnish.ts';

/** An irregular town: its junctions, the streets between them and what is built there. */
export interface TownPlan {
  junctions: Readonly<Record<string, TownJunction>>;
  /** By class, each as the roads that it consists of. */
  streets: Readonly<Partial<Record<RoadClass, readonly (readonly TownRoad[])[]>>>;
  /** A car drives a loop of this length within three minutes. */
  loopMaxM: number;
  /** Junctions that stretches with hazard spots lead through, and the kinds of these spots. */
  stretches: readonly { via: readonly string[]; kinds: readonly HazardKind[] }[];
  /** Parks and squares, laid before the houses. */
  grounds: readonly BlockPlan[];
  /** Applied is the first style of the road's class whose box contains the middle of the segment. */
  styles: readonly TownStyle[];
  /** The seed moves junctions that may move by up to this many steps of 0.5 m. */
  moveSteps: number;
  greenCountMax: number;
}

interface TownJunction {
  x: number;
  y: number;
  control: JunctionControl;
  /** Any road of the street that has priority, or that has the first phase of the signals. */
  main?: string;
  mayMove?: boolean;
}

/** The name of a road, then the junctions and corners that it leads through. */
type TownRoad = readonly [name: string, ...via: (string | TownCorner)[]];

interface TownCorner extends Corner {
  /** There is a wall along the outside of the bend. */
  hasWall?: boolean;
}

interface TownStyle extends HouseStyle {
  class: RoadClass;
  within?: Box;
}

/** Smaller bends have a house on the inside, so that they are blind. */
const HOUSE_INSIDE_RADIUS_MAX_M = 20;
/** Distance between the outermost roads and the ring of houses around the town, m. */
const OUTSKIRTS_M = 22;
const MOVE_STEP_M = 0.5;

/** Generates the town of a plan. */
export function generateTown(town: TownPlan, seed: number): GeneratedCity {
  const plan = planNetwork(town, new RandomStream(seed, STREAM.streets));
  const network = buildNetwork(plan);
  const blocks = planBlocks(town, plan, network.lanes, new RandomStream(seed, STREAM.blocks));
  const indexOf = indexIn(town);
  const stretches = town.stretches.map(({ via, kinds }) => ({ via: via.map(indexOf), kinds }));
  return furnish(network, blocks, stretches, town.loopMaxM, new RandomStream(seed, STREAM.routes));
}

/** All roads, with the index of their street. */
function roadsOf({ streets }: TownPlan) {
  return ROAD_CLASSES.flatMap((roadClass) =>
    (streets[roadClass] ?? []).map((roads) => ({ roadClass, roads })),
  ).flatMap(({ roadClass, roads }, street) =>
    roads.map(([name, ...via]) => ({ name, class: roadClass, street, via })),
  );
}

function planNetwork(town: TownPlan, random: RandomStream): NetworkPlan {
  const { moveSteps } = town;
  const roads = roadsOf(town);
  const junctions = Object.values(town.junctions).map(({ x, y, control, main, mayMove }) => {
    const mainStreet = roads.find(({ name }) => name === main)?.street ?? -1;
    if (main !== undefined && mainStreet < 0) throw new RangeError(`no street "${main}"`);
    const move = () => (mayMove ? random.between(-moveSteps, moveSteps) * MOVE_STEP_M : 0);
    return { x: x + move(), y: y + move(), control, mainStreet };
  });
  const indexOf = indexIn(town);
  return {
    junctions,
    roads: roads.map(({ via, ...road }) => ({
      ...road,
      segments: segmentsOf(via, indexOf, junctions),
    })),
  };
}

/** Finds the index of a junction by its name. */
function indexIn({ junctions }: TownPlan): (name: string) => number {
  const names = Object.keys(junctions);
  return (name) => {
    const index = names.indexOf(name);
    if (index < 0) throw new RangeError(`no junction "${name}"`);
    return index;
  };
}

function segmentsOf(
  via: readonly (string | TownCorner)[],
  indexOf: (name: string) => number,
  junctions: readonly JunctionPlan[],
): SegmentPlan[] {
  return legsOf(via).map(({ from, corners, to }) => {
    const [fromJunction, toJunction] = [indexOf(from), indexOf(to)];
    const centre = (index: number): Point => [at(junctions, index).x, at(junctions, index).y];
    const axis = roundedPath(centre(fromJunction), corners, centre(toJunction));
    return { fromJunction, toJunction, axis };
  });
}

/** From one junction to the next, with the corners between them. */
interface Leg {
  from: string;
  corners: readonly TownCorner[];
  to: string;
}

function legsOf(via: readonly (string | TownCorner)[]): Leg[] {
  const legs: Leg[] = [];
  let from: string | undefined;
  let corners: TownCorner[] = [];
  for (const stop of via) {
    if (typeof stop !== 'string') {
      corners.push(stop);
      continue;
    }
    if (from !== undefined) legs.push({ from, corners, to: stop });
    from = stop;
    corners = [];
  }
  return legs;
}

function planBlocks(
  town: TownPlan,
  plan: NetworkPlan,
  lanes: readonly Lane[],
  random: RandomStream,
): Block[] {
  const setBackM = Math.min(...town.styles.map((style) => style.setBackM));
  const land = new Land(lanes, { besideRoadM: setBackM - 0.4, besideTurnM: 1.2 });
  const axes = plan.roads.flatMap(({ segments }) => segments.flatMap(({ axis }) => axis));
  const ring = grown(boundsOf(axes), OUTSKIRTS_M);
  for (const block of surroundingBlocks(ring, random)) land.build(block);
  buildAlongBends(land, town, plan, random);
  for (const block of town.grounds) land.buildFreePart(block);
  for (const frontage of frontagesOf(town, plan)) lineWithHouses(land, frontage, random);
  fillWithGreens(land, ring, town.greenCountMax);
  return land.built.map((block, i) => ({ id: `b${i + 1}`, ...block }));
}

/** Houses inside tight bends, and walls outside of some. */
function buildAlongBends(
  land: Land,
  town: TownPlan,
  plan: NetworkPlan,
  random: RandomStream,
): void {
  for (const [index, { via, class: roadClass }] of roadsOf(town).entries()) {
    const halfWidthM = halfWidthOf(roadClass);
    for (const [i, { corners }] of legsOf(via).entries()) {
      const { axis } = at(at(plan.roads, index).segments, i);
      const places: Point[] = [
        at(axis, 0),
        ...corners.map(({ x, y }): Point => [x, y]),
        at(axis, -1),
      ];
      for (const [k, corner] of corners.entries()) {
        const [before, place, after] = [at(places, k), at(places, k + 1), at(places, k + 2)];
        if (corner.radiusM < HOUSE_INSIDE_RADIUS_MAX_M) {
          const heightM = random.between(8, 14);
          buildInsideBend(land, place, direction(before, place), direction(place, after), heightM);
        }
        if (corner.hasWall) buildWallOutside(land, axis, corner, halfWidthM);
      }
    }
  }
}

/** The segments that houses are built along, those of important roads first. */
function frontagesOf({ styles }: TownPlan, { roads }: NetworkPlan) {
  return ROAD_CLASSES.flatMap((roadClass) =>
    roads
      .filter((road) => road.class === roadClass)
      .flatMap(({ segments }) =>
        segments.flatMap(({ axis }) => {
          const style = styles.find(
            (one) =>
              one.class === roadClass && isWithin(pointAlong(axis, lengthOf(axis) / 2), one.within),
          );
          return style ? [{ axis, halfWidthM: halfWidthOf(roadClass), style }] : [];
        }),
      ),
  );
}

const isWithin = ([x, y]: Point, box: Box | undefined): boolean =>
  !box || (x >= box.minX && x <= box.maxX && y >= box.minY && y <= box.maxY);
