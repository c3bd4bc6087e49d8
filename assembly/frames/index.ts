/**
 * Writes frames: the packed state of a world as JSON or as MessagePack. It knows the order of the
 * parts and how numbers are written; all other bytes are runs that the host has prepared.
 */
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
} from '../layout';
import {
  writeHundredths,
  writeInteger,
  writeTenThousandths,
  writeUnsignedHundredths,
} from './decimals';
import {
  FLAG_COMBINATIONS,
  LIGHT_STATE_COUNT,
  R_END,
  R_HAZARD_END,
  R_HAZARDS,
  R_HEADING,
  R_LENGTH,
  R_LIGHTS,
  R_SPEED,
  R_TIME,
  R_VEHICLES,
  R_WIDTH,
  R_Y,
  RUN_STEP,
  X_HAZARDS,
  X_INDEX,
  X_JUNCTIONS,
  X_LIGHTS,
  X_PLACES,
  X_RESTING,
  X_ROADS,
  X_TAILS,
} from './layout';

/** The four bytes of `null`. */
const JSON_NULL: u32 = 0x6c6c756e;
const MSGPACK_NIL: u8 = 0xc0;
const MSGPACK_FLOAT64: u8 = 0xcb;

/** Memory for the host's texts, snapshots and frames. It is never given back. */
export function reserve(bytes: usize): usize {
  return heap.alloc(bytes);
}

/**
 * Writes a frame as JSON to `out` and returns its end. Up to RUN_STEP bytes behind it may be
 * overwritten.
 */
export function json(packed: usize, world: usize, city: usize, out: usize): usize {
  return frame(true, packed, world, city, out);
}

/** The same as MessagePack, in fixed widths throughout, so that a number is one store. */
export function msgpack(packed: usize, world: usize, city: usize, out: usize): usize {
  return frame(false, packed, world, city, out);
}

@inline
function frame(isJson: bool, packed: usize, world: usize, city: usize, out: usize): usize {
  const tick = <u32>word(packed, O_TICK);
  let end = copyRun(world, CAR_COUNT, out);
  end = isJson ? writeInteger(end, tick) : writeBigEndian32(end, tick);
  end = copyRun(city + X_INDEX, R_TIME, end);
  end = isJson
    ? writeUnsignedHundredths(end, tick * (TICK_MS / 10))
    : writeFloat(end, <f64>tick / (1000 / TICK_MS));
  end = copyRun(city + X_INDEX, R_VEHICLES, end);
  for (let car = 0; car < CAR_COUNT; car++) end = vehicle(isJson, packed, world, city, car, end);
  // In JSON each element of a list ends with a comma; the next part overwrites the last one.
  end = copyRun(city + X_INDEX, R_LIGHTS, isJson ? end - 1 : end);
  end = lights(isJson, packed, city, end);
  end = copyRun(city + X_INDEX, R_HAZARDS, end);
  end = hazards(isJson, packed, city, end);
  return copyRun(city + X_INDEX, R_END, end);
}

@inline
function vehicle(
  isJson: bool,
  packed: usize,
  world: usize,
  city: usize,
  car: i32,
  address: usize,
): usize {
  const texts = city + X_INDEX;
  const base = O_CARS + car * OC_STRIDE;
  let end = copyRun(world, car, address);
  end = hundredths(isJson, end, word(packed, base + OC_X));
  end = hundredths(isJson, copyRun(texts, R_Y, end), word(packed, base + OC_Y));
  end = tenThousandths(isJson, copyRun(texts, R_HEADING, end), word(packed, base + OC_HEADING));
  end = hundredths(isJson, copyRun(texts, R_SPEED, end), word(packed, base + OC_SPEED));
  const place = word(packed, base + OC_PLACE);
  end = copyRun(
    texts,
    place >= 0 ? load<i32>(city, X_ROADS) + place : load<i32>(city, X_JUNCTIONS) - 1 - place,
    end,
  );
  end = gap(isJson, end, word(packed, base + OC_GAP));
  const flags = word(packed, base + OC_FLAGS) & (FLAG_COMBINATIONS - 1);
  return copyRun(
    texts,
    load<i32>(city, X_TAILS) + word(packed, base + OC_STATUS) * FLAG_COMBINATIONS + flags,
    end,
  );
}

/** −1 is a car without a leader. */
@inline
function gap(isJson: bool, address: usize, gapCm: i32): usize {
  if (isJson) {
    if (gapCm != -1) return writeHundredths(address, gapCm);
    store<u32>(address, JSON_NULL);
    return address + 4;
  }
  store<u8>(address, gapCm == -1 ? MSGPACK_NIL : MSGPACK_FLOAT64);
  return gapCm == -1 ? address + 1 : hundredths(false, address + 1, gapCm);
}

@inline
function lights(isJson: bool, packed: usize, city: usize, address: usize): usize {
  const count = word(packed, O_LIGHTS);
  let end = isJson ? address : writeBigEndian16(address, count);
  for (let light = 0; light < count; light++) {
    end = copyRun(
      city + X_INDEX,
      load<i32>(city, X_LIGHTS) + light * LIGHT_STATE_COUNT + word(packed, O_LIGHT + light),
      end,
    );
  }
  return isJson && count > 0 ? end - 1 : end;
}

@inline
function hazards(isJson: bool, packed: usize, city: usize, address: usize): usize {
  const texts = city + X_INDEX;
  const count = word(packed, O_HAZARDS);
  let end = isJson ? address : writeBigEndian16(address, count);
  for (let hazard = 0; hazard < count; hazard++) {
    const base = O_HAZARD + hazard * OH_STRIDE;
    if (isResting(packed, city, hazard)) {
      end = copyRun(texts, load<i32>(city, X_RESTING) + hazard, end);
      continue;
    }
    end = copyRun(
      texts,
      load<i32>(city, X_HAZARDS) + hazard * 2 + word(packed, base + OH_ACTIVE),
      end,
    );
    end = hundredths(isJson, end, word(packed, base + OH_X));
    end = hundredths(isJson, copyRun(texts, R_Y, end), word(packed, base + OH_Y));
    end = tenThousandths(isJson, copyRun(texts, R_HEADING, end), word(packed, base + OH_HEADING));
    end = hundredths(isJson, copyRun(texts, R_LENGTH, end), word(packed, base + OH_LENGTH));
    end = hundredths(isJson, copyRun(texts, R_WIDTH, end), word(packed, base + OH_WIDTH));
    end = copyRun(texts, R_HAZARD_END, end);
  }
  return isJson && count > 0 ? end - 1 : end;
}

/** Whether the packed numbers of a hazard are those of its run of `X_RESTING`. */
@inline
function isResting(packed: usize, city: usize, hazard: i32): bool {
  const base = O_HAZARD + hazard * OH_STRIDE;
  const place = city + load<u32>(city, X_PLACES) + ((<usize>hazard) << 3);
  return (
    word(packed, base + OH_ACTIVE) == 0 &&
    word(packed, base + OH_X) == load<i32>(place) &&
    word(packed, base + OH_Y) == load<i32>(place, 4) &&
    word(packed, base + OH_HEADING) == 0 &&
    word(packed, base + OH_LENGTH) == 0 &&
    word(packed, base + OH_WIDTH) == 0
  );
}

@inline
function word(packed: usize, index: i32): i32 {
  return load<i32>(packed + ((<usize>index) << 2));
}

/** Copies run `run` of an index to `to` and returns where it ends. */
@inline
function copyRun(index: usize, run: i32, to: usize): usize {
  const entry = index + ((<usize>run) << 3);
  const end = to + load<u32>(entry, 4);
  let from = index + load<u32>(entry);
  while (to < end) {
    v128.store(to, v128.load(from));
    from += RUN_STEP;
    to += RUN_STEP;
  }
  return end;
}

@inline
function hundredths(isJson: bool, address: usize, value: i32): usize {
  return isJson ? writeHundredths(address, value) : writeFloat(address, <f64>value / 100);
}

@inline
function tenThousandths(isJson: bool, address: usize, value: i32): usize {
  return isJson ? writeTenThousandths(address, value) : writeFloat(address, <f64>value / 10_000);
}

@inline
function writeFloat(address: usize, value: f64): usize {
  store<u64>(address, bswap<u64>(reinterpret<u64>(value)));
  return address + 8;
}

@inline
function writeBigEndian32(address: usize, value: u32): usize {
  store<u32>(address, bswap<u32>(value));
  return address + 4;
}

@inline
function writeBigEndian16(address: usize, value: i32): usize {
  store<u16>(address, bswap<u16>(<u16>value));
  return address + 2;
}
