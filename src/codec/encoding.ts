/** The encodings of frames and answers. */
export type Encoding = 'json' | 'msgpack';

export const ENCODINGS: readonly Encoding[] = ['json', 'msgpack'];

/** What a stream carries: frames, or what a client needs to live the world itself. */
export type StreamEncoding = Encoding | 'lockstep';

export const STREAM_ENCODINGS: readonly StreamEncoding[] = [...ENCODINGS, 'lockstep'];

export function isEncoding(name: string): name is Encoding {
  return (ENCODINGS as readonly string[]).includes(name);
}
