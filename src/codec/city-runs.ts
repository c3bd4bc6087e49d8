import {
  FLAG_AEB,
  FLAG_BRAKING,
  FLAG_ESC,
  FLAG_EVASIVE,
  O_HAZARD,
  OH_ACTIVE,
  OH_HEADING,
  OH_LENGTH,
  OH_STRIDE,
  OH_WIDTH,
  OH_X,
  OH_Y,
} from '../../assembly/layout.ts';
import { LIGHT_STATES, STATUSES } from '../twin/telemetry.ts';
import type { CityNames } from './names.ts';
import { Runs } from './runs.ts';

/** How an encoding spells the parts of a frame that are the same in every world of a city. */
export interface Notation {
  /** What stands between the numbers, in the order of the encoding's own constants. */
  fixed: readonly Uint8Array[];
  /** From behind the heading and the speed of a vehicle up to the value of its gap. */
  place(id: string): Uint8Array;
  /** From behind the gap of a vehicle to its end. */
  tail(condition: Condition): Uint8Array;
  light(id: string, state: string): Uint8Array;
  /** Up to the value of x. */
  hazard(id: string, kind: string, active: boolean): Uint8Array;
  /** All of a spot where nothing is out, as nearly all are. */
  resting(id: string, kind: string, xCm: number, yCm: number): Uint8Array;
}

export interface Condition {
  braking: boolean;
  aeb: boolean;
  esc: boolean;
  evasive: boolean;
  status: string;
}

/** Combinations of the four FLAG_ bits. */
export const FLAG_COMBINATIONS = 16;

/** The runs of one city in one encoding, and the numbers at which each kind of them begins. */
export interface CityRuns {
  runs: Runs;
  /** + status × FLAG_COMBINATIONS + flags */
  tails: number;
  /** + road index */
  roads: number;
  /** + junction index */
  junctions: number;
  /** + light index × number of states + state */
  lights: number;
  /** + hazard index × 2 + active */
  hazards: number;
  /** + hazard index */
  resting: number;
  /** Where each hazard rests: x and y, cm. */
  places: Int32Array;
}

function cityRuns(names: CityNames, notation: Notation): CityRuns {
  const tails = STATUSES.flatMap((status) =>
    Array.from({ length: FLAG_COMBINATIONS }, (_, flags) =>
      notation.tail({
        braking: (flags & FLAG_BRAKING) !== 0,
        aeb: (flags & FLAG_AEB) !== 0,
        esc: (flags & FLAG_ESC) !== 0,
        evasive: (flags & FLAG_EVASIVE) !== 0,
        status,
      }),
    ),
  );
  const roads = names.roads.map((id) => notation.place(id));
  const junctions = names.junctions.map((id) => notation.place(id));
  const lights = names.lights.flatMap((id) =>
    LIGHT_STATES.map((state) => notation.light(id, state)),
  );
  const hazards = names.hazards.flatMap(({ id, kind }) =>
    [false, true].map((active) => notation.hazard(id, kind, active)),
  );
  const places = Int32Array.from(names.hazards.flatMap(({ x, y }) => [inCm(x), inCm(y)]));
  const resting = names.hazards.map(({ id, kind, x, y }) =>
    notation.resting(id, kind, inCm(x), inCm(y)),
  );
  const tailsAt = notation.fixed.length;
  const roadsAt = tailsAt + tails.length;
  const junctionsAt = roadsAt + roads.length;
  const lightsAt = junctionsAt + junctions.length;
  const hazardsAt = lightsAt + lights.length;
  return {
    runs: new Runs([
      ...notation.fixed,
      ...tails,
      ...roads,
      ...junctions,
      ...lights,
      ...hazards,
      ...resting,
    ]),
    tails: tailsAt,
    roads: roadsAt,
    junctions: junctionsAt,
    lights: lightsAt,
    hazards: hazardsAt,
    resting: hazardsAt + hazards.length,
    places,
  };
}

function inCm(m: number): number {
  return Math.round(m * 100);
}

/** Whether the packed numbers of a hazard are those of its `resting` run. */
export function isResting(packed: Int32Array, hazard: number, { places }: CityRuns): boolean {
  const base = O_HAZARD + hazard * OH_STRIDE;
  return (
    packed[base + OH_ACTIVE] === 0 &&
    packed[base + OH_X] === places[2 * hazard] &&
    packed[base + OH_Y] === places[2 * hazard + 1] &&
    packed[base + OH_HEADING] === 0 &&
    packed[base + OH_LENGTH] === 0 &&
    packed[base + OH_WIDTH] === 0
  );
}

/** Makes the runs of each city once, for as long as its names are in use. */
export function sharedCityRuns(notation: Notation): (names: CityNames) => CityRuns {
  const made = new WeakMap<CityNames, CityRuns>();
  return (names) => {
    const known = made.get(names);
    if (known !== undefined) return known;
    const fresh = cityRuns(names, notation);
    made.set(names, fresh);
    return fresh;
  };
}
