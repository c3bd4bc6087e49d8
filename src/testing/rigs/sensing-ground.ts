import {
  A_SIGHT,
  A_SINCE,
  C_GAP,
  C_VX,
  C_X,
  C_Y,
  CAR_COUNT,
  F_ALL,
  FRAME_TICKS,
  H_TICK,
  HAZARD_BYTES,
  HAZARDS,
  TARGET_BYTES,
  TARGET_COUNTS,
  TARGET_MAX,
  TARGETS,
  TG_CLASS,
  TG_OBJECT,
  TG_PATH,
  TG_SENSORS,
  TG_X,
  TG_Y,
} from '../../../assembly/layout.ts';
import type { Actor, Block, City, HazardKind, HazardSpot, Point, Zone } from '../../city/types.ts';
import { rectangle } from '../../citygen/geometry.ts';
import { packCity } from '../../citygen/tables/city-table.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { realOf } from '../../kernel/slab-arrays.ts';
import { Crossing } from './crossing.ts';
import { makeKernelOf, memoised } from './kernel.ts';
import { spotOf } from './proving-road.ts';
import { edit } from './slab-editor.ts';

/** Distances of the observing car's front bumper and camera from its centre of gravity, m. */
export const NOSE_M = 2.21;
export const CAMERA_M = NOSE_M - 1.6;
/** The observing car stands this far before a junction, with nothing else near, m. */
const BEFORE_LINE_M = 140;

/**
 * Place of an object: m ahead and left of the observing car, with its heading relative to that car.
 */
export interface Pose {
  ahead: number;
  left: number;
  heading?: Point;
  speed?: number;
}

export interface Sighting {
  object: number;
  sensors: number;
  kind: number;
  ahead: number;
  left: number;
  path: number;
}

export interface GroundPlan {
  /** Rectangles in the axes of the observing car, as [from, to] ahead and to the left. */
  walls?: readonly { ahead: Point; left: Point }[];
  /** Everything is within the zone. */
  weather?: Zone['kind'];
  /** Actors of the spots, one each, and the sight distance to each. */
  actors?: readonly { kind: HazardKind; actor: Partial<Actor>; sightM?: number }[];
  features?: number;
}

const crossings = new Map<number, Crossing>();

/** Never stepped, so tests may share it. */
function crossingWith(features: number): Crossing {
  const own = { from: 'west', turn: 'straight', distanceM: BEFORE_LINE_M, speedMps: 0 } as const;
  const known = crossings.get(features);
  const crossing = known ?? new Crossing({ control: 'none', cars: { 0: { ...own, features } } });
  crossings.set(features, crossing);
  return crossing;
}

const tableOf = memoised((city: City) => packCity(city));

/** A straight street on which car 0 stands and observes; a test places everything else. */
export class SensingGround {
  readonly #kernel: Kernel;
  readonly #slab: number;
  readonly #x: number;
  readonly #y: number;

  constructor({ walls = [], weather, actors = [], features = F_ALL }: GroundPlan) {
    const crossing = crossingWith(features);
    const image = crossing.kernel.image(crossing.slab);
    const view = new DataView(image.buffer);
    this.#x = view.getFloat64(C_X, true);
    this.#y = view.getFloat64(C_Y, true);
    const lane = crossing.city.routes[0]?.[0] ?? 0;
    const corners = ([fromX, toX]: Point, [fromY, toY]: Point): Point[] =>
      rectangle(...this.#at(fromX, fromY), ...this.#at(toX, toY));
    const city: City = {
      ...crossing.city,
      blocks: walls.map(
        ({ ahead, left }, i): Block => ({
          id: `b${i}`,
          kind: 'wall',
          polygon: corners(ahead, left),
          heightM: 3,
          solid: true,
        }),
      ),
      zones: weather
        ? [{ id: 'z', kind: weather, friction: 0.95, polygon: corners([-200, 200], [-60, 60]) }]
        : [],
      hazards: actors.map((each, i) => this.#spot(each, i, lane)),
    };
    for (const [spot, { sightM = 0 }] of actors.entries()) {
      view.setFloat32(HAZARDS + spot * HAZARD_BYTES + A_SIGHT, sightM, true);
    }
    this.#kernel = makeKernelOf(tableOf(city));
    this.#slab = this.#kernel.acquire() ?? 0;
    this.#kernel.restore(this.#slab, image);
  }

  #at(ahead: number, left: number): Point {
    return [this.#x + ahead, this.#y + left];
  }

  #poseOf({ ahead, left, heading: [hx, hy] = [1, 0] }: Pose) {
    const [x, y] = this.#at(ahead, left);
    return { x, y, hx, hy };
  }

  #spot(
    { kind, actor, sightM = 0 }: NonNullable<GroundPlan['actors']>[number],
    i: number,
    lane: number,
  ): HazardSpot {
    const [x, y] = this.#at(50, 0);
    const own: Actor = {
      kind: 'vehicle',
      name: 'thing',
      lengthM: 4.5,
      widthM: 1.8,
      massKg: 1000,
      speedMps: 0,
      ...actor,
    };
    const spot = spotOf(own, i);
    const site = { ...spot.site, lanes: [lane], stationM: 80, active: [], sightM };
    return { ...spot, kind, x, y, site };
  }

  /** Makes one scan with cars and actors at their places; returns the targets of car 0. */
  look(cars: Readonly<Record<number, Pose>>, actors: readonly Pose[] = []): Sighting[] {
    edit(this.#kernel, this.#slab, (world) => {
      const lookTick = (Math.floor(world.i32(H_TICK, 0) / FRAME_TICKS) + 1) * FRAME_TICKS;
      world.setI32(H_TICK, 0, lookTick - 1);
      const poses: Record<number, Pose> = { 0: { ahead: 0, left: 0 }, ...cars };
      for (const [car, pose] of Object.entries(poses)) {
        world.placeCar(Number(car), this.#poseOf(pose));
        world.setReal(C_VX, Number(car), pose.speed ?? 0);
      }
      for (const [spot, pose] of actors.entries()) {
        world.placeActor(spot, this.#poseOf(pose), pose.speed);
        world.setI32(HAZARDS + spot * HAZARD_BYTES + A_SINCE, 0, lookTick);
      }
    });
    this.#kernel.step(this.#slab, 1);
    return this.#targets();
  }

  /** Makes several scans; returns the targets of the last one. */
  stare(
    looks: number,
    cars: Readonly<Record<number, Pose>>,
    actors: readonly Pose[] = [],
  ): Sighting[] {
    let last: Sighting[] = [];
    for (let look = 0; look < looks; look++) last = this.look(cars, actors);
    return last;
  }

  /** Gap in the last scan, m; −1 if there is none. */
  gap(): number {
    return realOf(this.#kernel.view(this.#slab), C_GAP, 0);
  }

  #targets(): Sighting[] {
    const memory = new DataView(this.#kernel.belowSlabs().buffer);
    const count = memory.getInt32(TARGET_COUNTS, true);
    return Array.from({ length: Math.min(count, TARGET_MAX) }, (_, i) => {
      const at = TARGETS + i * TARGET_BYTES;
      return {
        object: memory.getInt32(at + TG_OBJECT, true),
        sensors: memory.getInt32(at + TG_SENSORS, true),
        kind: memory.getInt32(at + TG_CLASS, true),
        ahead: memory.getFloat64(at + TG_X, true),
        left: memory.getFloat64(at + TG_Y, true),
        path: memory.getFloat32(at + TG_PATH, true),
      };
    });
  }
}

/** The number of an object that is the actor of a spot. */
export const actorOf = (spot: number): number => CAR_COUNT + spot;
