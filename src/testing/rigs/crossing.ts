import {
  C_ACCEL_COMFORT,
  C_CLAIM,
  C_DECEL_COMFORT,
  C_HEADWAY,
  C_LANE,
  C_LIGHT_CHOICE,
  C_OFFSET,
  C_ROUTE_INDEX,
  C_SPEED_FACTOR,
  C_STANDSTILL_GAP,
  C_STATION,
  C_VX,
  C_WAIT_TICK,
  F_ALL,
  F_THROTTLE,
  SIGNALS,
  TICKS_PER_S,
} from '../../../assembly/layout.ts';
import { at, lengthOf } from '../../city/geometry.ts';
import type { City, Connector, HazardSpot, Junction, Lane, Point, Road } from '../../city/types.ts';
import { endDirection } from '../../citygen/geometry.ts';
import { buildNetwork } from '../../citygen/network/network.ts';
import type { JunctionPlan, NetworkPlan, RoadPlan } from '../../citygen/network/streets.ts';
import { packCity } from '../../citygen/tables/city-table.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { cars, makeWorldOf, memoised, SlabView } from './kernel.ts';
import { poseAlong, wayBetween } from './paths.ts';
import { edit, type SlabEditor } from './slab-editor.ts';

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
  /** State of the signals in the first step. */
  signal?: SignalPlan;
}

/** How long the light of a side has been green, amber or red. */
interface SignalPlan {
  light: 'green' | 'amber' | 'red';
  sinceS: number;
  /** By default the main street. */
  side?: Side;
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

const PARTS = ['before', 'inside', 'beyond'] as const;

export interface CarState {
  /** From the front bumper to the stop line; negative once the line is behind it. */
  distanceM: number;
  speedMps: number;
  where: (typeof PARTS)[number];
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
  readonly #world: SlabView;

  constructor(plan: CrossingPlan) {
    this.#plan = plan;
    const { control, row, column, hazards } = plan;
    const routes = Object.entries(plan.cars).map(
      ([car, { from, turn }]) => [Number(car), from, turn] as const,
    );
    const { city, ways, table } = groundOf({ control, row, column, hazards, routes });
    this.#ways = ways;
    this.city = city;
    const masks = cars.map((car) => {
      const own = plan.cars[car];
      return own ? (own.features ?? F_ALL) : F_ALL & ~F_THROTTLE;
    });
    const { kernel, slab } = makeWorldOf(table, CAR_TYPE, masks, START_TICK);
    this.kernel = kernel;
    this.slab = slab;
    this.#world = new SlabView(this.kernel.view(this.slab));
    this.edit((world) => {
      for (const car of cars) this.#place(world, car);
      this.#setSignals(world);
    });
  }

  #place(world: SlabEditor, car: number): void {
    const plan = this.#plan.cars[car];
    const route = at(this.city.routes, car);
    const position = plan && plan.distanceM < 0 ? 2 : 0;
    const lane = at(this.city.lanes, at(route, position));
    const stationM = plan ? stationOf(lane, plan) : 20 + 8 * Math.floor(car / 8);
    world.placeCar(car, poseAlong(lane.polyline, stationM));
    for (const [array, value] of [
      [C_VX, plan?.speedMps ?? 0],
      [C_STATION, stationM],
      [C_OFFSET, 0],
      [C_SPEED_FACTOR, 1],
      [C_HEADWAY, 1.2],
      [C_STANDSTILL_GAP, 2],
      [C_ACCEL_COMFORT, 1.5],
      [C_DECEL_COMFORT, 2],
    ] as const) {
      world.setReal(array, car, value);
    }
    world.setI32(C_LANE, car, at(route, position));
    world.setI32(C_ROUTE_INDEX, car, position);
    if (plan?.waitedS) world.setI32(C_WAIT_TICK, car, START_TICK - plan.waitedS * TICKS_PER_S);
  }

  /** Makes the plan's signal what the first step forms. */
  #setSignals(world: SlabEditor): void {
    const { signal } = this.#plan;
    if (!signal) return;
    const { light, sinceS, side = 'west' } = signal;
    const { cycleTicks } = at(this.city.junctions, CENTRE);
    const own = this.connector(side, 'straight').connector?.light ?? -1;
    const { greenFromTick, greenTicks, amberTicks } = at(this.city.lights, own);
    const afterGreen = { green: 0, amber: greenTicks, red: greenTicks + amberTicks }[light];
    const cycleTick = greenFromTick + afterGreen + sinceS * TICKS_PER_S;
    world.setI32(SIGNALS, CENTRE, cycleTicks + cycleTick - ((START_TICK + 1) % cycleTicks));
  }

  edit(change: (world: SlabEditor) => void): void {
    edit(this.kernel, this.slab, change);
  }

  step(ticks = 1): void {
    this.kernel.step(this.slab, ticks);
  }

  /** Contacts so far. */
  get contactCount(): number {
    return this.kernel.contactCount(this.slab);
  }

  car(car: number): CarState {
    const way = this.#ways.get(car);
    if (!way) throw new RangeError(`car ${car} has no part`);
    const index = way.loop.indexOf(this.#world.i32(C_LANE, car));
    const beforeM = way.lengthsM.slice(0, index).reduce((sumM, lengthM) => sumM + lengthM, 0);
    return {
      distanceM: at(way.lengthsM, 0) - beforeM - this.#world.real(C_STATION, car) - NOSE_M,
      speedMps: this.#world.real(C_VX, car),
      where: at(PARTS, Math.min(index, 2)),
      hasClaim: this.#world.i32(C_CLAIM, car) === way.loop[1],
      choice: this.#world.i32(C_LIGHT_CHOICE, car),
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
    routes: cars.map((car) => ways.get(car)?.loop ?? parkedLoop(network.lanes, car)),
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

/** A loop that begins on an approach of the junction in the middle, with the lengths of its lanes. */
interface Way {
  loop: readonly number[];
  lengthsM: readonly number[];
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
  const loop = [own.from, connector, ...wayBetween(lanes, own.to, own.from, CENTRE)];
  return { loop, lengthsM: loop.map((lane) => lengthOf(at(lanes, lane).polyline)) };
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
