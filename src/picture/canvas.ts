import { fileURLToPath } from 'node:url';
import { createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';

export type Context = SKRSContext2D;

/** As services that show links want it. */
export const WIDTH_PX = 1200;
export const HEIGHT_PX = 630;
/** Of all text. A machine that serves may have no font at all. */
export const FONT = 'Picture Sans';
const FONT_FILE = import.meta.resolve(
  '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
);

/** A PNG of what `draw` draws. */
export function pngOf(draw: (context: Context) => void): Promise<Uint8Array> {
  if (!GlobalFonts.has(FONT)) GlobalFonts.registerFromPath(fileURLToPath(FONT_FILE), FONT);
  const canvas = createCanvas(WIDTH_PX, HEIGHT_PX);
  draw(canvas.getContext('2d'));
  return canvas.encode('png');
}
