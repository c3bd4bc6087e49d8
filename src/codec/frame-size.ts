import {
  CAR_COUNT,
  O_CARS,
  O_HAZARD,
  O_HAZARDS,
  O_LIGHT,
  O_LIGHTS,
  O_TICK,
  OC_FLAGS,
  OC_PLACE,
  OC_STATUS,
  OC_STRIDE,
  OH_ACTIVE,
  OH_STRIDE,
  OUT_LENGTH,
} from '../../assembly/layout.ts';
import { LIGHT_STATES, STATUSES } from '../twin/telemetry.ts';
import { JsonFrameWriter } from './json.ts';
import { MsgpackFrameWriter } from './msgpack.ts';
import type { FrameNames } from './names.ts';
import { OVERRUN_BYTES } from './runs.ts';

/**
 * Bytes that a frame of this world needs at most, in either encoding. Found by encoding the
 * longest frame there can be; the same for all worlds of a city, since ids and VINs are of one
 * length.
 */
export function frameBytesMax(names: FrameNames): number {
  const packed = longestFrame(names);
  const scratch = new Uint8Array(scratchBytes(names));
  const lengths = [new JsonFrameWriter(names), new MsgpackFrameWriter(names)].map((writer) =>
    writer.write(packed, scratch, 0),
  );
  return Math.max(...lengths) + OVERRUN_BYTES;
}

/** Every number as long as an i32 can be, the longest names, "false" rather than "true". */
function longestFrame({ city }: FrameNames): Int32Array {
  const packed = new Int32Array(OUT_LENGTH).fill(-(2 ** 31));
  packed[O_TICK] = 2 ** 31 - 1;
  packed[O_LIGHTS] = city.lights.length;
  packed[O_HAZARDS] = city.hazards.length;
  const [road, junction] = [longest(city.roads), longest(city.junctions)];
  const inJunction = bytesOf(city.junctions[junction]) > bytesOf(city.roads[road]);
  for (let car = 0; car < CAR_COUNT; car++) {
    const base = O_CARS + car * OC_STRIDE;
    packed[base + OC_PLACE] = inJunction ? -1 - junction : road;
    packed[base + OC_FLAGS] = 0;
    packed[base + OC_STATUS] = longest(STATUSES);
  }
  packed.fill(longest(LIGHT_STATES), O_LIGHT, O_LIGHT + city.lights.length);
  for (let hazard = 0; hazard < city.hazards.length; hazard++) {
    packed[O_HAZARD + hazard * OH_STRIDE + OH_ACTIVE] = 0;
  }
  return packed;
}

function longest(names: readonly string[]): number {
  const lengths = names.map(bytesOf);
  return lengths.indexOf(Math.max(...lengths));
}

function bytesOf(name: string | undefined): number {
  return name === undefined ? 0 : Buffer.byteLength(JSON.stringify(name));
}

/** Ample: 400 bytes around the names of each element. */
function scratchBytes({ city, vins, worldId }: FrameNames): number {
  const hazards = city.hazards.map(({ id, kind }) => id + kind);
  const each = [...city.lights, ...hazards, ...vins, worldId];
  const places = CAR_COUNT * Math.max(0, ...[...city.roads, ...city.junctions].map(bytesOf));
  return each.reduce((sum, name) => sum + bytesOf(name) + 400, places);
}
