import {
  C_ACCEL_COMFORT,
  C_CLAIM,
  C_DECEL_COMFORT,
  C_HEADWAY,
  C_HX,
  C_HY,
  C_LANE,
  C_LIGHT_CHOICE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_SPEED_FACTOR,
  C_STANDSTILL_GAP,
  C_STATION,
  C_VX,
  C_WAIT_TICK,
  C_X,
  C_Y,
  CAR_COUNT,
  F_ALL,
  F_THROTTLE,
  SIGNALS,
  TICKS_PER_S,
} from '../../../assembly/layout.ts';
import { at, lengthOf } from '../../city/geometry.ts';
import type { City, Connector, HazardSpot, Junction, Lane, Point, Road } from '../../city/types.ts';
import { endDirection, pointAlong } from '../../citygen/geometry.ts';
import { buildNetwork } from '../../citygen/network/network.ts';
import type { JunctionPlan, NetworkPlan, RoadPlan } from '../../citygen/network/streets.ts';
import { packCity } from '../../citygen/tables/city-table.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { makeKernelOf, memoised } from './kernel.ts';
import { wayBetween } from './paths.ts';

/** The type of every car on a crossing: 4.56 m long, its front bumper 2.21 m before its centre. */
export const CAR_TYPE = 2;
export const CAR_LENGTH_M = at(CAR_TYPES, CAR_TYPE).lengthM;
const NOSE_M = at(CAR_TYPES, CAR_TYPE).centreM + CAR_LENGTH_M / 2;
const SPACING_M = 180;
/** Where cars stand that have no part: a ring of roads of its own, without throttle. */
const PARK_AT_M = 2000;
const PARK_SPACING_M = 400;
const CENTRE = 4;
/** Late enough for cars that have waited for long, and right before a decision. */
const START_TICK = 4003;

export type Side = 'west' | 'south' | 'east' | 'north';

export interface CrossingPlan {
  control: Junction['control'];
  /** Class of the main street, from west to east, and of the one that crosses it. */
  row?: Road['class'] | undefined;
  column?: Road['class'] | undefined;
  /** By index in the fleet. */
  cars: Readonly<Record<number, CarPlan>>;
  hazards?: readonly HazardSpot[] | undefined;
  /** Tick of the signal cycle that the first step forms. */
  cycleTick?: number;
}

export interface CarPlan {
  from: Side;
  turn: Connector['turn'];
  /** From the front bumper to the stop line, negative beyond the junction, from where it ends. */
  distanceM: number;
  speedMps: number;
  features?: number;
  /** Time for which the car has been asking for its claim. */
  waitedS?: number;
}

export interface CarState {
  /** From the front bumper to the stop line; negative once the line is behind it. */
  distanceM: number;
  speedMps: number;
  where: 'before' | 'inside' | 'beyond';
  hasClaim: boolean;
  choice: number;
}

const HEADINGS: Readonly<Record<Side, Point>> = {
  west: [1, 0],
  south: [0, 1],
  east: [-1, 0],
  north: [0, -1],
};

/** A world of nine junctions. The middle one has the cars of the plan. */
export class Crossing {
  readonly city: City;
  readonly kernel: Kernel;
  readonly slab: number;
  readonly #plan: CrossingPlan;
  readonly #ways: ReadonlyMap<number, Way>;

  constructor(plan: CrossingPlan, tick = START_TICK) {
    this.#plan = plan;
    const { control, row, column, hazards } = plan;
    const routes = Object.entries(plan.cars).map(
      ([car, { from, turn }]) => [Number(car), from, turn] as const,
    );
    const { city, ways, table } = groundOf({ control, row, column, hazards, routes });
    this.#ways = ways;
    this.city = city;
    this.kernel = makeKernelOf(table);
    this.slab = this.kernel.acquire() ?? 0;
    this.kernel.create(this.slab, {
      cityIndex: 0,
      seed: 1,
      tick,
      carTypes: new Int32Array(CAR_COUNT).fill(CAR_TYPE),
      masks: Array.from({ length: CAR_COUNT }, (_, car) => {
        const own = plan.cars[car];
        return own ? (own.features ?? F_ALL) : F_ALL & ~F_THROTTLE;
      }),
    });
    this.#placeAll(tick);
  }

  #placeAll(tick: number): void {
    const image = this.kernel.image(this.slab);
    const view = new DataView(image.buffer);
    for (let car = 0; car < CAR_COUNT; car++) this.#place(view, car, tick);
    const { cycleTicks } = at(this.city.junctions, CENTRE);
    const offset = cycleTicks + (this.#plan.cycleTick ?? 0) - ((tick + 1) % (cycleTicks || 1));
    view.setUint32(SIGNALS + CENTRE * 4, offset, true);
    this.kernel.restore(this.slab, image);
  }

  #place(view: DataView, car: number, tick: number): void {
    const setF = (array: number, value: number) => view.setFloat64(array + car * 8, value, true);
    const setI = (array: number, value: number) => view.setInt32(array + car * 4, value, true);
    const plan = this.#plan.cars[car];
    const route = at(this.city.routes, car);
    const position = plan && plan.distanceM < 0 ? 2 : 0;
    const lane = at(this.city.lanes, at(route, position));
    const stationM = plan ? stationOf(lane, plan) : 20 + 8 * Math.floor(car / 8);
    const [x, y] = pointAlong(lane.polyline, stationM);
    const [hx, hy] = endDirection(lane.polyline);
    for (const [array, value] of [
      [C_X, x],
      [C_Y, y],
      [C_HX, hx],
      [C_HY, hy],
      [C_VX, plan?.speedMps ?? 0],
      [C_STATION, stationM],
      [C_OFFSET, 0],
      [C_SPEED_FACTOR, 1],
      [C_HEADWAY, 1.2],
      [C_STANDSTILL_GAP, 2],
      [C_ACCEL_COMFORT, 1.5],
      [C_DECEL_COMFORT, 2],
    ] as const) {
      setF(array, value);
    }
    setI(C_LANE, at(route, position));
    setI(C_ROUTE_INDEX, position);
    if (plan?.waitedS) setI(C_WAIT_TICK, tick - plan.waitedS * TICKS_PER_S);
  }

  step(ticks = 1): void {
    this.kernel.step(this.slab, ticks);
  }

  car(car: number): CarState {
    const image = this.kernel.image(this.slab);
    const view = new DataView(image.buffer);
    const way = this.#ways.get(car);
    if (!way) throw new RangeError(`car ${car} has no part`);
    const index = way.loop.indexOf(view.getInt32(C_LANE + car * 4, true));
    const beforeM = way.loop
      .slice(0, index)
      .reduce((sumM, lane) => sumM + lengthOf(at(this.city.lanes, lane).polyline), 0);
    const approachM = lengthOf(at(this.city.lanes, at(way.loop, 0)).polyline);
    return {
      distanceM: approachM - beforeM - view.getFloat64(C_STATION + car * 8, true) - NOSE_M,
      speedMps: view.getFloat64(C_VX + car * 8, true),
      where: index === 0 ? 'before' : index === 1 ? 'inside' : 'beyond',
      hasClaim: view.getInt32(C_CLAIM + car * 4, true) === way.loop[1],
      choice: view.getInt32(C_LIGHT_CHOICE + car * 4, true),
    };
  }

  /** The lane through the junction in the middle. */
  connector(from: Side, turn: Connector['turn']): Lane {
    return at(this.city.lanes, at(wayThrough(this.city.lanes, from, turn).loop, 1));
  }

  /** Steps until the condition holds; the ticks that it took, or −1 where they were not enough. */
  until(condition: () => boolean, ticksMax: number): number {
    for (let tick = 0; tick <= ticksMax; tick++) {
      if (condition()) return tick;
      this.step();
    }
    return -1;
  }
}

interface GroundPlan extends Pick<CrossingPlan, 'control' | 'row' | 'column' | 'hazards'> {
  routes: readonly (readonly [car: number, from: Side, turn: Connector['turn']])[];
}

const groundOf = memoised((plan: GroundPlan) => {
  const network = buildNetwork(planNetwork(plan));
  const ways: ReadonlyMap<number, Way> = new Map(
    plan.routes.map(([car, from, turn]) => [car, wayThrough(network.lanes, from, turn)]),
  );
  const city: City = {
    name: 'crossing',
    title: 'Crossing',
    description: 'One junction among nine.',
    bounds: { minX: -500, minY: -500, maxX: 3000, maxY: 500 },
    ...network,
    blocks: [],
    zones: [],
    hazards: plan.hazards ?? [],
    routes: Array.from(
      { length: CAR_COUNT },
      (_, car) => ways.get(car)?.loop ?? parkedLoop(network.lanes, car),
    ),
  };
  return { city, ways, table: packCity(city) };
});

function stationOf({ polyline }: Lane, { distanceM }: CarPlan): number {
  return distanceM < 0 ? -distanceM : lengthOf(polyline) - distanceM - NOSE_M;
}

function planNetwork({ control, row = 'local', column = 'local' }: GroundPlan): NetworkPlan {
  const grid = Array.from({ length: 9 }, (_, i): JunctionPlan => {
    const place = { x: ((i % 3) - 1) * SPACING_M, y: (Math.floor(i / 3) - 1) * SPACING_M };
    return i === CENTRE
      ? { ...place, control, mainStreet: control === 'none' ? -1 : 1 }
      : { ...place, control: 'none', mainStreet: -1 };
  });
  const park = Array.from({ length: 4 }, (_, i): JunctionPlan => {
    const place = {
      x: PARK_AT_M + (i % 2) * PARK_SPACING_M,
      y: Math.floor(i / 2) * PARK_SPACING_M,
    };
    return { ...place, control: 'none', mainStreet: -1 };
  });
  const junctions = [...grid, ...park];
  const classOf = (street: number) => (street === 1 ? row : street === 4 ? column : 'collector');
  const road = (street: number, passed: readonly number[]): RoadPlan => ({
    name: `Street ${street}`,
    class: classOf(street),
    street,
    segments: passed.slice(1).map((toJunction, i) => {
      const fromJunction = at(passed, i);
      const ends = [at(junctions, fromJunction), at(junctions, toJunction)];
      return { fromJunction, toJunction, axis: ends.map(({ x, y }): Point => [x, y]) };
    }),
  });
  const streets = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [9, 10],
    [10, 12],
    [12, 11],
    [11, 9],
  ];
  return { junctions, roads: streets.map((passed, street) => road(street, passed)) };
}

/** A loop that begins on an approach of the junction in the middle. */
interface Way {
  loop: readonly number[];
}

function wayThrough(lanes: readonly Lane[], from: Side, turn: Connector['turn']): Way {
  const [hx, hy] = HEADINGS[from];
  const connector = lanes.findIndex(({ junction, connector: own }) => {
    if (junction !== CENTRE || own?.turn !== turn) return false;
    const [dx, dy] = endDirection(at(lanes, own.from).polyline);
    return dx * hx + dy * hy > 0.9;
  });
  const own = at(lanes, connector).connector;
  if (!own) throw new RangeError(`nobody turns ${turn} from ${from}`);
  return { loop: [own.from, connector, ...wayBetween(lanes, own.to, own.from, CENTRE)] };
}

/** Around the car park, each beginning on one of its eight lanes. */
function parkedLoop(lanes: readonly Lane[], car: number): readonly number[] {
  const parkLanes = lanes.flatMap((lane, i) =>
    lane.road >= 0 && at(lane.polyline, 0)[0] > PARK_AT_M / 2 ? [i] : [],
  );
  const start = at(parkLanes, car % parkLanes.length);
  const connector = at(at(lanes, start).next, 0);
  const exit = at(at(lanes, connector).next, 0);
  return [start, connector, ...wayBetween(lanes, exit, start, CENTRE)];
}
