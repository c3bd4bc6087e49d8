import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { useTwin, vinOf } from './api.ts';
import {
  crashedWorld,
  firstVisit,
  mapless,
  NO_WORKER,
  offered,
  openCity,
  until,
} from './viewer-visitor.ts';

// What is drawn by the processor of a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const api = useTwin();
let browser: TestBrowser;
let context: BrowserContext;
beforeAll(async () => {
  browser = await openBrowser(api.url, { hasWebGL: false });
});
afterEach(() => context.close());
afterAll(async () => {
  await browser.close();
});

const FEATURES = '**/api/v1/vehicle/features';
const refuse = (route: Route) =>
  route.fulfill({
    status: 503,
    json: { error: 'store_unavailable', hint: 'Nothing was changed.' },
  });
/** Refuses changes of features while `isRefused`, which is told the car. */
async function refuseChanges(page: Page, isRefused: (vin: string) => boolean): Promise<void> {
  await page.route(FEATURES, async (route) => {
    const request = route.request();
    const isChange = request.method() === 'PATCH';
    if (isChange && isRefused(request.headers()['x-vin'] ?? '')) await refuse(route);
    else await route.continue();
  });
}
const toastsOf = (page: Page) => page.locator('.toast');

test('[P22] a feature that cannot be switched off, or on again, is said to be, and can be tried again', async () => {
  const world = await api.makeWorld({ seed: 5, start_tick: 500 });
  context = await firstVisit(await mapless(browser));
  const page = await openCity(context, `${api.url}/worlds/${world.id}`);
  let isRefused = true;
  await refuseChanges(page, () => isRefused);
  const off = await offered(page);
  await off.click();
  await toastsOf(page).getByText('could not be switched. Nothing was changed.').waitFor();
  isRefused = false;
  await off.click();
  await until(page, `viewer.demonstration === 'waiting'`);
  const changes = async () => (await api.world('Journal', world, '/journal')).changes.length;
  await expect.poll(changes).toBe(1);

  isRefused = true;
  // In the card, or beside the report of what has come of it already.
  await page
    .getByRole('button', { name: /on again$/ })
    .first()
    .click();
  const again = toastsOf(page).getByRole('button', { name: 'Try again' });
  await again.waitFor();
  isRefused = false;
  await again.click();
  await toastsOf(page)
    .getByText(/ has its .+ again\.$/)
    .waitFor();
  expect(await changes()).toBe(2);
});

test('[P6] a preset names the car that it was for, and how many of all cars it missed', async () => {
  const world = await api.makeWorld({ seed: 7, start_tick: 500 });
  context = await mapless(browser);
  const page = await openCity(context, `${api.url}/worlds/${world.id}#car=${vinOf(world, 3)}`);
  const preset = page.getByRole('button', { name: 'No brakes' });
  await preset.click();
  const plate = world.fleet[3]?.plate;
  await toastsOf(page).getByText(`No brakes: brakes off on ${plate}.`).waitFor();
  const missed = [vinOf(world, 8), vinOf(world, 11)];
  await refuseChanges(page, (vin) => missed.includes(vin));
  await page.getByRole('switch', { name: 'On all cars' }).click();
  await preset.click();
  await page.getByText('2 of 20 cars could not be switched. Nothing was changed.').waitFor();
  const { changes } = await api.world('Journal', world, '/journal');
  const cars = new Set(changes.map(({ car }) => car));
  expect(cars.size).toBe(18);
});

describe('a replay', () => {
  test('[P9] repeats only the request for its ghost where that failed', async () => {
    const { world, incident } = await crashedWorld(api, ({ failures }) => failures.length > 0);
    context = await mapless(browser);
    await context.addInitScript(NO_WORKER);
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.includes(incident.id))
        asked.push(pathname.split('/').at(-1) + search.slice(0, 5));
    });
    let refused = 0;
    await page.route('**/replay?with=*', (route) =>
      refused++ === 0 ? refuse(route) : route.continue(),
    );
    await page.goto(`${api.url}/worlds/${world.id}#incident=${incident.id}`);
    await until(page, 'viewer.replay?.with?.length > 0');
    expect(asked.filter((each) => each === 'replay?with')).toHaveLength(2);
    expect(asked.filter((each) => each === 'replay')).toHaveLength(1);
    expect(asked.filter((each) => each === incident.id)).toHaveLength(1);
  });
});

describe('a link that is shared', () => {
  /** Seven seconds and a little. */
  const LATER_MS = 9000;

  async function shared(canCopy: boolean): Promise<Page> {
    const world = await api.makeWorld({ seed: 6 });
    context = await mapless(browser);
    await context.addInitScript(`
      navigator.clipboard.writeText = async () => { throw new Error('refused'); };
      document.execCommand = () => ${canCopy};
    `);
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${api.url}/worlds/${world.id}`);
    await page.getByRole('button', { name: 'Share this view' }).click();
    return page;
  }

  test('[P24] stays in the page where it could not be copied', async () => {
    const page = await shared(false);
    const link = toastsOf(page).getByText(/^This is the link: http/);
    await link.waitFor();
    await page.clock.fastForward(LATER_MS);
    expect(await link.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Close this message' }).click();
    await link.waitFor({ state: 'detached' });
  });

  test('[P24] is said to be copied, for a moment', async () => {
    const page = await shared(true);
    const link = toastsOf(page).getByText('The link is copied.');
    await link.waitFor();
    await page.clock.fastForward(LATER_MS);
    await link.waitFor({ state: 'detached' });
  });
});

describe('[P10] on a phone, without the script of the panels', () => {
  const LATER = '**/later-panels-*.js';
  const said = 'This could not be loaded';
  let page: Page;
  beforeEach(async () => {
    const world = await api.makeWorld({ seed: 5 });
    context = await mapless(browser, { viewport: { width: 390, height: 844 } });
    await context.route(LATER, (route) => route.abort());
    page = await openCity(context, `${api.url}/worlds/${world.id}#car=${vinOf(world, 3)}`);
  });

  test('a panel says that it could not be loaded, and can be closed', async () => {
    const panel = page.getByRole('region', { name: said });
    await panel.getByRole('button', { name: 'Load the page again' }).waitFor();
    await panel.getByRole('button', { name: `Close ${said}` }).click();
    await panel.waitFor({ state: 'detached' });
  });

  test('a dialog says so, gives the keys back when it is closed, and is there once the page has it', async () => {
    const dialog = page.getByRole('dialog', { name: said });
    await page.getByRole('button', { name: 'Help' }).click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    await context.unroute(LATER);
    await dialog.getByRole('button', { name: 'Load the page again' }).click();
    await dialog.waitFor({ state: 'detached' });
    await until(page, `viewer.tick > 0`);
    await page.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('heading', { name: 'Sensors' }).waitFor();
  });
});
