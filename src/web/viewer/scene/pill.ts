import type { Billboards, SignStyle } from './billboards.ts';
import { widthOf } from './glyphs.ts';

const TEXT_PX = 13;
const PADDING_PX = { across: 18, above: 10 } as const;

/** Adds a text on a bar with round ends. */
export function addPillText(
  text: string,
  x: number,
  y: number,
  z: number,
  risePx: number,
  pill: SignStyle,
  style: SignStyle,
  signs: Billboards,
  textPx: number = TEXT_PX,
): void {
  const scale = textPx / TEXT_PX;
  const widthPx = widthOf(text, signs.glyphs) * textPx + PADDING_PX.across * scale;
  signs.addPill(x, y, z, risePx, widthPx, textPx + PADDING_PX.above * scale, pill);
  signs.addText(text, x, y, z, risePx, textPx, style);
}
