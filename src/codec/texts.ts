import {
  FIXED_RUNS,
  FLAG_COMBINATIONS,
  LIGHT_STATE_COUNT,
  NUMBER_BYTES_MAX,
  R_HAZARD_END,
  R_HEADING,
  R_LENGTH,
  R_SPEED,
  R_WIDTH,
  R_Y,
  RUN_STEP,
  WORLD_RUNS,
  X_HAZARDS,
  X_INDEX,
  X_JUNCTIONS,
  X_LIGHTS,
  X_PLACES,
  X_RESTING,
  X_ROADS,
  X_TAILS,
} from '../../assembly/frames/layout.ts';
import {
  CAR_COUNT,
  FLAG_AEB,
  FLAG_BRAKING,
  FLAG_ESC,
  FLAG_EVASIVE,
} from '../../assembly/layout.ts';
import type { CityNames } from '../city/names.ts';
import { LIGHT_STATES, STATUSES } from '../twin/enumerations.ts';
import type { Notation } from './notation.ts';
import type { FrameNames } from './snapshot.ts';

type Runs = readonly Uint8Array[];

if (LIGHT_STATES.length !== LIGHT_STATE_COUNT)
  throw new Error('the number of light states differs from assembly/frames');

/** An entry of an index: offset and length. */
const ENTRY_BYTES = 8;
/** A list may begin with its length. */
const COUNT_BYTES = 2;

/** The constant texts (runs) of a city in one encoding. */
interface CityRuns {
  fixed: Runs;
  /** FLAG_COMBINATIONS for each status. */
  tails: Runs;
  roads: Runs;
  junctions: Runs;
  /** One for each state of each light. */
  lights: Runs;
  /** Two for each spot: without and with a present hazard. */
  hazards: Runs;
  resting: Runs;
}

/** The texts of a world in one encoding, as the writer of frames reads them: see WORLD_RUNS. */
export function worldTexts({ vins, worldId }: FrameNames, notation: Notation): Uint8Array {
  const runs = [...vins.map((vin) => notation.vehicle(vin)), notation.head(worldId)];
  if (runs.length !== WORLD_RUNS) throw new RangeError(`a frame shows ${CAR_COUNT} cars`);
  return indexed(runs);
}

/** The texts of a city in one encoding: see the X_ constants. */
export function cityTexts(names: CityNames, notation: Notation): Uint8Array {
  const { fixed, tails, roads, junctions, lights, hazards, resting } = cityRuns(names, notation);
  const groups = [fixed, tails, roads, junctions, lights, hazards, resting];
  const runs = indexed(groups.flat());
  const places = names.hazards.flatMap(({ x, y }) => [inCm(x), inCm(y)]);
  const placesAt = (X_INDEX + runs.length + 3) & ~3;
  const texts = new Uint8Array(placesAt + 4 * places.length);
  const words = new Int32Array(texts.buffer);
  let run = fixed.length;
  for (const [x, group] of [
    [X_TAILS, tails],
    [X_ROADS, roads],
    [X_JUNCTIONS, junctions],
    [X_LIGHTS, lights],
    [X_HAZARDS, hazards],
    [X_RESTING, resting],
  ] as const) {
    words[x / 4] = run;
    run += group.length;
  }
  words[X_PLACES / 4] = placesAt;
  texts.set(runs, X_INDEX);
  words.set(places, placesAt / 4);
  return texts;
}

/**
 * Upper bound of the bytes of a frame in one encoding: with the longest numbers and names. The same
 * for all worlds of a city, because all ids and all VINs have the same length.
 */
export function frameBytesMax(names: FrameNames, notation: Notation): number {
  const { fixed, tails, roads, junctions, lights, hazards, resting } = cityRuns(
    names.city,
    notation,
  );
  const around = (runs: readonly number[]) =>
    runs.reduce((sum, run) => sum + (fixed[run]?.length ?? 0), 5 * NUMBER_BYTES_MAX);
  const vehicle =
    around([R_Y, R_HEADING, R_SPEED]) + longest([...roads, ...junctions]) + longest(tails);
  const hazard = around([R_Y, R_HEADING, R_LENGTH, R_WIDTH, R_HAZARD_END]) + longest(hazards);
  return (
    worldTexts(names, notation).length +
    total(fixed) +
    2 * (NUMBER_BYTES_MAX + COUNT_BYTES) +
    CAR_COUNT * vehicle +
    names.city.lights.length * longest(lights) +
    names.city.hazards.length * Math.max(hazard, longest(resting))
  );
}

function cityRuns(names: CityNames, notation: Notation): CityRuns {
  if (notation.fixed.length !== FIXED_RUNS) throw new RangeError('a notation lacks a text');
  const combinations = Array.from({ length: FLAG_COMBINATIONS }, (_, flags) => ({
    braking: (flags & FLAG_BRAKING) !== 0,
    aeb: (flags & FLAG_AEB) !== 0,
    esc: (flags & FLAG_ESC) !== 0,
    evasive: (flags & FLAG_EVASIVE) !== 0,
  }));
  return {
    fixed: notation.fixed,
    tails: STATUSES.flatMap((status) =>
      combinations.map((flags) => notation.tail({ ...flags, status })),
    ),
    roads: names.roads.map((id) => notation.place(id)),
    junctions: names.junctions.map((id) => notation.place(id)),
    lights: names.lights.flatMap((id) => LIGHT_STATES.map((state) => notation.light(id, state))),
    hazards: names.hazards.flatMap(({ id, kind }) =>
      [false, true].map((active) => notation.hazard(id, kind, active)),
    ),
    resting: names.hazards.map(({ id, kind, x, y }) =>
      notation.resting(id, kind, inCm(x), inCm(y)),
    ),
  };
}

/** An index of the runs, then their bytes. */
function indexed(runs: Runs): Uint8Array {
  const indexBytes = runs.length * ENTRY_BYTES;
  const block = new Uint8Array(indexBytes + total(runs) + RUN_STEP);
  const index = new Int32Array(block.buffer, 0, indexBytes / 4);
  let at = indexBytes;
  for (const [i, run] of runs.entries()) {
    index.set([at, run.length], 2 * i);
    block.set(run, at);
    at += run.length;
  }
  return block;
}

function inCm(m: number): number {
  return Math.round(m * 100);
}

function total(runs: Runs): number {
  return runs.reduce((sum, { length }) => sum + length, 0);
}

function longest(runs: Runs): number {
  return runs.reduce((max, { length }) => Math.max(max, length), 0);
}
