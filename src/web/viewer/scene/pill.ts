import type { Billboards, Ink } from './billboards.ts';
import { widthOf } from './glyphs.ts';

const TEXT_PX = 13;
const ROOM_PX = { across: 18, above: 10 } as const;

/** A text on a bar with round ends. */
export function writePill(
  text: string,
  x: number,
  y: number,
  z: number,
  risePx: number,
  pill: Ink,
  ink: Ink,
  signs: Billboards,
): void {
  const widthPx = widthOf(text, signs.glyphs) * TEXT_PX + ROOM_PX.across;
  signs.pill(x, y, z, risePx, widthPx, TEXT_PX + ROOM_PX.above, pill);
  signs.write(text, x, y, z, risePx, TEXT_PX, ink);
}
