import { CAR_COUNT } from '../../assembly/layout.ts';
import type { Notation } from './notation.ts';

// Formats of the MessagePack specification. Numbers that change have a fixed width, so that each is one
// memory write.
const FALSE = 0xc2;
const TRUE = 0xc3;
const FLOAT32 = 0xca;
const FLOAT64 = 0xcb;
const UINT32 = 0xce;
const STR16 = 0xda;
const ARRAY16 = 0xdc;
const FIXMAP = 0x80;
const FIXSTR = 0xa0;
const FIXSTR_BYTES_MAX = 31;
const FIXINT_MAX = 127;

type Part = number | Uint8Array;

const encoder = new TextEncoder();

/** Bytes one after the other; a number is a byte. Fast, since each world that is watched begins with it. */
function bytes(...parts: readonly Part[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += typeof part === 'number' ? 1 : part.length;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'number') all[at++] = part;
    else {
      all.set(part, at);
      at += part.length;
    }
  }
  return all;
}

function str(value: string): Uint8Array {
  const text = encoder.encode(value);
  const { length } = text;
  if (length <= FIXSTR_BYTES_MAX) return bytes(FIXSTR | length, text);
  return bytes(STR16, length >> 8, length & 255, text);
}

function bool(value: boolean): number {
  return value ? TRUE : FALSE;
}

function array(length: number): Uint8Array {
  return bytes(ARRAY16, length >> 8, length & 255);
}

/** A number that never changes, in the shortest of these formats that is exact. */
function constant(value: number): Uint8Array {
  if (Number.isInteger(value) && value >= 0 && value <= FIXINT_MAX) return bytes(value);
  const isShort = Math.fround(value) === value;
  const number = new Uint8Array(isShort ? 4 : 8);
  const view = new DataView(number.buffer);
  if (isShort) view.setFloat32(0, value);
  else view.setFloat64(0, value);
  return bytes(isShort ? FLOAT32 : FLOAT64, number);
}

/** A key and the format byte of the float that follows it. */
function floatKey(key: string): Uint8Array {
  return bytes(str(key), FLOAT64);
}

/** A spot up to the key of x. */
function spot(id: string, kind: string, active: boolean): Uint8Array {
  const texts = [str('id'), str(id), str('kind'), str(kind)];
  return bytes(FIXMAP | 8, ...texts, str('active'), bool(active));
}

const NOTHING = bytes();
const VEHICLE = bytes(FIXMAP | 12, str('vin'));
const X = floatKey('x');

export const MSGPACK_NOTATION: Notation = {
  fixed: [
    floatKey('time'),
    bytes(str('vehicles'), array(CAR_COUNT)),
    floatKey('y'),
    floatKey('heading'),
    floatKey('speed'),
    bytes(str('lights'), ARRAY16),
    bytes(str('hazards'), ARRAY16),
    floatKey('length'),
    floatKey('width'),
    NOTHING,
    NOTHING,
  ],
  head(worldId) {
    const pairs = [str('type'), str('snapshot'), str('world'), str(worldId)];
    return bytes(FIXMAP | 7, ...pairs, str('tick'), UINT32);
  },
  vehicle: (vin) => bytes(VEHICLE, str(vin), X),
  place: (id) => bytes(str('road'), str(id), str('gap')),
  tail({ status, ...flags }) {
    const pairs = Object.entries(flags).flatMap(([flag, on]) => [str(flag), bool(on)]);
    return bytes(...pairs, str('status'), str(status));
  },
  light: (id, state) => bytes(FIXMAP | 2, str('id'), str(id), str('state'), str(state)),
  hazard: (id, kind, active) => bytes(spot(id, kind, active), X),
  resting(id, kind, xCm, yCm) {
    const numbers = { x: xCm / 100, y: yCm / 100, heading: 0, length: 0, width: 0 };
    const pairs = Object.entries(numbers).flatMap(([key, value]) => [str(key), constant(value)]);
    return bytes(spot(id, kind, false), ...pairs);
  },
};
