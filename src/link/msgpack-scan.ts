/** Bytes that no message of this protocol consists of. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** Arrays and maps inside each other. */
const DEPTH_MAX = 64;

/** What follows a token: a length field, fixed bytes, and per unit of length bytes or values. */
interface Shape {
  lengthBytes: number;
  fixedBytes: number;
  bytesPerUnit: number;
  valuesPerUnit: number;
}

const fixed = (fixedBytes: number): Shape => ({
  ...{ lengthBytes: 0, fixedBytes, bytesPerUnit: 0, valuesPerUnit: 0 },
});
const sized = (lengthBytes: number): Shape => ({ ...fixed(0), lengthBytes, bytesPerUnit: 1 });
const array = (lengthBytes: number): Shape => ({ ...fixed(0), lengthBytes, valuesPerUnit: 1 });
const map = (lengthBytes: number): Shape => ({ ...fixed(0), lengthBytes, valuesPerUnit: 2 });

const FIRST_SHAPED = 0xc0;
/** The extension that the library writes for undefined: a type and a byte, both 0. */
const UNDEFINED = 0xd4;
/** By token from 0xc0 on. The others are extensions: dates, records and more that is never sent. */
const SHAPES: readonly (Shape | undefined)[] = [
  ...[fixed(0), undefined, fixed(0), fixed(0)],
  ...[sized(1), sized(2), sized(4)],
  ...[undefined, undefined, undefined],
  ...[fixed(4), fixed(8)],
  ...[fixed(1), fixed(2), fixed(4), fixed(8)],
  ...[fixed(1), fixed(2), fixed(4), fixed(8)],
  ...[fixed(2), undefined, undefined, undefined, undefined],
  ...[sized(1), sized(2), sized(4)],
  ...[array(2), array(4), map(2), map(4)],
];

/** Values that are still to come, by depth. */
const left = new Float64Array(DEPTH_MAX + 1);

/**
 * Where the MessagePack value that begins at `start` ends. Throws MalformedMessage if it is cut off or
 * nested too deep, or has an extension: the library would make records, dates or expressions of these.
 */
export function endOfValue(bytes: Uint8Array, start: number): number {
  let position = start;
  let depth = 0;
  left[0] = 1;
  for (;;) {
    while (left[depth] === 0) {
      if (depth === 0) return position;
      depth -= 1;
    }
    left[depth] = (left[depth] ?? 0) - 1;
    const token = bytes[position++];
    if (token === undefined) throw new MalformedMessage('a value is cut off');
    let values = 0;
    if (token >= 0xe0 || token < 0x80) continue;
    if (token < 0x90) values = 2 * (token & 0x0f);
    else if (token < 0xa0) values = token & 0x0f;
    else if (token < FIRST_SHAPED) position += token & 0x1f;
    else {
      const shape = SHAPES[token - FIRST_SHAPED];
      if (shape === undefined || (token === UNDEFINED && uint(bytes, position, 2) !== 0)) {
        throw new MalformedMessage(`token ${token} is not allowed`);
      }
      const length = uint(bytes, position, shape.lengthBytes);
      position += shape.lengthBytes + shape.fixedBytes + length * shape.bytesPerUnit;
      values = length * shape.valuesPerUnit;
    }
    // Each value takes at least a byte.
    if (position + values > bytes.length) throw new MalformedMessage('a value is cut off');
    if (values > 0) {
      if (depth === DEPTH_MAX) throw new MalformedMessage('a value is nested too deep');
      left[++depth] = values;
    }
  }
}

function uint(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i += 1) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}
