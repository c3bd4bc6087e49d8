/** Where a letter or picture is in the atlas, 0 to 1, and how large it is. */
export interface Glyph {
  u0: number;
  v0: number;
  u1: number;
  v1: number;
  /** In heights of a line. */
  width: number;
  height: number;
  /** To the next letter, in heights of a line. */
  advance: number;
}

export type Glyphs = ReadonlyMap<string, Glyph>;

/** Throws where the atlas has no such picture. */
export function glyphOf(glyphs: Glyphs, picture: string): Glyph {
  const glyph = glyphs.get(picture);
  if (glyph === undefined) throw new RangeError(`the atlas has no picture ${picture}`);
  return glyph;
}

/** Pictures beside the letters, by names that no letter has. */
export const PICTURE = {
  disc: '\u0001',
  puff: '\u0002',
  pill: '\u0003',
  warning: '\u0004',
} as const;

/** How wide a text is, in heights of a line. */
export function widthOf(text: string, glyphs: Glyphs): number {
  let total = 0;
  for (let i = 0; i < text.length; i++) total += glyphs.get(text.charAt(i))?.advance ?? 0;
  return total;
}

/** A gap in metres, with a tenth below ten. */
export const gapText = (gapM: number): string =>
  gapM < 10 ? `${gapM.toFixed(1)} m` : `${Math.round(gapM)} m`;
