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
  textPx: number = TEXT_PX,
): void {
  const widthPx = widthOf(text, signs.glyphs) * textPx + ROOM_PX.across * (textPx / TEXT_PX);
  signs.pill(x, y, z, risePx, widthPx, textPx + ROOM_PX.above * (textPx / TEXT_PX), pill);
  signs.write(text, x, y, z, risePx, textPx, ink);
}
