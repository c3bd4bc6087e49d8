/** Where a sign is in the atlas (parts of it), and how much room it takes, in parts of a line. */
export interface Glyph {
  u0: number;
  v0: number;
  u1: number;
  v1: number;
  /** Of the picture, in heights of a line. */
  width: number;
  height: number;
  /** To the next sign, in heights of a line. */
  advance: number;
}

export type Glyphs = ReadonlyMap<string, Glyph>;

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

/** One tenth of a metre is as fine as a gap is worth reading. */
export const gapText = (gapM: number): string =>
  gapM < 10 ? `${gapM.toFixed(1)} m` : `${Math.round(gapM)} m`;
