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

/** A number that never changes, in the shortest of these formats that is exact. */
function constant(value: number): number[] {
  if (Number.isInteger(value) && value >= 0 && value <= FIXINT_MAX) return [value];
  if (Math.fround(value) !== value) return [FLOAT64, ...float64(value)];
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return [FLOAT32, ...new Uint8Array(view.buffer)];
}

/** A key and the format byte of the float that follows it. */
function floatKey(key: string): number[] {
  return [...str(key), FLOAT64];
}

function bytes(...parts: (number | number[])[]): Uint8Array {
  return new Uint8Array(parts.flat());
}

/** A spot up to the key of x. */
function spot(id: string, kind: string, active: boolean): number[] {
  const texts = [...str('id'), ...str(id), ...str('kind'), ...str(kind)];
  return [FIXMAP | 8, ...texts, ...str('active'), bool(active)];
}

const NOTHING = bytes();

export const MSGPACK_NOTATION: Notation = {
  fixed: [
    bytes(floatKey('time')),
    bytes(str('vehicles'), array(CAR_COUNT)),
    bytes(floatKey('y')),
    bytes(floatKey('heading')),
    bytes(floatKey('speed')),
    bytes(str('lights'), ARRAY16),
    bytes(str('hazards'), ARRAY16),
    bytes(floatKey('length')),
    bytes(floatKey('width')),
    NOTHING,
    NOTHING,
  ],
  head: (worldId) =>
    bytes(
      FIXMAP | 7,
      [...str('type'), ...str('snapshot')],
      [...str('world'), ...str(worldId)],
      [...str('tick'), UINT32],
    ),
  vehicle: (vin) => bytes(FIXMAP | 12, str('vin'), str(vin), floatKey('x')),
  place: (id) => bytes(str('road'), str(id), str('gap')),
  tail: ({ status, ...flags }) =>
    bytes(
      ...Object.entries(flags).flatMap(([flag, on]) => [str(flag), bool(on)]),
      str('status'),
      str(status),
    ),
  light: (id, state) => bytes(FIXMAP | 2, str('id'), str(id), str('state'), str(state)),
  hazard: (id, kind, active) => bytes(spot(id, kind, active), floatKey('x')),
  resting(id, kind, xCm, yCm) {
    const numbers = { x: xCm / 100, y: yCm / 100, heading: 0, length: 0, width: 0 };
    const pairs = Object.entries(numbers).flatMap(([key, value]) => [
      ...str(key),
      ...constant(value),
    ]);
    return bytes(spot(id, kind, false), pairs);
  },
};
