/**
 * What a displayed frame costs the browser that draws it, beside another build of the viewer, in the same views
 * of one world. Processor time: how many frames are displayed a second depends on what else a machine does.
 */
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { TestBrowser } from '../src/testing/rigs/browser.ts';
import { until } from '../src/testing/rigs/until.ts';
import { systemTime } from '../src/time.ts';
import type { Incident } from '../src/twin/wire.ts';
import { compared, type Figure } from './common/figures.ts';
import { median } from './common/report.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const LOADED_MS = 3000;
/** So long what was displayed before may still be drawn. */
const SETTLED_MS = 1000;
const MEASURED_FRAMES = 6;
const START_TICK = 3000;
/** Every fourth car has no brakes, so that something collides. */
const CHANGES = [0, 4, 8, 12, 16].map((car) => ({ tick: 0, car, features: { brakes: false } }));

interface Sides {
  /** Output folders of the page build. */
  folders: readonly [here: string, there: string];
  rounds: number;
  /** What visitors find in their browser. */
  prepare: (context: BrowserContext) => Promise<unknown>;
}

/** A view: the end of the address that shows it. */
type View = (incident: Incident) => string;

/** The free camera over the place of a replay that stands still: the same picture each time. */
const over =
  (distance: number, tilt: number): View =>
  ({ id, tick, place: { x, y } }) =>
    `#incident=${id}&moment=${tick}&view=${x},${y},${distance},${tilt},1.2`;

const VIEWS: Readonly<Record<string, View>> = {
  'the whole city': () => '',
  'some streets, obliquely': over(190, 0.82),
  'a street': over(30, 1.33),
  'a replay': ({ id, tick }) => `#incident=${id}&moment=${tick}`,
};

export async function framesBeside(
  url: URL,
  { visit, context: opened }: Pick<TestBrowser, 'visit' | 'context'>,
  { folders, rounds, prepare }: Sides,
): Promise<Figure[]> {
  const { world, incident } = await makeScene(url.origin);
  const session = await opened.browser()?.newBrowserCDPSession();
  if (session === undefined) throw new Error('the browser is open');
  const figures: Figure[] = [];
  for (const [name, view] of Object.entries(VIEWS)) {
    const costs: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      // Each goes first in turn: what loads the machine may grow or fall.
      for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const context = await visit({ viewport: { width: 1280, height: 800 } });
        await prepare(context);
        await context.addInitScript(BY_HAND);
        // A page that does not come from the network may not open streams to this machine by itself.
        await context.grantPermissions(['local-network-access'], { origin: url.origin });
        await serveFrom(context, folders[side]);
        const page = await context.newPage();
        await page.goto(`${url.origin}/worlds/${world}${view(incident)}`);
        costs[side].push(await costMs(page, session));
        await context.close();
      }
    }
    const [here, there] = costs;
    const reference = { name: 'the other build', value: median(there) };
    figures.push(compared(`a frame displayed, ${name}`, median(here), 'ms', reference));
    const ratios = here.map((cost, round) => cost / (there[round] ?? Number.NaN));
    figures.push({ name: '  median of the pairs', value: median(ratios), unit: '×' });
  }
  return figures;
}

async function makeScene(origin: string): Promise<{ world: string; incident: Incident }> {
  const journal = { seed: 5, city: 'grid', changes: CHANGES };
  const body = JSON.stringify({ journal, start_tick: START_TICK });
  const made = await fetch(`${origin}/api/v1/worlds`, { method: 'POST', body });
  const { id } = (await made.json()) as { id: string };
  const incident = await until('an explained incident', async () => {
    const listed = await fetch(`${origin}/api/v1/worlds/${id}/incidents`);
    return ((await listed.json()) as Incident[]).find(({ failures }) => failures.length > 0);
  });
  return { world: id, incident };
}

/** Has the pages of a build shown in place of those of the node. */
async function serveFrom(context: BrowserContext, folder: string): Promise<void> {
  await context.route(/^https?:\/\/[^/]+\/worlds\/[a-z0-9]+(\?.*)?$/, (route) =>
    route.fulfill({
      body: readFileSync(join(folder, 'viewer/index.html')),
      contentType: 'text/html',
    }),
  );
  await context.route('**/assets/*', (route) => {
    const { pathname } = new URL(route.request().url());
    const contentType = TYPES[extname(pathname)] ?? 'application/octet-stream';
    return route.fulfill({ body: readFileSync(join(folder, pathname)), contentType });
  });
}

/** Displays frames only when `draw` is called, each to its end. */
const BY_HAND = `
  const display = window.requestAnimationFrame.bind(window);
  const waiting = [];
  let isByHand = false;
  window.requestAnimationFrame = (call) => (isByHand ? waiting.push(call) : display(call));
  window.draw = (count) => {
    isByHand = true;
    const canvas = document.querySelector('canvas.map');
    const gl = canvas.getContext('webgl2');
    for (let i = 0; i < count; i++) {
      // What stands still is not drawn again: the camera comes nearer and goes back.
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: i % 2 === 0 ? 1 : -1 }));
      for (const call of waiting.splice(0)) call(document.timeline.currentTime);
      // Waits until all is drawn.
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
  };
`;

/** Processor time of the process that draws, ms a frame. */
async function costMs(page: Page, session: CDPSession): Promise<number> {
  // The policy of the page forbids what `waitForFunction` does.
  const isDrawn = "typeof viewer === 'object' && viewer.drawn > 0";
  await until('a frame', () => page.evaluate(isDrawn));
  await systemTime.sleep(LOADED_MS);
  await page.evaluate('draw(1)');
  await systemTime.sleep(SETTLED_MS);
  await page.evaluate('draw(1)');
  const beforeMs = await drawingMs(session);
  const drawn = Number(await page.evaluate('viewer.drawn'));
  await page.evaluate(`draw(${MEASURED_FRAMES})`);
  const frames = Number(await page.evaluate('viewer.drawn')) - drawn;
  return ((await drawingMs(session)) - beforeMs) / frames;
}

async function drawingMs(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const drawing = processInfo.filter(({ type }) => type === 'GPU');
  return 1000 * drawing.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
