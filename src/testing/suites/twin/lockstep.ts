import type { Stream } from './stream-client.ts';
import type { Snapshot } from './wire.ts';

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
export async function openBoth(
  open: (url: string) => Promise<Stream>,
  a: { stream_url: string },
  b: { stream_url: string },
): Promise<[Stream, Stream]> {
  const streams = await Promise.all([open(a.stream_url), open(b.stream_url)]);
  for (const stream of streams) await stream.hello();
  return streams;
}
