import type { Api } from './api.ts';
import { Stream } from './stream-client.ts';
import type { Snapshot, World } from './wire.ts';

/** A frame without what is a world's own: its id and its VINs. */
export function bare({ world: _, vehicles, ...rest }: Snapshot) {
  return { ...rest, vehicles: vehicles.map(({ vin: _, ...vehicle }) => vehicle) };
}

async function frame(stream: Stream): Promise<Snapshot> {
  const [next] = await stream.frames(1);
  if (next === undefined) throw new Error('a frame was asked for');
  return next;
}

/** Frames of two worlds at the same tick. */
export type Pairs = readonly [Snapshot, Snapshot][];

/** Pair after pair until `enough` of them. */
export async function pairs(
  a: Stream,
  b: Stream,
  enough: (pairs: Pairs) => boolean,
): Promise<Pairs> {
  const found: [Snapshot, Snapshot][] = [];
  let [x, y] = [await frame(a), await frame(b)];
  while (!enough(found)) {
    if (x.tick === y.tick) {
      found.push([x, y]);
      [x, y] = [await frame(a), await frame(b)];
    } else if (x.tick < y.tick) x = await frame(a);
    else y = await frame(b);
  }
  return found;
}

/** The streams of two worlds, their hellos taken. */
export async function openBoth(a: World, b: World): Promise<[Stream, Stream]> {
  const streams = await Promise.all([Stream.open(a.stream_url), Stream.open(b.stream_url)]);
  for (const stream of streams) await stream.hello();
  return streams;
}

/** So many pairs of frames of two new worlds. */
export async function pairsOfNew(api: Api, a: object, b: object, count: number): Promise<Pairs> {
  const [x, y] = await openBoth(await api.makeWorld(a), await api.makeWorld(b));
  const seen = await pairs(x, y, ({ length }) => length === count);
  await Promise.all([x.close(), y.close()]);
  return seen;
}
