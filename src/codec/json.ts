import {
  CAR_COUNT,
  O_CARS,
  O_HAZARD,
  O_HAZARDS,
  O_LIGHT,
  O_LIGHTS,
  O_TICK,
  OC_FLAGS,
  OC_GAP,
  OC_HEADING,
  OC_PLACE,
  OC_SPEED,
  OC_STATUS,
  OC_STRIDE,
  OC_X,
  OC_Y,
  OH_ACTIVE,
  OH_HEADING,
  OH_LENGTH,
  OH_STRIDE,
  OH_WIDTH,
  OH_X,
  OH_Y,
  TICK_MS,
} from '../../assembly/layout.ts';
import { LIGHT_STATES } from '../twin/telemetry.ts';
import {
  type CityRuns,
  FLAG_COMBINATIONS,
  isResting,
  type Notation,
  sharedCityRuns,
} from './city-runs.ts';
import { writeHundredths, writeInteger, writeTenThousandths } from './decimal.ts';
import type { FrameNames } from './names.ts';
import { Runs, viewOf } from './runs.ts';

const encoder = new TextEncoder();
const text = (part: string): Uint8Array => encoder.encode(part);
const quoted = JSON.stringify;

const AT_REST = { heading: 0, length: 0, width: 0 };

const TIME = 0;
const VEHICLES = 1;
const Y = 2;
const HEADING = 3;
const SPEED = 4;
const NULL = 5;
const LIGHTS = 6;
const HAZARDS = 7;
const LENGTH = 8;
const WIDTH = 9;
const HAZARD_END = 10;
const END = 11;

// Every element of a list ends with a comma; the last one's is overwritten by what follows.
const NOTATION: Notation = {
  fixed: [
    ',"time":',
    ',"vehicles":[',
    ',"y":',
    ',"heading":',
    ',"speed":',
    'null',
    '],"lights":[',
    '],"hazards":[',
    ',"length":',
    ',"width":',
    '},',
    ']}',
  ].map(text),
  place: (id) => text(`,"road":${quoted(id)},"gap":`),
  tail: (condition) => text(`,${quoted(condition).slice(1)},`),
  light: (id, state) => text(`${quoted({ id, state })},`),
  hazard: (id, kind, active) => text(`${quoted({ id, kind, active }).slice(0, -1)},"x":`),
  resting: (id, kind, xCm, yCm) =>
    text(`${quoted({ id, kind, active: false, x: xCm / 100, y: yCm / 100, ...AT_REST })},`),
};

const runsOf = sharedCityRuns(NOTATION);

/** Writes the frames of one world as JSON. Holds under a kilobyte of its own. */
export class JsonFrameWriter {
  readonly #city: CityRuns;
  /** Per car up to the value of x; behind them the head of the frame up to the tick. */
  readonly #own: Runs;

  constructor(names: FrameNames) {
    this.#city = runsOf(names.city);
    this.#own = new Runs([
      ...names.vins.map((vin) => text(`{"vin":${quoted(vin)},"x":`)),
      text(`{"type":"snapshot","world":${quoted(names.worldId)},"tick":`),
    ]);
  }

  /**
   * Encodes a packed snapshot and returns where it ends. Needs room for `frameBytesMax`: some
   * bytes behind the end may be overwritten.
   */
  write(packed: Int32Array, out: Uint8Array, at: number): number {
    const view = viewOf(out);
    const { runs } = this.#city;
    const tick = packed[O_TICK] as number;
    let end = this.#own.copy(view, at, CAR_COUNT);
    end = writeInteger(view, end, tick);
    end = runs.copy(view, end, TIME);
    end = writeHundredths(view, end, tick * (TICK_MS / 10));
    end = runs.copy(view, end, VEHICLES);
    for (let car = 0; car < CAR_COUNT; car++) end = this.#writeCar(packed, view, end, car);
    end = runs.copy(view, end - 1, LIGHTS);
    end = this.#writeLights(packed, view, end);
    end = runs.copy(view, end, HAZARDS);
    end = this.#writeHazards(packed, view, end);
    return runs.copy(view, end, END);
  }

  #writeCar(packed: Int32Array, view: DataView, at: number, car: number): number {
    const { runs, tails, roads, junctions } = this.#city;
    const base = O_CARS + car * OC_STRIDE;
    const place = packed[base + OC_PLACE] as number;
    const gapCm = packed[base + OC_GAP] as number;
    const status = packed[base + OC_STATUS] as number;
    let end = this.#own.copy(view, at, car);
    end = writeHundredths(view, end, packed[base + OC_X] as number);
    end = runs.copy(view, end, Y);
    end = writeHundredths(view, end, packed[base + OC_Y] as number);
    end = runs.copy(view, end, HEADING);
    end = writeTenThousandths(view, end, packed[base + OC_HEADING] as number);
    end = runs.copy(view, end, SPEED);
    end = writeHundredths(view, end, packed[base + OC_SPEED] as number);
    end = runs.copy(view, end, place >= 0 ? roads + place : junctions - 1 - place);
    end = gapCm === -1 ? runs.copy(view, end, NULL) : writeHundredths(view, end, gapCm);
    const flags = (packed[base + OC_FLAGS] as number) & (FLAG_COMBINATIONS - 1);
    return runs.copy(view, end, tails + status * FLAG_COMBINATIONS + flags);
  }

  /** Returns the end of the list without its last comma. */
  #writeLights(packed: Int32Array, view: DataView, at: number): number {
    const { runs, lights } = this.#city;
    const count = packed[O_LIGHTS] as number;
    let end = at;
    for (let light = 0; light < count; light++) {
      end = runs.copy(
        view,
        end,
        lights + light * LIGHT_STATES.length + (packed[O_LIGHT + light] as number),
      );
    }
    return count > 0 ? end - 1 : end;
  }

  /** Returns the end of the list without its last comma. */
  #writeHazards(packed: Int32Array, view: DataView, at: number): number {
    const { runs, hazards, resting } = this.#city;
    const count = packed[O_HAZARDS] as number;
    let end = at;
    for (let hazard = 0; hazard < count; hazard++) {
      if (isResting(packed, hazard, this.#city)) {
        end = runs.copy(view, end, resting + hazard);
        continue;
      }
      const base = O_HAZARD + hazard * OH_STRIDE;
      end = runs.copy(view, end, hazards + hazard * 2 + (packed[base + OH_ACTIVE] as number));
      end = writeHundredths(view, end, packed[base + OH_X] as number);
      end = runs.copy(view, end, Y);
      end = writeHundredths(view, end, packed[base + OH_Y] as number);
      end = runs.copy(view, end, HEADING);
      end = writeTenThousandths(view, end, packed[base + OH_HEADING] as number);
      end = runs.copy(view, end, LENGTH);
      end = writeHundredths(view, end, packed[base + OH_LENGTH] as number);
      end = runs.copy(view, end, WIDTH);
      end = writeHundredths(view, end, packed[base + OH_WIDTH] as number);
      end = runs.copy(view, end, HAZARD_END);
    }
    return count > 0 ? end - 1 : end;
  }
}
