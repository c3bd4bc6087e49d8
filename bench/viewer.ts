/** Cost of the viewer in a browser: bytes, time to the first car, script time a frame, heaps of page and worker. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../src/testing/rigs/browser.ts';
import { systemTime } from '../src/time.ts';
import { type Figure, figure } from './common/figures.ts';
import { parseOptions } from './common/options.ts';
import { median } from './common/report.ts';
import { startNode } from './common/server.ts';
import { bytesLoaded } from './viewer-bytes.ts';
import { framesBeside } from './viewer-frames.ts';
import { stopsOnTheLine } from './viewer-stops.ts';
import { ViewerWorker, type WorkerSample } from './viewer-worker.ts';

const WEB = fileURLToPath(new URL('../build/web/', import.meta.url));
const KIB = 1024;
const SIZE_KIB_MAX = 350;
const FIRST_CAR_S_MAX = 2;
const SCRIPT_MS_MAX = 4;
/** By the line through all samples of a heap that is collected now and then. */
const GROWTH_KIB_PER_MIN_MAX = 50;
const VISITS = 5;
const SAMPLE_S = 15;
/** The first seconds load and compile. */
const SETTLED_S = 10;
const POLL_MS = 10;

const WINDOW = { viewport: { width: 1280, height: 800 } };
const NO_INVITATION = `localStorage.setItem('viewer.invited', 'yes')`;

const OPTIONS = {
  minutes: { fallback: 10, min: 1, max: 600, help: 'how long the heap is sampled' },
  beside: {
    fallback: '',
    help: 'folder of another build of the pages, to compare the cost of a frame with',
  },
  rounds: { fallback: 7, min: 1, max: 99, help: 'how often each view of each build is measured' },
};

export async function run(options: string[]): Promise<Figure[]> {
  const { minutes, beside, rounds } = parseOptions(OPTIONS, options);
  const node = await startNode();
  const browser = await openBrowser(node.url.origin, { hasWebGL: true });
  try {
    const prepare = (context: BrowserContext) => context.addInitScript(NO_INVITATION);
    const visit = async () => {
      const context = await browser.visit(WINDOW);
      await prepare(context);
      return context;
    };
    const bytes = await bytesLoaded(node.url.origin, visit);
    const stops = await stopsOnTheLine(node.url.origin, visit);
    const firsts: number[] = [];
    for (let i = 0; i < VISITS; i++) {
      const context = await visit();
      firsts.push(await firstCarS(await context.newPage(), node.url));
      await context.close();
    }
    const context = await visit();
    const page = await context.newPage();
    await firstCarS(page, node.url);
    await systemTime.sleep(SETTLED_S * 1000);
    const samples = await watch(page, minutes);
    await context.close();
    const sides = { folders: [WEB, resolve(beside)] as const, rounds, prepare };
    const costs = beside === '' ? [] : await framesBeside(node.url, browser, sides);
    return [
      figure('viewer, compressed with Brotli', sizeKiB(), 'KiB', { atMost: SIZE_KIB_MAX }),
      ...bytes,
      ...stops,
      figure('first car drawn', median(firsts), 's', { atMost: FIRST_CAR_S_MAX }),
      ...figuresOf(samples, minutes),
      ...costs,
    ];
  } finally {
    await browser.close();
    await node.stop();
  }
}

/** Compressed bytes of the page itself. */
function sizeKiB(): number {
  const html = readFileSync(`${WEB}viewer/index.html`, 'utf8');
  const entries = [...html.matchAll(/\/assets\/([^"]+)/g)].map(([, name = '']) => name);
  const names = readdirSync(`${WEB}assets`).filter((name) => name.endsWith('.br'));
  const loaded = names.filter((name) => entries.includes(name.slice(0, -'.br'.length)));
  const bytes = loaded.map((name) => statSync(`${WEB}assets/${name}`).size);
  return bytes.reduce((sum, each) => sum + each, 0) / KIB;
}

/** From the first request to the first frame with cars, in the page's own clock. */
async function firstCarS(page: Page, url: URL): Promise<number> {
  await page.goto(`${url.origin}/`);
  for (;;) {
    const ms = await page.evaluate(`performance.getEntriesByName('first cars')[0]?.startTime ?? 0`);
    if (Number(ms) > 0) return Number(ms) / 1000;
    await systemTime.sleep(POLL_MS);
  }
}

interface Sample {
  atS: number;
  drawn: number;
  scriptS: number;
  heapBytes: number;
  worker: WorkerSample;
}

async function watch(page: Page, minutes: number): Promise<Sample[]> {
  const context = page.context();
  const session = await context.newCDPSession(page);
  const whole = await context.browser()?.newBrowserCDPSession();
  if (whole === undefined) throw new Error('the browser is open');
  const worker = await ViewerWorker.of(session, whole);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.enable');
  const samples: Sample[] = [];
  for (let i = 0; i <= (minutes * 60) / SAMPLE_S; i++) {
    if (i > 0) await systemTime.sleep(SAMPLE_S * 1000);
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const value = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
    samples.push({
      atS: value('Timestamp'),
      drawn: Number(await page.evaluate('viewer.drawn')),
      scriptS: value('ScriptDuration'),
      heapBytes: value('JSHeapUsedSize'),
      worker: await worker.sample(),
    });
  }
  return samples;
}

function figuresOf(samples: readonly Sample[], minutes: number): Figure[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return [];
  const frames = last.drawn - first.drawn;
  const scriptMs = ((last.scriptS - first.scriptS) * 1000) / frames;
  const workerMs = ((last.worker.processorS - first.worker.processorS) * 1000) / frames;
  return [
    figure('scripting a displayed frame, 20 cars', scriptMs + workerMs, 'ms', {
      atMost: SCRIPT_MS_MAX,
    }),
    figure('  of the page', scriptMs, 'ms'),
    figure('  of the worker, which steps the world', workerMs, 'ms'),
    figure('frames displayed', frames / (last.atS - first.atS), '/s'),
    ...heapFigures('heap', samples, minutes, ({ heapBytes }) => heapBytes),
    ...heapFigures('heap of the worker', samples, minutes, ({ worker }) => worker.heapBytes),
  ];
}

/** Images are no part of a heap: they are in buffers. */
function heapFigures(
  name: string,
  samples: readonly Sample[],
  minutes: number,
  bytesOf: (sample: Sample) => number,
): Figure[] {
  const last = samples.at(-1);
  if (last === undefined) return [];
  const growth = (slope(samples, bytesOf) * 60) / KIB;
  return [
    figure(`${name} after the last collection`, bytesOf(last) / KIB, 'KiB'),
    figure(`${name}, growth over ${minutes} min`, growth, 'KiB/min', {
      atMost: GROWTH_KIB_PER_MIN_MAX,
    }),
  ];
}

/** Bytes a second, by least squares. */
function slope(samples: readonly Sample[], bytesOf: (sample: Sample) => number): number {
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const [atS, bytes] = [mean(samples.map((l) => l.atS)), mean(samples.map(bytesOf))];
  const across = samples.reduce((sum, l) => sum + (l.atS - atS) * (bytesOf(l) - bytes), 0);
  return across / samples.reduce((sum, l) => sum + (l.atS - atS) ** 2, 0);
}
