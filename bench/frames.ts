/** How long it takes to encode a frame, against the general encoders of Node and msgpackr. */
import { runInNewContext } from 'node:vm';
import { Packr } from 'msgpackr';
import { ENCODINGS, type Encoding } from '../src/codec/encoding.ts';
import type { FrameEncoder } from '../src/codec/frame-encoder.ts';
import { worldEncoder } from '../src/shard/world-encoder.ts';
import { agedWorlds, loadKernel } from './aged-worlds.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { compareNs } from './time-calls.ts';

const WORLD_COUNT = 64;
const AGE_TICKS = 1500;
const CALLS_PER_SAMPLE = 64;
const ENCODE_US_MAX = 4;

/** Different worlds in turn, so that values differ from call to call. */
function samples(): { samples: Int32Array[]; encoder: FrameEncoder } {
  const { kernel, cities } = loadKernel(WORLD_COUNT);
  const city = cities.names[0];
  if (!city) throw new Error('the catalogue has no city');
  const slabs = agedWorlds(kernel, WORLD_COUNT, AGE_TICKS);
  return {
    samples: slabs.map((slab) => kernel.pack(slab).slice()),
    encoder: worldEncoder(0, city),
  };
}

export async function run(): Promise<Figure[]> {
  const { samples: made, encoder } = samples();
  const out = new Uint8Array(Math.max(...ENCODINGS.map((each) => encoder.bytesMax(each))));
  const texts = made.map((packed) =>
    Buffer.from(out.buffer, 0, encoder.write('json', packed, out, 0)).toString(),
  );
  const objects = texts.map((text) => JSON.parse(text) as object);
  // The schemas of the product have the same properties. In their realm, objects of frames would share
  // hidden classes with them, and JSON.stringify would take less time for some schemas than for others.
  const { parse } = runInNewContext('JSON') as typeof JSON;
  const unrelated = texts.map((text) => parse(text) as object);
  const plain = new Packr({ useRecords: false, variableMapSize: true });
  let turn = 0;
  let sunk = 0;
  const next = <T>(of: readonly T[]): T => of[turn++ % of.length] as T;
  const writing = (encoding: Encoding) => () => {
    sunk += encoder.write(encoding, next(made), out, 0);
  };
  const packing = () => {
    sunk += plain.pack(next(objects)).length;
  };
  const stringifying = () => {
    sunk += JSON.stringify(next(unrelated)).length;
  };
  const tasks = { json: writing('json'), stringifying, msgpack: writing('msgpack'), packing };
  const ns = await compareNs(tasks, CALLS_PER_SAMPLE);
  if (sunk === 0) throw new Error('nothing was encoded');
  const us = (name: keyof typeof tasks) => (ns.get(name) ?? Number.NaN) / 1000;
  const bytes = (encoding: Encoding) =>
    made.reduce((sum, packed) => sum + encoder.write(encoding, packed, out, 0), 0) / made.length;
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
