import { CAR_COUNT } from '../../assembly/layout.ts';
import type { Notation } from './notation.ts';

// Formats of the MessagePack specification. Widths are fixed, so that a number is one memory write.
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
  hazard: (id, kind, active) =>
    bytes(
      FIXMAP | 8,
      [...str('id'), ...str(id)],
      [...str('kind'), ...str(kind)],
      [...str('active'), bool(active)],
      floatKey('x'),
    ),
  resting(id, kind, xCm, yCm) {
    const head = MSGPACK_NOTATION.hazard(id, kind, false);
    const numbers = { y: yCm / 100, heading: 0, length: 0, width: 0 };
    const rest = Object.entries(numbers).flatMap(([key, value]) => [
      ...floatKey(key),
      ...float64(value),
    ]);
    return bytes([...head], float64(xCm / 100), rest);
  },
};
