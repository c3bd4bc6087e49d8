import type { Encoding } from '../../codec/encoding.ts';
import { type FeatureName, knownBit, namesOf } from '../../twin/catalogue.ts';
import type { Replay } from '../../twin-service.ts';
import { encode } from '../server/reply.ts';

const FIXMAP_4 = 0x84;
const ARRAY_16 = 0xdc;

/** The features of `with=<feature,…>` as a mask. Throws TwinError `unknown_feature`. */
export function featuresOfQuery(query: string): number {
  const given = new URLSearchParams(query).getAll('with');
  const names = given.flatMap((list) => list.split(',')).map((name) => name.trim());
  return names.filter((name) => name !== '').reduce((mask, name) => mask | knownBit(name), 0);
}

/** The body of a replay, around the frames that the shard has encoded. */
export function replayBody(
  incident: string,
  on: number,
  replay: Replay,
  encoding: Encoding,
): Uint8Array {
  const parts = encoding === 'json' ? jsonParts : msgpackParts;
  return Buffer.concat(parts(incident, namesOf(on), replay));
}

function jsonParts(incident: string, on: FeatureName[], { frames, contactTick }: Replay) {
  const head = JSON.stringify({ incident, with: on }).slice(0, -1);
  return [
    Buffer.from(`${head},"frames":[`),
    frames,
    Buffer.from(`],"contact_tick":${contactTick}}`),
  ];
}

function msgpackParts(incident: string, on: FeatureName[], { frames, count, contactTick }: Replay) {
  const values = ['incident', incident, 'with', on, 'frames'].map(packed);
  return [
    Uint8Array.of(FIXMAP_4),
    ...values,
    Uint8Array.of(ARRAY_16, count >> 8, count & 255),
    frames,
    packed('contact_tick'),
    packed(contactTick),
  ];
}

function packed(value: unknown): Uint8Array {
  return Buffer.from(encode(value, 'msgpack'));
}
