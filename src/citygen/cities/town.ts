import { at, boundsOf, direction, lengthOf } from '../../city/geometry.ts';
import type { Block, Box, CityBody, Junction, Point, Road } from '../../city/types.ts';
import { type Corner, roundedPath } from '../curves.ts';
import { pointAlong } from '../geometry.ts';
import { type BlockPlan, surroundingBlocks } from '../land/blocks.ts';
import {
  buildInsideBend,
  buildWallOutside,
  fillWithGreens,
  type HouseStyle,
  lineWithHouses,
} from '../land/frontage.ts';
import { buildAsFarAsFree, createLand, type Land } from '../land/land.ts';
import { buildNetwork } from '../network/network.ts';
import {
  halfWidthOf,
  type JunctionPlan,
  type NetworkPlan,
  type SegmentPlan,
} from '../network/streets.ts';
import { createRandom, type Random } from '../random.ts';
import { furnish } from './furnish.ts';

/** A town that no grid describes: its junctions, the ways between them and what stands there. */
export interface TownPlan {
  junctions: Readonly<Record<string, TownJunction>>;
  streets: readonly TownStreet[];
  /** Parks, squares and other blocks that houses must leave room for. */
  grounds: readonly BlockPlan[];
  /** How houses are; the first that has the road's class and contains the middle of the way. */
  styles: readonly TownStyle[];
  /** Junctions that may move are where they are planned, give or take this many steps of 0.5 m. */
  moveSteps: number;
  greenCountMax: number;
}

export interface TownJunction {
  x: number;
  y: number;
  control: Junction['control'];
  /** Name of a road of the street that has priority, or the first phase of the signals. */
  main?: string;
  /** A seed may move it. */
  mayMove?: boolean;
}

/** A street and the named roads that it consists of. */
export interface TownStreet {
  class: Road['class'];
  roads: readonly TownRoad[];
}

export interface TownRoad {
  name: string;
  /** Names of junctions, and the corners between them. */
  via: readonly (string | TownCorner)[];
}

export interface TownCorner extends Corner {
  /** A wall runs along the outside of the bend. */
  hasWall?: boolean;
}

export interface TownStyle extends HouseStyle {
  class: Road['class'];
  within?: Box;
}

/** Smaller bends have a house in their inside, which hides what comes. */
const HOUSE_INSIDE_RADIUS_MAX_M = 20;
/** Between the outermost roads and the houses that close the town off. */
const OUTSKIRTS_M = 22;
const MOVE_STEP_M = 0.5;

/** What each purpose draws its random numbers from. */
const STREAM = { junctions: 1, blocks: 2, routes: 3 } as const;

/** The town of that plan, moved and built on by that seed. */
export function generateTown(town: TownPlan, seed: number): CityBody {
  const plan = planNetwork(town, createRandom(seed, STREAM.junctions));
  const network = buildNetwork(plan);
  const blocks = planBlocks(town, plan, network.lanes, createRandom(seed, STREAM.blocks));
  return furnish(network, blocks, createRandom(seed, STREAM.routes));
}

function planNetwork({ junctions, streets, moveSteps }: TownPlan, random: Random): NetworkPlan {
  const names = Object.keys(junctions);
  const places = Object.values(junctions).map(({ x, y, control, main, mayMove }): JunctionPlan => {
    const mainStreet = streets.findIndex(({ roads }) => roads.some(({ name }) => name === main));
    if (main !== undefined && mainStreet < 0) throw new RangeError(`no street "${main}"`);
    const move = () => (mayMove ? random.between(-moveSteps, moveSteps) * MOVE_STEP_M : 0);
    return { x: x + move(), y: y + move(), control, mainStreet };
  });
  const indexOf = (name: string): number => {
    const index = names.indexOf(name);
    if (index < 0) throw new RangeError(`no junction "${name}"`);
    return index;
  };
  return {
    junctions: places,
    roads: streets.flatMap(({ class: roadClass, roads }, street) =>
      roads.map(({ name, via }) => ({
        name,
        class: roadClass,
        street,
        segments: segmentsOf(via, indexOf, places),
      })),
    ),
  };
}

function segmentsOf(
  via: TownRoad['via'],
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

/** The ways from junction to junction with the corners between them. */
function legsOf(via: TownRoad['via']): { from: string; corners: TownCorner[]; to: string }[] {
  const legs: { from: string; corners: TownCorner[]; to: string }[] = [];
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
  lanes: Parameters<typeof createLand>[0],
  random: Random,
): Block[] {
  const setBackM = Math.min(...town.styles.map((style) => style.setBackM));
  const land = createLand(lanes, { besideRoadM: setBackM - 0.4, besideTurnM: 1.2 });
  const axes = plan.roads.flatMap(({ segments }) => segments.flatMap(({ axis }) => axis));
  const inner = boundsOf(axes);
  const ring: Box = {
    minX: inner.minX - OUTSKIRTS_M,
    minY: inner.minY - OUTSKIRTS_M,
    maxX: inner.maxX + OUTSKIRTS_M,
    maxY: inner.maxY + OUTSKIRTS_M,
  };
  for (const block of surroundingBlocks(ring, random)) land.build(block);
  buildAlongBends(land, town, plan, random);
  for (const block of town.grounds) buildAsFarAsFree(land, block);
  for (const frontage of frontagesOf(town, plan)) lineWithHouses(land, frontage, random);
  fillWithGreens(land, ring, town.greenCountMax);
  return land.built.map((block, i) => ({ id: `b${i + 1}`, ...block }));
}

/** Houses inside tight bends and walls outside of some. */
function buildAlongBends(land: Land, town: TownPlan, plan: NetworkPlan, random: Random): void {
  const roads = town.streets.flatMap(({ roads, class: roadClass }) =>
    roads.map((road) => ({ road, halfWidthM: halfWidthOf(roadClass) })),
  );
  for (const [index, { road, halfWidthM }] of roads.entries()) {
    for (const [i, { corners }] of legsOf(road.via).entries()) {
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

const CLASS_ORDER: readonly Road['class'][] = ['arterial', 'collector', 'local'];

/** Both sides of every way that houses stand along, the important roads first. */
function frontagesOf({ styles }: TownPlan, { roads }: NetworkPlan) {
  return CLASS_ORDER.flatMap((roadClass) =>
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
