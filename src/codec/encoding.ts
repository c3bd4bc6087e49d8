/** The encodings of frames and answers. */
export type Encoding = 'json' | 'msgpack';

export const ENCODINGS: readonly Encoding[] = ['json', 'msgpack'];

export function isEncoding(name: string): name is Encoding {
  return (ENCODINGS as readonly string[]).includes(name);
}
