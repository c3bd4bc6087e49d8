import {
  JUNCTION_MAX,
  LIGHT_AMBER,
  LIGHT_GREEN,
  LIGHT_RED,
  LIGHT_RED_AMBER,
  SIGNALS,
} from '../../../assembly/layout.ts';
import { at, boundsOf } from '../../city/geometry.ts';
import { type LaneProfile, profilesOf } from '../../city/table/lane-profile.ts';
import type { Box, City, Light, Point } from '../../city/types.ts';
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';

/** A city as arrays for measurements at every tick. */
export interface Course {
  city: City;
  cityIndex: number;
  profiles: readonly LaneProfile[];
  laneLengthM: Float64Array;
  speedLimitMps: Float64Array;
  /** 1 for a lane through a junction. */
  isConnector: Uint8Array;
  /** The light that a connector's traffic obeys, −1 none. */
  lightOf: Int32Array;
  /** Blocks that cars cannot drive through, with their bounding boxes. */
  solids: readonly Solid[];
}

interface Solid {
  id: string;
  polygon: readonly Point[];
  bounds: Box;
}

export function courseOf(city: City, cityIndex: number): Course {
  const profiles = profilesOf(city);
  return {
    city,
    cityIndex,
    profiles,
    laneLengthM: Float64Array.from(profiles, ({ lengthM }) => lengthM),
    speedLimitMps: Float64Array.from(city.lanes, (lane) => lane.speedLimitMps),
    isConnector: Uint8Array.from(city.lanes, ({ connector }) => (connector ? 1 : 0)),
    lightOf: Int32Array.from(city.lanes, ({ connector }) => connector?.light ?? -1),
    solids: city.blocks
      .filter(({ solid }) => solid)
      .map(({ id, polygon }) => ({ id, polygon, bounds: boundsOf(polygon) })),
  };
}

/** From the centre of gravity to the bumpers of each car type, m. */
export const NOSE_M = Float64Array.from(CAR_TYPES, (type) => type.lengthM / 2 + type.centreM);
export const TAIL_M = Float64Array.from(CAR_TYPES, (type) => type.lengthM / 2 - type.centreM);

/**
 * The lights of one world by the published plan: fixed time, a function of the tick and of the
 * offset that the world drew for each junction.
 */
export class SignalPlan {
  readonly #city: City;
  readonly #offsets: Int32Array;

  constructor(city: City, { i32 }: SlabArrays) {
    this.#city = city;
    this.#offsets = i32.slice(SIGNALS / 4, SIGNALS / 4 + JUNCTION_MAX);
  }

  state(light: number, tick: number): number {
    const { greenTicks, amberTicks, redAmberTicks } = at(this.#city.lights, light);
    const sinceGreen = this.#sinceGreen(light, tick);
    if (sinceGreen < greenTicks) return LIGHT_GREEN;
    if (sinceGreen < greenTicks + amberTicks) return LIGHT_AMBER;
    return sinceGreen < this.#cycle(light) - redAmberTicks ? LIGHT_RED : LIGHT_RED_AMBER;
  }

  /** The first tick after `tick` at which the light turns amber. */
  nextAmber(light: number, tick: number): number {
    const cycle = this.#cycle(light);
    const left = (at(this.#city.lights, light).greenTicks - this.#sinceGreen(light, tick)) % cycle;
    return tick + (left > 0 ? left : left + cycle);
  }

  #sinceGreen(light: number, tick: number): number {
    const { junction, greenFromTick } = at(this.#city.lights, light);
    const cycle = this.#cycle(light);
    const offset = this.#offsets[junction] ?? 0;
    return (tick + offset + cycle - greenFromTick) % cycle;
  }

  #cycle(light: number): number {
    const { junction }: Light = at(this.#city.lights, light);
    return at(this.#city.junctions, junction).cycleTicks;
  }
}
