/** How long it takes to encode a frame, against the general encoders of Node and msgpackr. */
import { Packr } from 'msgpackr';
import type { FrameWriter } from '../src/codec/frame-writer.ts';
import type { FrameNames } from '../src/codec/names.ts';
import { FrameEncoder } from '../src/shard/frame-encoder.ts';
import { compareNs } from './compare.ts';
import { compared, type Figure, figure } from './figures.ts';
import { livedWorlds, loadKernel } from './lived-worlds.ts';

const WORLD_COUNT = 64;
const AGE_TICKS = 1500;
const CALLS_PER_SAMPLE = 64;
const ENCODE_US_MAX = 4;

interface Sample {
  packed: Int32Array;
  json: FrameWriter;
  msgpack: FrameWriter;
}

/** Different worlds in turn, so that no value is ever the same twice running. */
function samples(): { samples: Sample[]; bytesMax: number } {
  const { kernel, cities } = loadKernel(WORLD_COUNT);
  const city = cities.names[0];
  if (!city) throw new Error('the catalogue has no city');
  const vins = Array.from({ length: 20 }, (_, car) => `1TW${String(car).padStart(14, '0')}`);
  const names: FrameNames = { worldId: '0123456789', vins, city };
  const encoder = new FrameEncoder(names);
  const made = livedWorlds(kernel, WORLD_COUNT, AGE_TICKS).map((slab) => ({
    packed: kernel.pack(slab).slice(),
    json: encoder.writer('json'),
    msgpack: encoder.writer('msgpack'),
  }));
  const sizes = (['json', 'msgpack'] as const).map((each) => encoder.writer(each).bytesMax);
  return { samples: made, bytesMax: Math.max(...sizes) };
}

export async function run(): Promise<Figure[]> {
  const { samples: made, bytesMax } = samples();
  const out = new Uint8Array(bytesMax);
  const objects = made.map(({ json, packed }) => {
    const bytes = Buffer.from(out.buffer, 0, json.write(packed, out, 0));
    return JSON.parse(bytes.toString()) as object;
  });
  const plain = new Packr({ useRecords: false, variableMapSize: true });
  let turn = 0;
  let sunk = 0;
  const next = <T>(of: readonly T[]): T => of[turn++ % of.length] as T;
  const writing = (encoding: 'json' | 'msgpack') => () => {
    const sample = next(made);
    sunk += sample[encoding].write(sample.packed, out, 0);
  };
  const packing = () => {
    sunk += plain.pack(next(objects)).length;
  };
  const stringifying = () => {
    sunk += JSON.stringify(next(objects)).length;
  };
  const tasks = { json: writing('json'), stringifying, msgpack: writing('msgpack'), packing };
  const ns = await compareNs(tasks, CALLS_PER_SAMPLE);
  if (sunk === 0) throw new Error('nothing was encoded');
  const us = (name: keyof typeof tasks) => (ns.get(name) ?? Number.NaN) / 1000;
  const bytes = (encoding: 'json' | 'msgpack') =>
    made.reduce((sum, each) => sum + each[encoding].write(each.packed, out, 0), 0) / made.length;
  const atMost = { atMost: ENCODE_US_MAX };
  return [
    figure('frame as JSON', us('json'), 'µs', atMost),
    compared('frame as JSON', us('json'), 'µs', {
      name: 'JSON.stringify of ready objects',
      value: us('stringifying'),
    }),
    figure('frame as msgpack', us('msgpack'), 'µs', atMost),
    compared('frame as msgpack', us('msgpack'), 'µs', {
      name: 'msgpackr of ready objects',
      value: us('packing'),
    }),
    figure('size as JSON', bytes('json'), 'bytes'),
    figure('size as msgpack', bytes('msgpack'), 'bytes'),
  ];
}
