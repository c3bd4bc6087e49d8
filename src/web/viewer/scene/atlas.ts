import { CanvasTexture, LinearFilter, LinearMipmapLinearFilter } from 'three';
import { type Glyph, type Glyphs, PICTURE } from './glyphs.ts';

const WIDTH_PX = 1024;
const HEIGHT_PX = 512;
/** Size of the cell of a letter or picture, its halo included. */
const CELL_PX = 56;
const FONT_PX = 40;
const HALO_PX = 8;
const FIRST = 32;
const LAST = 126;
const FONT = `600 ${FONT_PX}px system-ui, sans-serif`;

export interface Atlas {
  texture: CanvasTexture;
  glyphs: Glyphs;
}

/**
 * All letters and pictures in one texture. Red holds the sign, green the sign with a halo; each use
 * has its own colours for both.
 */
export function drawAtlas(): Atlas {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH_PX;
  canvas.height = HEIGHT_PX;
  const pen = canvas.getContext('2d', { alpha: false });
  if (!pen) throw new Error('the browser draws no text on a canvas');
  pen.fillStyle = '#000';
  pen.fillRect(0, 0, WIDTH_PX, HEIGHT_PX);
  pen.font = FONT;
  pen.textBaseline = 'alphabetic';
  pen.lineJoin = 'round';
  pen.globalCompositeOperation = 'lighter';
  const glyphs = new Map<string, Glyph>();
  let cell = 0;
  for (let code = FIRST; code <= LAST; code++) {
    const letter = String.fromCharCode(code);
    glyphs.set(letter, drawLetter(pen, letter, cell++));
  }
  glyphs.set(PICTURE.disc, drawPicture(pen, cell++, disc));
  glyphs.set(PICTURE.puff, drawPicture(pen, cell++, puff));
  glyphs.set(PICTURE.pill, drawPicture(pen, cell++, disc));
  glyphs.set(PICTURE.warning, drawPicture(pen, cell++, warning));
  const texture = new CanvasTexture(canvas);
  texture.minFilter = LinearMipmapLinearFilter;
  texture.magFilter = LinearFilter;
  texture.flipY = false;
  return { texture, glyphs };
}

type Pen = CanvasRenderingContext2D;

const columns = Math.floor(WIDTH_PX / CELL_PX);
const cornerOf = (cell: number): [number, number] => [
  (cell % columns) * CELL_PX,
  Math.floor(cell / columns) * CELL_PX,
];

/** The glyph whose cell starts at a corner. */
function partOf(x: number, y: number, widthPx: number, advance: number): Glyph {
  return {
    u0: x / WIDTH_PX,
    v0: y / HEIGHT_PX,
    u1: (x + widthPx) / WIDTH_PX,
    v1: (y + CELL_PX) / HEIGHT_PX,
    width: widthPx / FONT_PX,
    height: CELL_PX / FONT_PX,
    advance,
  };
}

function drawLetter(pen: Pen, letter: string, cell: number): Glyph {
  const [x, y] = cornerOf(cell);
  const advancePx = pen.measureText(letter).width;
  const left = x + HALO_PX / 2 + 1;
  const base = y + CELL_PX * 0.72;
  pen.strokeStyle = '#0f0';
  pen.lineWidth = HALO_PX;
  pen.strokeText(letter, left, base);
  pen.fillStyle = '#0f0';
  pen.fillText(letter, left, base);
  pen.fillStyle = '#f00';
  pen.fillText(letter, left, base);
  const widthPx = Math.min(CELL_PX, advancePx + HALO_PX + 2);
  return partOf(x, y, widthPx, advancePx / FONT_PX);
}

function drawPicture(
  pen: Pen,
  cell: number,
  draw: (pen: Pen, x: number, y: number) => void,
): Glyph {
  const [x, y] = cornerOf(cell);
  draw(pen, x + CELL_PX / 2, y + CELL_PX / 2);
  return { ...partOf(x, y, CELL_PX, 1), width: 1, height: 1 };
}

function disc(pen: Pen, x: number, y: number): void {
  for (const [colour, radius] of [
    ['#0f0', CELL_PX / 2 - 1],
    ['#f00', CELL_PX / 2 - 8],
  ] as const) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
  }
}

function puff(pen: Pen, x: number, y: number): void {
  const soft = pen.createRadialGradient(x, y, 2, x, y, CELL_PX / 2 - 1);
  soft.addColorStop(0, '#f00');
  soft.addColorStop(1, '#000');
  pen.fillStyle = soft;
  pen.fillRect(x - CELL_PX / 2, y - CELL_PX / 2, CELL_PX, CELL_PX);
}

/** A triangle (green) with an exclamation mark and its border (red). */
function warning(pen: Pen, x: number, y: number): void {
  const half = CELL_PX / 2 - 3;
  const trace = (part: number) => {
    pen.beginPath();
    pen.moveTo(x, y - half * part * 0.95);
    pen.lineTo(x + half * part, y + half * part * 0.8);
    pen.lineTo(x - half * part, y + half * part * 0.8);
    pen.closePath();
  };
  trace(1);
  pen.fillStyle = pen.strokeStyle = '#0f0';
  pen.lineWidth = 4;
  pen.fill();
  pen.stroke();
  trace(0.86);
  pen.strokeStyle = '#f00';
  pen.lineWidth = 3.5;
  pen.stroke();
  pen.fillStyle = '#f00';
  pen.fillRect(x - 2.5, y - 9, 5, 14);
  pen.fillRect(x - 2.5, y + 9, 5, 5);
}
