/** Line and bar plots as SVG text, enough for a report. */

export type PlotPoint = readonly [x: number, y: number];

export interface Series {
  name: string;
  points: readonly PlotPoint[];
  dashed?: boolean;
  /** Position in the palette, where series of several plots or a pair belong together. */
  colour?: number;
}

export interface LinePlot {
  title: string;
  x: string;
  y: string;
  series: readonly Series[];
}

export interface BarPlot {
  title: string;
  /** What the bars measure, with its unit. */
  x: string;
  bars: readonly { name: string; value: number; colour?: number }[];
}

const WIDTH = 720;
const LINE_HEIGHT = 360;
const BAR_HEIGHT = 22;
const FRAME = { left: 64, right: 16, top: 36, bottom: 44 };
const BAR_LABEL_WIDTH = 190;
const VALUE_LABEL_WIDTH = 60;
const LEGEND_HEIGHT = 18;
const LEGEND_WIDTH = 320;
const LEGEND_COLUMNS = 2;
const TICKS_WANTED = 6;
/** By Okabe and Ito, distinct for colour-blind readers too. */
const PALETTE = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

export function linePlot({ title, x, y, series }: LinePlot): string {
  const points = series.flatMap((each) => each.points);
  const across = axisOf(points.map(([value]) => value));
  const up = axisOf(points.map(([, value]) => value));
  const names = legend(series);
  const height = LINE_HEIGHT + Math.ceil(names.length / LEGEND_COLUMNS) * LEGEND_HEIGHT;
  const bottom = LINE_HEIGHT - FRAME.bottom;
  const toX = scale(across, FRAME.left, WIDTH - FRAME.right);
  const toY = scale(up, bottom, FRAME.top);
  const grid = [
    ...up.ticks.map((value) => {
      const at = toY(value);
      return (
        `${line(FRAME.left, at, WIDTH - FRAME.right, at, 'grid')}` +
        text(FRAME.left - 6, at + 4, number(value), 'end')
      );
    }),
    ...columnGrid(across, toX, bottom),
  ];
  const lines = series.map(({ points, dashed }, i) => {
    const path = points.map(([x, y]) => `${px(toX(x))} ${px(toY(y))}`).join('L');
    return stroke(`M${path}`, colourOf(series, i), dashed);
  });
  const middle = (FRAME.left + WIDTH - FRAME.right) / 2;
  const labels = [
    text(FRAME.left, 22, title, 'start', 'title'),
    text(middle, LINE_HEIGHT - 10, x, 'middle'),
    `<text transform="translate(16 ${(FRAME.top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>`,
  ];
  return svg(height, title, [...grid, ...lines, ...labels, ...names]);
}

export function barPlot({ title, x, bars }: BarPlot): string {
  const values = bars.map(({ value }) => value).filter(Number.isFinite);
  const axis = axisOf([0, ...values]);
  const left = BAR_LABEL_WIDTH;
  const right = WIDTH - FRAME.right - VALUE_LABEL_WIDTH;
  const bottom = FRAME.top + bars.length * BAR_HEIGHT;
  const toX = scale(axis, left, right);
  const rows = bars.map(({ name, value, colour = 0 }, i) => {
    const top = FRAME.top + i * BAR_HEIGHT;
    const [from, to] = [toX(0), Number.isFinite(value) ? toX(value) : toX(0)];
    const fill = PALETTE[colour % PALETTE.length];
    return (
      `<rect x="${px(Math.min(from, to))}" y="${top + 3}" width="${px(Math.abs(to - from))}" ` +
      `height="${BAR_HEIGHT - 6}" fill="${fill}"/>` +
      text(left - 8, top + 15, name, 'end') +
      text(Math.max(from, to) + 6, top + 15, number(value), 'start')
    );
  });
  const labels = [
    text(16, 22, title, 'start', 'title'),
    text((left + right) / 2, bottom + 34, x, 'middle'),
  ];
  return svg(bottom + FRAME.bottom, title, [...columnGrid(axis, toX, bottom), ...rows, ...labels]);
}

function columnGrid({ ticks }: Axis, toX: (x: number) => number, bottom: number): string[] {
  return ticks.map((value) => {
    const at = toX(value);
    return `${line(at, FRAME.top, at, bottom, 'grid')}${text(at, bottom + 16, number(value), 'middle')}`;
  });
}

interface Axis {
  min: number;
  max: number;
  ticks: number[];
}

/** Round limits around the values, with the round numbers between them. */
export function axisOf(values: readonly number[]): Axis {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return axisOf([0, 1]);
  if (low === high) return axisOf([Math.min(low, 0), low === 0 ? 1 : Math.max(high, 0)]);
  const step = roundStep((high - low) / TICKS_WANTED);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => rounded((first + i) * step));
  return { min: rounded(first * step), max: rounded(last * step), ticks };
}

/** The least of 1, 2, 5, 10, 20, … and their fractions that is not below. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return digit * power;
}

const rounded = (value: number): number => Number(value.toPrecision(12));

function scale({ min, max }: Axis, from: number, to: number): (value: number) => number {
  return (value) => from + ((value - min) / (max - min)) * (to - from);
}

const colourOf = (series: readonly Series[], index: number): string =>
  PALETTE[(series[index]?.colour ?? index) % PALETTE.length] ?? '#000000';

/** A sample of each line with its name; none where a single line needs no name. */
function legend(series: readonly Series[]): string[] {
  if (series.length < 2) return [];
  return series.map(({ name, dashed }, i) => {
    const x = FRAME.left + (i % LEGEND_COLUMNS) * LEGEND_WIDTH;
    const y = LINE_HEIGHT + Math.floor(i / LEGEND_COLUMNS) * LEGEND_HEIGHT;
    return (
      stroke(`M${x} ${y}h24`, colourOf(series, i), dashed) + text(x + 30, y + 4, name, 'start')
    );
  });
}

function stroke(path: string, colour: string, dashed = false): string {
  const dash = dashed ? ' stroke-dasharray="6 4"' : '';
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"${dash}/>`;
}

const px = (value: number): string => String(Number(value.toFixed(1)));

/** Three digits, or a dash if it is not finite. */
function number(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '–';
}

function line(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return `<path class="${kind}" d="M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}"/>`;
}

function text(
  x: number,
  y: number,
  content: string,
  anchor: 'start' | 'middle' | 'end',
  kind = '',
): string {
  const classed = kind ? ` class="${kind}"` : '';
  return `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}"${classed}>${escaped(content)}</text>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (content: string): string =>
  content.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '');

function svg(height: number, title: string, parts: readonly string[]): string {
  const style =
    'text{font:12px sans-serif;fill:#222}.title{font-size:14px;font-weight:bold}' +
    '.grid{stroke:#ddd;stroke-width:1}';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${style}</style>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}
