import { readFileSync } from 'node:fs';
import { decode } from '@msgpack/msgpack';
import { describe, expect, test } from 'vitest';
import {
  CAR_COUNT,
  HAZARD_MAX,
  LIGHT_MAX,
  O_CARS,
  O_HAZARD,
  O_HAZARDS,
  O_LIGHT,
  O_LIGHTS,
  O_TICK,
  OC_ACCEL,
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
  OUT_LENGTH,
} from '../../assembly/layout.ts';
import type { HazardName } from '../city/names.ts';
import { worldIdOf } from '../twin/ids.ts';
import { draw, uniform } from '../twin/seeded-random.ts';
import { vinOf } from '../twin/vin.ts';
import { ENCODINGS, type Encoding } from './encoding.ts';
import { FrameEncoder } from './frame-encoder.ts';
import { FrameModule } from './frame-module.ts';
import { type FrameNames, snapshotOf } from './snapshot.ts';

const WASM = readFileSync(new URL('../../build/frames.wasm', import.meta.url));
const frameModule = new FrameModule(new WebAssembly.Module(WASM));
const encoders = new WeakMap<FrameNames, FrameEncoder>();

function encoderOf(names: FrameNames): FrameEncoder {
  const encoder = encoders.get(names) ?? new FrameEncoder(frameModule, names);
  encoders.set(names, encoder);
  return encoder;
}

/** Numbers that are the same in every run. */
function numbers(seed: bigint): (end: number) => number {
  let n = 0;
  return (end) => Math.floor(uniform(draw(seed, n++)) * end);
}

function namesOf(world: number, lights: number, hazards: number): FrameNames {
  const ids = (prefix: string, length: number) =>
    Array.from({ length }, (_, i) => `${prefix}${i * i}`);
  return {
    worldId: worldIdOf(world),
    vins: Array.from({ length: CAR_COUNT }, (_, car) => vinOf(world, car)),
    city: {
      roads: ids('r', 80),
      junctions: ids('j', 40),
      lanes: ids('l', 10),
      lights: ids('s', lights),
      hazards: ids('h', hazards).map((id, i) => ({
        id,
        kind: i % 2 ? 'deer' : 'parked_row',
        x: 100.25 - 40 * i,
        y: i / 8,
      })),
    },
  };
}

/** A snapshot with numbers up to the given size, of either sign where a sign has a meaning. */
function randomPacked(names: FrameNames, sizeMax: number, next: (end: number) => number) {
  const { roads, junctions, lights, hazards } = names.city;
  const size = () => next(sizeMax + 1);
  const signed = () => next(2 * sizeMax + 1) - sizeMax;
  const packed = new Int32Array(OUT_LENGTH);
  packed[O_TICK] = size() & (2 ** 31 - 1);
  packed[O_LIGHTS] = lights.length;
  packed[O_HAZARDS] = hazards.length;
  for (let car = 0; car < CAR_COUNT; car++) {
    const base = O_CARS + car * OC_STRIDE;
    packed[base + OC_X] = signed();
    packed[base + OC_Y] = signed();
    packed[base + OC_HEADING] = next(62_832) - 31_415;
    packed[base + OC_SPEED] = signed();
    packed[base + OC_PLACE] = next(roads.length + junctions.length) - junctions.length;
    packed[base + OC_GAP] = next(3) === 0 ? -1 : size();
    // Unused bits must not show.
    packed[base + OC_FLAGS] = next(64);
    packed[base + OC_STATUS] = next(3);
    packed[base + OC_ACCEL] = signed();
  }
  for (let light = 0; light < lights.length; light++) packed[O_LIGHT + light] = next(4);
  for (let hazard = 0; hazard < hazards.length; hazard++) {
    const base = O_HAZARD + hazard * OH_STRIDE;
    if (next(2) === 0) {
      const { x, y } = hazards[hazard] as HazardName;
      packed.set([0, Math.round(x * 100), Math.round(y * 100), 0, 0, 0], base);
      continue;
    }
    packed[base + OH_ACTIVE] = next(2);
    packed[base + OH_X] = signed();
    packed[base + OH_Y] = signed();
    packed[base + OH_HEADING] = next(62_832) - 31_415;
    packed[base + OH_LENGTH] = size();
    packed[base + OH_WIDTH] = size();
  }
  return packed;
}

/** One frame, written somewhere inside a larger buffer. */
function encoded(encoder: FrameEncoder, encoding: Encoding, packed: Int32Array): Uint8Array {
  const offset = 13;
  const out = new Uint8Array(offset + encoder.bytesMax(encoding)).fill(0xee);
  const end = encoder.write(encoding, packed, out, offset);
  expect(out.subarray(0, offset)).toEqual(new Uint8Array(offset).fill(0xee));
  expect(out.subarray(end).every((byte) => byte === 0xee)).toBe(true);
  return out.slice(offset, end);
}

/** Expects both encodings to equal the plain snapshot. */
function expectFrames(packed: Int32Array, names: FrameNames): void {
  const snapshot = snapshotOf(packed, names);
  const encoder = encoderOf(names);
  const json = encoded(encoder, 'json', packed);
  expect(new TextDecoder('utf-8', { fatal: true }).decode(json)).toBe(JSON.stringify(snapshot));
  const msgpack = encoded(encoder, 'msgpack', packed);
  expect(decode(msgpack)).toEqual(snapshot);
}

const SIZES = [0, 9, 99, 101, 9999, 1e6, 1e8, 2 ** 31 - 1];

describe('[S8] a frame equals its snapshot, in JSON to the letter and in MessagePack by value', () => {
  test.each(SIZES)('with numbers up to %d', (sizeMax) => {
    const names = namesOf(sizeMax + 77, 30, 6);
    const next = numbers(BigInt(sizeMax));
    for (let round = 0; round < 60; round++) {
      expectFrames(randomPacked(names, sizeMax, next), names);
    }
  });

  test.each([
    [0, 0],
    [1, 0],
    [0, 1],
    [LIGHT_MAX, HAZARD_MAX],
  ])('with %d lights and %d hazards', (lights, hazards) => {
    const names = namesOf(2 ** 50 - 1, lights, hazards);
    const next = numbers(9n);
    for (let round = 0; round < 10; round++) {
      expectFrames(randomPacked(names, 80_000, next), names);
    }
  });

  test('with fewer lights and hazards in it than the city has', () => {
    const names = namesOf(5, 8, 4);
    const packed = randomPacked(names, 80_000, numbers(10n));
    packed[O_LIGHTS] = 3;
    packed[O_HAZARDS] = 1;
    expectFrames(packed, names);
  });

  test('with every status, flag and light state', () => {
    const names = namesOf(6, 4, 0);
    const packed = randomPacked(names, 80_000, numbers(11n));
    packed.set([0, 1, 2, 3], O_LIGHT);
    for (let combination = 0; combination < 48; combination++) {
      const base = O_CARS + (combination % CAR_COUNT) * OC_STRIDE;
      packed[base + OC_STATUS] = combination >> 4;
      packed[base + OC_FLAGS] = combination & 15;
      expectFrames(packed, names);
    }
  });

  test('with names that need escapes or more than a byte a character', () => {
    const names = namesOf(7, 2, 2);
    const odd = {
      ...names,
      worldId: 'wörld "1"',
      city: {
        ...names.city,
        roads: ['a"b', 'c\\d', 'Straße', '日本橋', 'x'.repeat(300)],
        junctions: ['🚦', ''],
        hazards: [
          { id: 'é'.repeat(16), kind: '\n', x: -0.01, y: 812.5 },
          { id: 'h'.repeat(31), kind: 'k'.repeat(32), x: 0, y: -1 / 3 },
        ],
      },
    };
    const next = numbers(12n);
    for (let round = 0; round < 20; round++) expectFrames(randomPacked(odd, 1e6, next), odd);
  });
});

describe('frames of many worlds', () => {
  test('can follow each other in one buffer', () => {
    const names = [1, 2, 3].map((world) => ({
      ...namesOf(world, 5, 2),
      city: namesOf(0, 5, 2).city,
    }));
    const next = numbers(13n);
    const packed = names.map((each) => randomPacked(each, 1e6, next));
    const encoders = names.map(encoderOf);
    for (const encoding of ENCODINGS) {
      const out = new Uint8Array(3 * (encoders[0]?.bytesMax(encoding) ?? 0));
      const ends = [0];
      for (const [i, encoder] of encoders.entries()) {
        ends.push(encoder.write(encoding, packed[i] as Int32Array, out, ends.at(-1) as number));
      }
      for (const [i, world] of names.entries()) {
        const frame = out.subarray(ends[i], ends[i + 1]);
        const value =
          encoding === 'json' ? JSON.parse(Buffer.from(frame).toString()) : decode(frame);
        expect(value).toEqual(snapshotOf(packed[i] as Int32Array, world));
      }
    }
  });

  test('do not depend on what the same encoder wrote before', () => {
    const names = namesOf(4, 5, 2);
    const next = numbers(14n);
    const encoder = encoderOf(names);
    for (const encoding of ENCODINGS) {
      const first = randomPacked(names, 1e6, next);
      const bytes = encoded(encoder, encoding, first);
      encoded(encoder, encoding, randomPacked(names, 99, next));
      expect(encoded(encoder, encoding, first)).toEqual(bytes);
    }
  });
});

describe('the bound of the frame size', () => {
  test('holds for the largest numbers and is the same for all worlds of a city', () => {
    const names = namesOf(8, 20, 5);
    const other = { ...namesOf(2 ** 49 + 12345, 20, 5), city: names.city };
    const next = numbers(15n);
    const encoder = encoderOf(names);
    for (const encoding of ENCODINGS) {
      const bytesMax = encoder.bytesMax(encoding);
      expect(encoderOf(other).bytesMax(encoding)).toBe(bytesMax);
      for (let round = 0; round < 50; round++) {
        const frame = encoded(encoder, encoding, randomPacked(names, 2 ** 31 - 1, next));
        expect(frame.length).toBeLessThanOrEqual(bytesMax);
      }
    }
  });

  test('is at most 1.5 times the size of a usual frame', () => {
    const names = namesOf(8, 20, 5);
    const usual = encoded(encoderOf(names), 'json', randomPacked(names, 80_000, numbers(16n)));
    expect(encoderOf(names).bytesMax('json')).toBeLessThan(1.5 * usual.length);
  });

  test('is checked before anything is written into a buffer that is too small', () => {
    const names = namesOf(9, 2, 0);
    const packed = randomPacked(names, 80_000, numbers(17n));
    for (const encoding of ENCODINGS) {
      const out = new Uint8Array(500);
      expect(() => encoderOf(names).write(encoding, packed, out, 0)).toThrow(RangeError);
      expect(out).toEqual(new Uint8Array(500));
    }
  });
});

describe('a city', () => {
  test('may have worlds with longer names than the first', () => {
    const names = namesOf(10, 3, 1);
    encoderOf(names).encode('json', randomPacked(names, 80_000, numbers(18n)));
    const longer = { ...names, vins: names.vins.map((vin) => vin + 'x'.repeat(50)) };
    const packed = randomPacked(names, 80_000, numbers(18n));
    expectFrames(packed, longer);
    expectFrames(packed, names);
  });
});

/** Hundredths and ten-thousandths of all small sizes, and around each power of ten. */
const DECIMALS = Array.from({ length: 25_000 }, (_, value) => value);
for (let power = 10_000; power < 2 ** 31; power *= 10) {
  for (const leading of [1, 2]) {
    for (let off = -101; off <= 101; off++) DECIMALS.push(leading * power + off);
  }
}
DECIMALS.push(2 ** 31 - 1);

test('numbers are printed as JSON.stringify prints them', () => {
  const names = namesOf(11, 0, 0);
  const values = DECIMALS.flatMap((value) => [value, -value]).concat(-(2 ** 31));
  for (let from = 0; from < values.length; from += CAR_COUNT) {
    const packed = randomPacked(names, 0, numbers(19n));
    packed[O_TICK] = Math.abs(values[from] as number) & (2 ** 31 - 1);
    for (let car = 0; car < CAR_COUNT; car++) {
      const value = values[from + car] ?? 0;
      for (const field of [OC_X, OC_HEADING, OC_SPEED]) {
        packed[O_CARS + car * OC_STRIDE + field] = value;
      }
    }
    expectFrames(packed, names);
  }
});
