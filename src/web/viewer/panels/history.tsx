import { useLayoutEffect, useRef } from 'preact/hooks';
import { theme } from '../../common/theme.ts';
import { KMH_PER_MPS } from '../../common/units.ts';
import { fixed } from '../formatting.ts';
import type { Moment } from '../live/history.ts';
import { useViewer } from '../page/context.ts';

const SPAN_TICKS = 1500;
/** A little more than the highest speed limit. */
const SPEED_MAX_KMH = 80;
/** Full braking. */
const ACCELERATION_MAX = 10;
const LINE_PX = 1.6;

interface Plot {
  name: string;
  unit: string;
  min: number;
  max: number;
  value: (moment: Moment) => number | null;
}

const PLOTS: readonly Plot[] = [
  {
    name: 'Speed',
    unit: 'km/h',
    min: 0,
    max: SPEED_MAX_KMH,
    value: ({ speed }) => speed * KMH_PER_MPS,
  },
  {
    name: 'Acceleration',
    unit: 'm/s²',
    min: -ACCELERATION_MAX,
    max: ACCELERATION_MAX / 2,
    value: ({ acceleration }) => acceleration,
  },
];

/** Speed and acceleration of the picked car over the last half minute. */
export function HistoryPlots() {
  return (
    <div class="plots">
      {PLOTS.map((plot) => (
        <HistoryPlot plot={plot} key={plot.name} />
      ))}
    </div>
  );
}

function HistoryPlot({ plot }: { plot: Plot }) {
  const { live, car } = useViewer();
  const canvas = useRef<HTMLCanvasElement>(null);
  const past = live.latest.value === null ? [] : live.history.of(car.index.value);
  const last = past.at(-1);
  const now = last === undefined ? null : plot.value(last);
  const digits = plot.unit === 'km/h' ? 0 : 1;
  const text = now === null ? '–' : `${fixed(now, digits)} ${plot.unit}`;
  // The colours are those of the style sheet, so a change of the theme redraws.
  theme.value;
  // With the other figures of the panel, so that they say the same.
  useLayoutEffect(() => {
    if (canvas.current) draw(canvas.current, plot, past);
  });
  return (
    <figure class="plot">
      <figcaption>
        {plot.name} <span class="soft">30 s</span>
        <span class="plot-now">{text}</span>
      </figcaption>
      <canvas ref={canvas} role="img" aria-label={`${plot.name} over the last half minute`} />
    </figure>
  );
}

function draw(canvas: HTMLCanvasElement, { min, max, value }: Plot, past: readonly Moment[]): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const [realWidth, realHeight] = [width, height].map((px) => Math.round(px * devicePixelRatio));
  if (canvas.width !== realWidth) canvas.width = realWidth ?? 0;
  if (canvas.height !== realHeight) canvas.height = realHeight ?? 0;
  const context = canvas.getContext('2d');
  const last = past.at(-1);
  if (context === null) return;
  const style = getComputedStyle(canvas);
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  const yOf = (figure: number) => {
    const part = (Math.min(max, Math.max(min, figure)) - min) / (max - min);
    return LINE_PX + (1 - part) * (height - 2 * LINE_PX);
  };
  context.fillStyle = style.borderTopColor;
  context.fillRect(0, Math.round(yOf(0)) - 0.5, width, 1);
  if (last === undefined) return;
  context.strokeStyle = style.color;
  context.lineWidth = LINE_PX;
  context.lineJoin = 'round';
  context.beginPath();
  let isDown = false;
  for (const moment of past) {
    const figure = value(moment);
    const x = width * (1 - (last.tick - moment.tick) / SPAN_TICKS);
    if (figure === null) isDown = false;
    else if (isDown) context.lineTo(x, yOf(figure));
    else context.moveTo(x, yOf(figure));
    isDown = figure !== null;
  }
  context.stroke();
}
