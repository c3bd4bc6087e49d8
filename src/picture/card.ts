import type { LinkPreview } from '../twin/link-preview.ts';
import { type Context, FONT, HEIGHT_PX, WIDTH_PX } from './canvas.ts';
import type { Pixel } from './view.ts';

/** Left of this the picture is for words, px. */
export const CARD_PX = 500;
const MARGIN_PX = 56;
const TEXT_PX = CARD_PX - MARGIN_PX;
const INK = '#17201b';
const SOFT = '#4f5b54';
const ACCENT = '#0e5c4a';
/** Sizes that a headline may have, and how many lines fit. */
const HEADLINES = [
  { px: 54, lines: 4 },
  { px: 46, lines: 5 },
  { px: 38, lines: 6 },
] as const;
const LINE = 1.12;

const VERDICTS: Readonly<
  Record<LinkPreview['outcome'], readonly [ground: string, ink: string, isGood: boolean]>
> = {
  avoids: ['#d3efdd', '#115230', true],
  mitigates: ['#fbe9c4', '#6b4200', true],
  nothing: ['#e3e7e2', INK, false],
  unknown: ['#e3e7e2', INK, false],
};

export const fontOf = (px: number, weight: number): string => `${weight} ${px}px "${FONT}"`;

/** The words of a picture, on its left. */
export function drawCard(context: Context, preview: LinkPreview): void {
  drawVeil(context);
  const { headline, facts, verdict, outcome } = preview;
  context.textBaseline = 'alphabetic';
  context.textAlign = 'left';
  write(context, facts, [MARGIN_PX, 84], fontOf(21, 600), SOFT);
  const { px, lines } = fitted(context, headline);
  let y = 84 + 20 + px;
  for (const line of lines) {
    write(context, line, [MARGIN_PX, y], fontOf(px, 800), INK);
    y += px * LINE;
  }
  drawVerdict(context, verdict, VERDICTS[outcome], y - px * LINE + 34);
  drawName(context);
}

function write(context: Context, text: string, [x, y]: Pixel, font: string, colour: string): void {
  context.font = font;
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** The map fades out under the words. */
function drawVeil(context: Context): void {
  const veil = context.createLinearGradient(0, 0, CARD_PX + 190, 0);
  veil.addColorStop(0, 'rgb(250 251 249 / 0.98)');
  veil.addColorStop(0.66, 'rgb(250 251 249 / 0.94)');
  veil.addColorStop(1, 'rgb(250 251 249 / 0)');
  context.fillStyle = veil;
  context.fillRect(0, 0, CARD_PX + 190, HEIGHT_PX);
}

/** The headline as large as it fits. */
function fitted(context: Context, text: string): { px: number; lines: string[] } {
  for (const { px, lines } of HEADLINES) {
    const wrapped = wrap(context, text, fontOf(px, 800), TEXT_PX);
    if (wrapped.length <= lines) return { px, lines: wrapped };
  }
  const { px, lines } = HEADLINES[2];
  const wrapped = wrap(context, text, fontOf(px, 800), TEXT_PX);
  return { px, lines: [...wrapped.slice(0, lines - 1), `${wrapped[lines - 1]}…`] };
}

/** Lines of about the same width, as few as fit. */
function wrap(context: Context, text: string, font: string, widthPx: number): string[] {
  context.font = font;
  const fewest = broken(context, text, widthPx);
  let [tooNarrow, wide] = [widthPx / 2, widthPx];
  while (wide - tooNarrow > 8) {
    const middle = (tooNarrow + wide) / 2;
    if (broken(context, text, middle).length > fewest.length) tooNarrow = middle;
    else wide = middle;
  }
  return broken(context, text, wide);
}

function broken(context: Context, text: string, widthPx: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && context.measureText(longer).width > widthPx) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

function drawVerdict(
  context: Context,
  text: string,
  [ground, ink, isGood]: readonly [string, string, boolean],
  top: number,
): void {
  const font = fontOf(26, 700);
  const signPx = isGood ? 44 : 0;
  const lines = wrap(context, text, font, TEXT_PX - 44 - signPx);
  const widthPx = Math.max(...lines.map((line) => context.measureText(line).width)) + 44 + signPx;
  const heightPx = lines.length * 32 + 28;
  context.fillStyle = ground;
  context.beginPath();
  context.roundRect(MARGIN_PX, top, widthPx, heightPx, 16);
  context.fill();
  lines.forEach((line, i) => {
    write(context, line, [MARGIN_PX + 22 + signPx, top + 39 + 32 * i], font, ink);
  });
  if (!isGood) return;
  // A tick.
  context.strokeStyle = ink;
  context.lineWidth = 5;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.beginPath();
  const [x, y] = [MARGIN_PX + 24, top + heightPx / 2];
  context.moveTo(x, y);
  context.lineTo(x + 8, y + 9);
  context.lineTo(x + 24, y - 9);
  context.stroke();
}

function drawName(context: Context): void {
  const y = HEIGHT_PX - 52;
  context.fillStyle = ACCENT;
  context.beginPath();
  context.roundRect(MARGIN_PX, y - 24, 30, 30, 8);
  context.fill();
  context.fillStyle = '#ffffff';
  context.beginPath();
  context.arc(MARGIN_PX + 15, y - 9, 6.5, 0, 2 * Math.PI);
  context.fill();
  write(context, 'Driving twin', [MARGIN_PX + 44, y], fontOf(24, 700), ACCENT);
}

interface LabelLook {
  ground: string;
  /** From the place to the middle of the label, px. */
  by: Pixel;
}

/** A label, and a line from it to a place. */
export function drawLabel(
  context: Context,
  text: string,
  [x, y]: Pixel,
  { ground, by }: LabelLook,
): void {
  context.font = fontOf(26, 700);
  const widthPx = context.measureText(text).width + 32;
  const half = widthPx / 2 + 16;
  const middleX = Math.min(WIDTH_PX - half, Math.max(CARD_PX + half, x + by[0]));
  const middleY = Math.min(HEIGHT_PX - 40, Math.max(40, y + by[1]));
  context.strokeStyle = ground;
  context.lineWidth = 4;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(middleX, middleY);
  context.stroke();
  context.fillStyle = ground;
  context.beginPath();
  context.arc(x, y, 6, 0, 2 * Math.PI);
  context.fill();
  context.beginPath();
  context.roundRect(middleX - widthPx / 2, middleY - 23, widthPx, 46, 12);
  context.fill();
  context.textAlign = 'center';
  write(context, text, [middleX, middleY + 9], context.font, '#ffffff');
  context.textAlign = 'left';
}
