/** Somebody who looks at a city in a browser. */
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestBrowser } from '../../rigs/browser.ts';
import { until as untilTrue } from '../../rigs/until.ts';
import type { Api } from './api.ts';
import type { FeatureName, Incident, World } from './wire.ts';

/** A place as it is drawn. */
export interface DrawnCar {
  vin: string;
  x: number;
  y: number;
  heading: number;
  xPx: number | null;
  yPx: number | null;
}

/** What the page says of itself, as `window.viewer`. */
export interface Display {
  source: 'nowhere' | 'life' | 'node';
  /** What is known of the life, ticks. */
  life: [first: number, last: number] | null;
  connection: 'connecting' | 'live' | 'behind' | 'reconnecting' | 'polling' | 'gone';
  tick: number | null;
  drawn: number;
  cars: DrawnCar[];
  picked: string | null;
  camera: string;
  ghosts: DrawnCar[];
  replay: {
    incident: string;
    isPlaying: boolean;
    firstTick: number;
    lastTick: number;
    with: FeatureName[] | null;
  } | null;
  past: { tick: number; frame: number | null; isPlaying: boolean; speed: number } | null;
  whatIf: {
    fromTick: number;
    tick: number;
    isPlaying: boolean;
    switchings: { tick: number; vin: string; features: Record<string, boolean> }[];
    collisions: string[] | null;
    without: number | null;
  } | null;
}

/** A machine that draws by its processor, and does other things beside, is given its time. */
const PATIENCE_MS = 100_000;
/** Small and coarse: the processor draws it. */
const SMALL = { deviceScaleFactor: 0.25, viewport: { width: 900, height: 560 } };
/** A screen with ten frames a second: the processor draws each of them. */
const SLOW_SCREEN = `
  const draw = requestAnimationFrame;
  let callbacks = [];
  const drawAll = (nowMs) => callbacks.splice(0).forEach((callback) => callback(nowMs));
  window.requestAnimationFrame = (callback) => {
    if (callbacks.push(callback) === 1) window.setTimeout(draw, 100, drawAll);
  };
`;
/** The world cannot live in the page: the node sends what is shown. */
export const NO_WORKER = 'delete window.Worker';
const NO_INVITATION = `localStorage.setItem('viewer.invited', 'yes')`;

/** Half a minute of traffic that cannot brake. */
const CRASH_TICKS = 1500;
const CRASH_SEEDS = [8, 9, 10, 11, 12, 13];
const WITHOUT_BRAKES = Array.from({ length: 20 }, (_, car) => ({
  tick: 0,
  car,
  features: { brakes: false },
}));

/** A replay begins so long before the contact. */
const LEAD_TICKS = 400;

/** A world without brakes, and one of its explained collisions that fits. Tries a few seeds. */
export async function crashedWorld(
  api: Api,
  fits: (incident: Incident) => boolean,
): Promise<{ world: World; incident: Incident }> {
  for (const seed of CRASH_SEEDS) {
    const journal = { seed, city: 'grid', changes: WITHOUT_BRAKES };
    const world = await api.makeWorld({ journal, start_tick: CRASH_TICKS });
    const past = await api.world('Incidents', world, '/incidents');
    if (!past.some(({ tick }) => tick <= CRASH_TICKS)) continue;
    // Late enough for a replay that begins 8 s before it.
    const late = (await api.explained(world, CRASH_TICKS)).filter(({ tick }) => tick > LEAD_TICKS);
    const incident = late.find(fits);
    if (incident !== undefined) return { world, incident };
  }
  throw new Error(`no collision that fits with any of the seeds ${CRASH_SEEDS}`);
}

/** Another visitor, who was here before and is not invited to anything. */
export async function visitor(
  browser: TestBrowser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.visit({ ...SMALL, ...options });
  await context.addInitScript(NO_INVITATION);
  await context.addInitScript(SLOW_SCREEN);
  return context;
}

/** One who was never here. */
export async function firstVisit(context: BrowserContext): Promise<BrowserContext> {
  await context.addInitScript(`localStorage.removeItem('viewer.invited')`);
  return context;
}

/** Times that an offer is asked for: a busy machine may not answer in time. */
const OFFERS_MAX = 4;

/** Asks to be shown something. Returns the button that takes the offer. */
export async function offered(page: Page): Promise<Locator> {
  const card = page.locator('.demonstration');
  const off = card.getByRole('button', { name: /^Switch off / });
  const again = card.getByRole('button', { name: 'Try again' });
  await card.getByRole('button', { name: 'Show me' }).click();
  for (let i = 0; i < OFFERS_MAX; i++) {
    await off.or(again).waitFor();
    if (await off.isVisible()) return off;
    await again.click();
  }
  throw new Error(`there is no offer: ${await card.innerText()}`);
}

/** One whose browser cannot draw the map, and has the panels all the sooner. */
export async function mapless(
  browser: TestBrowser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await visitor(browser, options);
  await context.addInitScript(`
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest);
    };
  `);
  return context;
}

/** Opens a page and waits until its cars have their places, and are drawn where there is a map. */
export async function openCity(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url);
  await until(
    page,
    `viewer.drawn > 0 || (viewer.tick > 0 && document.querySelector('.stage-note'))`,
  );
  return page;
}

/** Waits until something is true in the page, whose policy lets nobody evaluate text in it later. */
export async function until(page: Page, condition: string): Promise<void> {
  const expression = `typeof viewer === 'object' && Boolean(${condition})`;
  const holds = async () => Boolean(await page.evaluate(expression));
  await untilTrue(condition, holds, PATIENCE_MS).catch(async (error: unknown) => {
    throw new Error(`the page shows ${JSON.stringify(await display(page))}`, { cause: error });
  });
}

export async function untilState(page: Page, state: Display['connection']): Promise<void> {
  await until(page, `viewer.connection === '${state}'`);
}

/** Waits until the whole life of the city is known here: nobody can go back beyond what is. */
export async function untilAllIsKnown(page: Page): Promise<void> {
  await until(page, 'viewer.life?.[0] === 0');
}

/** What is on display, all of one moment. */
export async function display(page: Page): Promise<Display> {
  const names = [
    ...['connection', 'tick', 'drawn', 'cars', 'picked', 'camera', 'ghosts', 'replay'],
    ...['past', 'whatIf', 'source', 'life'],
  ];
  const fields = names.map((name) => `${name}: viewer.${name}`).join();
  return (await page.evaluate(`({ ${fields} })`)) as Display;
}

/** Draws nothing more of the page until it is told to: one who is faster than a slow screen. */
export async function undrawn(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(`
    window.drawnLater = [];
    window.drawNow = requestAnimationFrame;
    requestAnimationFrame = (callback) => drawnLater.push(callback);
    // What was asked for before is drawn first.
    new Promise((resolve) => drawNow(() => resolve(null)));
  `);
  return async () => {
    await page.evaluate(`
      requestAnimationFrame = drawNow;
      drawnLater.forEach((callback) => requestAnimationFrame(callback));
    `);
  };
}

/** The map as it is drawn, made small, as text. */
export async function pixels(page: Page): Promise<string> {
  const read = `new Promise((resolve) => requestAnimationFrame(() => {
    const small = document.createElement('canvas');
    [small.width, small.height] = [200, 150];
    const context = small.getContext('2d');
    context.drawImage(document.querySelector('canvas.map'), 0, 0, 200, 150);
    resolve(Array.from(context.getImageData(0, 0, 200, 150).data).join());
  }))`;
  return (await page.evaluate(read)) as string;
}

/** Every state of the connection that the page says from now on, in order, the present one first. */
export async function recordStates(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`
    window.statesSaid = [];
    const chip = document.querySelector('.status');
    const note = () => {
      if (chip.dataset.state !== statesSaid.at(-1)) statesSaid.push(chip.dataset.state);
    };
    new MutationObserver(note).observe(chip, { attributes: true });
    note();
  `);
  return async () => (await page.evaluate('statesSaid')) as string[];
}
