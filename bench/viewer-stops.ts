/** How soon the time line shows the moment that it is dragged to. */
import type { BrowserContext } from 'playwright-core';
import { until } from '../src/testing/rigs/until.ts';
import { systemTime } from '../src/time.ts';
import { type Figure, figure } from './common/figures.ts';

const AGE_TICKS = 90_000;
/** Some collide, and each tick of a life has its marks. */
const CHANGES = [0, 5, 10].map((car) => ({ tick: 0, car, features: { brakes: false } }));
const KNOWN_S_MAX = 2;
const STOPS = 60;
/** The end of the line is what is live. */
const LIVE_TICKS = 100;
/** Its multiples, without their whole parts, are spread evenly. */
const GOLDEN = 0.618034;
/** Between two stops. */
const PAUSE_MS = 100;
const STOP_MS_MAX = 100;
const PERCENTILE = 0.95;

/**
 * In the page: for each stop the time until its state is there, until the page has drawn it, and until the browser
 * has, ms. Without a graphics processor the last one takes most of the time.
 */
const MEASURE = `(async () => {
  const nowMs = () => performance.mark('stop').startTime;
  const pause = (delay) => scheduler.postTask(() => {}, { delay });
  const input = document.querySelector('.track input');
  const gl = document.querySelector('canvas.map').getContext('webgl2');
  const pixel = new Uint8Array(4);
  const stops = [];
  for (let i = 0; i < ${STOPS}; i++) {
    const [first, last] = [Number(input.min), Number(input.max) - ${LIVE_TICKS}];
    const tick = 4 * Math.ceil((first + ((i * ${GOLDEN}) % 1) * (last - first)) / 4);
    const { drawn } = viewer;
    const fromMs = nowMs();
    input.value = String(tick);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    while (viewer.past?.frame !== tick) await pause(1);
    const stateMs = nowMs() - fromMs;
    while (!(viewer.tick === tick && viewer.drawn > drawn)) await new Promise(requestAnimationFrame);
    const drawnMs = nowMs() - fromMs;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    stops.push([stateMs, drawnMs, nowMs() - fromMs]);
    await pause(${PAUSE_MS});
  }
  return stops;
})()`;

/** Over half an hour, from the moment at which all of it is known. */
export async function stopsOnTheLine(
  origin: string,
  visit: () => Promise<BrowserContext>,
): Promise<Figure[]> {
  const body = JSON.stringify({
    journal: { seed: 8, city: 'old-town', changes: CHANGES },
    start_tick: AGE_TICKS,
  });
  const made = await fetch(`${origin}/api/v1/worlds`, { method: 'POST', body });
  const { viewer_url: url } = (await made.json()) as { viewer_url: string };
  const context = await visit();
  const page = await context.newPage();
  const openedMs = systemTime.now();
  await page.goto(url);
  const isKnown = `typeof viewer === 'object' && viewer.life?.[0] === 0`;
  await until('the whole life', async () => ((await page.evaluate(isKnown)) ? true : undefined));
  const knownS = (systemTime.now() - openedMs) / 1000;
  const stops = (await page.evaluate(MEASURE)) as [number, number, number][];
  await context.close();
  return [
    figure('half an hour of life is known', knownS, 's', { atMost: KNOWN_S_MAX, isScaled: true }),
    figure('state of a stop on the time line, p95', late(stops.map(([ms]) => ms)), 'ms'),
    figure('stop on the time line drawn, p95', late(stops.map(([, ms]) => ms)), 'ms', {
      ...{ atMost: STOP_MS_MAX, isScaled: true },
    }),
    figure('  and rasterised, p95', late(stops.map(([, , ms]) => ms)), 'ms'),
  ];
}

const late = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * PERCENTILE)] ?? Number.NaN;
