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
} from '../../assembly/layout.ts';
import { LIGHT_STATES } from '../twin/telemetry.ts';
import { timeS } from '../twin/units.ts';
import {
  type CityRuns,
  FLAG_COMBINATIONS,
  isResting,
  type Notation,
  sharedCityRuns,
} from './city-runs.ts';
import type { FrameNames } from './names.ts';
import { Runs, viewOf } from './runs.ts';

// Formats of the MessagePack specification. Fixed widths throughout, so that a number is one store.
const NIL = 0xc0;
const FALSE = 0xc2;
const TRUE = 0xc3;
const FLOAT64 = 0xcb;
const UINT32 = 0xce;
const STR16 = 0xda;
const ARRAY16 = 0xdc;
const FIXMAP = 0x80;
const FIXSTR = 0xa0;
const FIXSTR_BYTES_MAX = 31;

const encoder = new TextEncoder();

function str(value: string): number[] {
  const bytes = Array.from(encoder.encode(value));
  if (bytes.length <= FIXSTR_BYTES_MAX) return [FIXSTR | bytes.length, ...bytes];
  return [STR16, bytes.length >> 8, bytes.length & 255, ...bytes];
}

function bool(value: boolean): number {
  return value ? TRUE : FALSE;
}

function array(length: number): number[] {
  return [ARRAY16, length >> 8, length & 255];
}

function float64(value: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return Array.from(new Uint8Array(view.buffer));
}

/** A key and the format byte of the float that follows it. */
function floatKey(key: string): number[] {
  return [...str(key), FLOAT64];
}

function bytes(...parts: (number | number[])[]): Uint8Array {
  return new Uint8Array(parts.flat());
}

const TIME = 0;
const VEHICLES = 1;
const Y = 2;
const HEADING = 3;
const SPEED = 4;
const LIGHTS = 5;
const HAZARDS = 6;
const LENGTH = 7;
const WIDTH = 8;

const NOTATION: Notation = {
  fixed: [
    floatKey('time'),
    [...str('vehicles'), ...array(CAR_COUNT)],
    floatKey('y'),
    floatKey('heading'),
    floatKey('speed'),
    [...str('lights'), ARRAY16],
    [...str('hazards'), ARRAY16],
    floatKey('length'),
    floatKey('width'),
  ].map((part) => bytes(part)),
  place: (id) => bytes(str('road'), str(id), str('gap')),
  tail: ({ status, ...flags }) =>
    bytes(
      ...Object.entries(flags).flatMap(([flag, on]) => [str(flag), bool(on)]),
      str('status'),
      str(status),
    ),
  light: (id, state) => bytes(FIXMAP | 2, str('id'), str(id), str('state'), str(state)),
  hazard: (id, kind, active) =>
    bytes(
      FIXMAP | 8,
      [...str('id'), ...str(id)],
      [...str('kind'), ...str(kind)],
      [...str('active'), bool(active)],
      floatKey('x'),
    ),
  resting(id, kind, xCm, yCm) {
    const head = NOTATION.hazard(id, kind, false);
    const numbers = { y: yCm / 100, heading: 0, length: 0, width: 0 };
    const rest = Object.entries(numbers).flatMap(([key, value]) => [
      ...floatKey(key),
      ...float64(value),
    ]);
    return bytes([...head], float64(xCm / 100), rest);
  },
};

const VEHICLE_HEAD = [FIXMAP | 12, ...str('vin')];
const X_KEY = floatKey('x');

const runsOf = sharedCityRuns(NOTATION);

/** Writes the frames of one world as MessagePack. Holds under a kilobyte of its own. */
export class MsgpackFrameWriter {
  readonly #city: CityRuns;
  /** Per car up to the value of x; behind them the head of the frame up to the tick. */
  readonly #own: Runs;

  constructor(names: FrameNames) {
    this.#city = runsOf(names.city);
    this.#own = new Runs([
      ...names.vins.map((vin) => bytes(VEHICLE_HEAD, str(vin), X_KEY)),
      bytes(
        FIXMAP | 7,
        [...str('type'), ...str('snapshot')],
        [...str('world'), ...str(names.worldId)],
        [...str('tick'), UINT32],
      ),
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
    view.setUint32(end, tick);
    end = runs.copy(view, end + 4, TIME);
    end = writeFloat(view, end, timeS(tick));
    end = runs.copy(view, end, VEHICLES);
    for (let car = 0; car < CAR_COUNT; car++) end = this.#writeCar(packed, view, end, car);
    end = this.#writeLights(packed, view, runs.copy(view, end, LIGHTS));
    return this.#writeHazards(packed, view, runs.copy(view, end, HAZARDS));
  }

  #writeCar(packed: Int32Array, view: DataView, at: number, car: number): number {
    const { runs, tails, roads, junctions } = this.#city;
    const base = O_CARS + car * OC_STRIDE;
    const place = packed[base + OC_PLACE] as number;
    const status = packed[base + OC_STATUS] as number;
    let end = this.#own.copy(view, at, car);
    end = writeFloat(view, end, (packed[base + OC_X] as number) / 100);
    end = runs.copy(view, end, Y);
    end = writeFloat(view, end, (packed[base + OC_Y] as number) / 100);
    end = runs.copy(view, end, HEADING);
    end = writeFloat(view, end, (packed[base + OC_HEADING] as number) / 10_000);
    end = runs.copy(view, end, SPEED);
    end = writeFloat(view, end, (packed[base + OC_SPEED] as number) / 100);
    end = runs.copy(view, end, place >= 0 ? roads + place : junctions - 1 - place);
    end = writeGap(view, end, packed[base + OC_GAP] as number);
    const flags = (packed[base + OC_FLAGS] as number) & (FLAG_COMBINATIONS - 1);
    return runs.copy(view, end, tails + status * FLAG_COMBINATIONS + flags);
  }

  #writeLights(packed: Int32Array, view: DataView, at: number): number {
    const { runs, lights } = this.#city;
    const count = packed[O_LIGHTS] as number;
    view.setUint16(at, count);
    let end = at + 2;
    for (let light = 0; light < count; light++) {
      end = runs.copy(
        view,
        end,
        lights + light * LIGHT_STATES.length + (packed[O_LIGHT + light] as number),
      );
    }
    return end;
  }

  #writeHazards(packed: Int32Array, view: DataView, at: number): number {
    const { runs, hazards, resting } = this.#city;
    const count = packed[O_HAZARDS] as number;
    view.setUint16(at, count);
    let end = at + 2;
    for (let hazard = 0; hazard < count; hazard++) {
      if (isResting(packed, hazard, this.#city)) {
        end = runs.copy(view, end, resting + hazard);
        continue;
      }
      const base = O_HAZARD + hazard * OH_STRIDE;
      end = runs.copy(view, end, hazards + hazard * 2 + (packed[base + OH_ACTIVE] as number));
      end = writeFloat(view, end, (packed[base + OH_X] as number) / 100);
      end = runs.copy(view, end, Y);
      end = writeFloat(view, end, (packed[base + OH_Y] as number) / 100);
      end = runs.copy(view, end, HEADING);
      end = writeFloat(view, end, (packed[base + OH_HEADING] as number) / 10_000);
      end = runs.copy(view, end, LENGTH);
      end = writeFloat(view, end, (packed[base + OH_LENGTH] as number) / 100);
      end = runs.copy(view, end, WIDTH);
      end = writeFloat(view, end, (packed[base + OH_WIDTH] as number) / 100);
    }
    return end;
  }
}

function writeFloat(view: DataView, at: number, value: number): number {
  view.setFloat64(at, value);
  return at + 8;
}

/** −1 is a car with nobody ahead. */
function writeGap(view: DataView, at: number, gapCm: number): number {
  if (gapCm === -1) {
    view.setUint8(at, NIL);
    return at + 1;
  }
  view.setUint8(at, FLOAT64);
  return writeFloat(view, at + 1, gapCm / 100);
}
