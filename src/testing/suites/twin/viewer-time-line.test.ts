import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { until as untilTrue } from '../../rigs/until.ts';
import { useTwin, vinOf } from './api.ts';
import { recklessJournal } from './reckless.ts';
import {
  display,
  firstVisit,
  mapless,
  openCity,
  until,
  untilAllIsKnown,
} from './viewer-visitor.ts';
import type { World } from './wire.ts';

// A busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const api = useTwin();
let browser: TestBrowser;
let world: World;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser(api.url, { hasWebGL: false });
  // Collisions come by themselves in it.
  world = await api.makeWorld({ journal: recklessJournal(), start_tick: 3000 });
  page = await openLife('');
});
afterAll(async () => {
  await browser.close();
});

/** The city, once it lives in the page. */
async function openLife(behind: string, context?: BrowserContext): Promise<Page> {
  const visit = context ?? (await mapless(browser));
  const opened = await openCity(visit, `${api.url}/worlds/${world.id}${behind}`);
  await untilAllIsKnown(opened);
  return opened;
}

const line = (of: Page) => of.getByRole('slider', { name: 'Moment', exact: true });
const back = (of: Page) => of.getByRole('button', { name: 'Back to live' });
const chip = (of: Page) => of.locator('.status').innerText();

/** The cars on display are where the service says that they were. */
async function expectAsItWas(of: Page, tick: number): Promise<void> {
  await until(of, `viewer.tick === ${tick} && viewer.past.frame === ${tick - (tick % 4)}`);
  const { cars } = await display(of);
  // A busy node lives it for whoever asks again.
  const path = `/api/v1/worlds/${world.id}/state?tick=${tick}`;
  await untilTrue('the state', async () => (await api.ask(path)).status !== 503);
  const { vehicles } = await api.world('State', world, `/state?tick=${tick}`);
  expect(vehicles.length).toBe(20);
  for (const [i, { vin, x, y }] of vehicles.entries()) {
    expect(cars[i]?.vin).toBe(vin);
    expect(Math.hypot((cars[i]?.x ?? 0) - x, (cars[i]?.y ?? 0) - y)).toBeLessThan(0.011);
  }
}

describe('the time line', () => {
  test('[P38] is slim while the city is live, and opens on use', async () => {
    const open = page.getByRole('button', { name: 'Look back' });
    await open.click();
    expect(await open.count()).toBe(0);
    expect(await line(page).getAttribute('aria-valuetext')).toBe('Live');
    expect((await display(page)).past).toBeNull();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await open.waitFor();
  });

  test('[P38] shows the city as it was at any tick, and stands still there', async () => {
    for (const tick of [2600, 4, 1500, 2996]) {
      await line(page).fill(String(tick));
      await expectAsItWas(page, tick);
    }
    expect(await chip(page)).toMatch(/ ago/);
    expect(await line(page).getAttribute('aria-valuetext')).toMatch(
      /^\d+ (minute|second)s?.* ago$/,
    );
    expect((await display(page)).past).toMatchObject({ tick: 2996, isPlaying: false });
  });

  test('[P38] is told to the panels: the speeds are those of the moment', async () => {
    const vin = vinOf(world, 4);
    await page.getByRole('list', { name: 'Cars' }).getByRole('button').nth(4).click();
    await line(page).fill('1600');
    await expectAsItWas(page, 1600);
    const { vehicles } = await api.world('State', world, '/state?tick=1600');
    const speed = vehicles.find((each) => each.vin === vin)?.speed ?? Number.NaN;
    const shown = page.getByRole('region', { name: world.fleet[4]?.plate ?? '' });
    await shown
      .getByText(`${Math.round(speed * 3.6)} km/h`)
      .first()
      .waitFor();
    // The switches act on the live city: there are none for the past.
    expect(await shown.getByRole('switch').count()).toBe(0);
    // The report of a picked car opens by itself when it crashes, and takes the place of the line.
    await shown.getByRole('button', { name: /^Close/ }).click();
    await until(page, 'viewer.picked === null');
  });

  test('[P38] plays at the chosen speed, and is live again where it reaches now', async () => {
    const speed = page.getByRole('combobox', { name: 'Speed' });
    const words = await speed.locator('option').allInnerTexts();
    expect(words).toEqual(['¼ ×', '½ ×', '1 ×', '2 ×', '4 ×', '8 ×', '16 ×']);
    await speed.selectOption('0.25');
    await page.getByRole('button', { name: 'Play the past' }).click();
    await until(page, 'viewer.past.tick > 1610');
    await page.getByRole('button', { name: 'Pause the past' }).click();
    await speed.selectOption('16');
    await page.getByRole('button', { name: 'Play the past' }).click();
    await until(page, 'viewer.past === null && viewer.tick > 3000');
    expect(await chip(page)).toMatch(/^Live/);
  });

  test('[P38] is moved by keys', async () => {
    const left = Math.ceil((await display(page)).tick ?? 0);
    await line(page).focus();
    await page.keyboard.press('Home');
    await until(page, `viewer.tick === 0 && viewer.newest.tick > ${left} + 150`);
    // What has happened since then is the past by now.
    await line(page).fill(String(left + 75));
    await until(page, `viewer.past?.frame !== null && viewer.tick === ${left} + 75`);
    await page.keyboard.press('Home');
    await until(page, 'viewer.tick === 0');
    await page.keyboard.press('PageUp');
    await until(page, 'viewer.tick === 1500');
    await page.keyboard.press('ArrowRight');
    await until(page, 'viewer.tick === 1550');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Space');
    await until(page, 'viewer.past.isPlaying');
    await page.keyboard.press('Space');
    await until(page, '!viewer.past.isPlaying');
    // The live world is beyond the end of the line, which moves in whole seconds.
    await until(page, '[36, 38, 40].includes(viewer.newest.tick % 50)');
    await page.keyboard.press('End');
    await until(page, 'viewer.past === null');
    await page.locator('.map').focus();
    await page.keyboard.press(',');
    await until(page, 'viewer.past !== null && !viewer.past.isPlaying');
    await page.keyboard.press('l');
    await until(page, 'viewer.past === null');
  });

  test('[P39] has marks, which lead to just before what they stand for', async () => {
    const incidents = await api.world('Incidents', world, '/incidents');
    const ticks = incidents.map(({ tick }) => tick);
    expect(ticks.length).toBeGreaterThan(0);
    // The past stands still there, however slow this machine is.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Look back' }).click();
    const marks = page.getByRole('toolbar', { name: 'What happened' }).getByRole('button');
    await page.locator('button.mark[data-kind="incident"]').first().click();
    await until(page, 'viewer.past !== null');
    const { past } = await display(page);
    await page.emulateMedia({ reducedMotion: null });
    const next = ticks.find((tick) => tick > (past?.tick ?? 0));
    expect(next).toBeDefined();
    expect(Number(next) - Number(past?.tick)).toBeLessThanOrEqual(100);
    // One of them is reached by the tab key, the others by the arrows.
    expect(await marks.count()).toBeGreaterThan(1);
    expect(await page.locator('button.mark[tabindex="0"]').count()).toBe(1);
    await marks.first().focus();
    await page.keyboard.press('End');
    expect(await page.evaluate('document.activeElement.tabIndex')).toBe(0);
    await back(page).click();
  });

  test('[P38] gives way to the replay of an incident', async () => {
    const [incident] = await api.world('Incidents', world, '/incidents');
    await line(page).fill('2000');
    await page.evaluate(`location.hash = 'incident=${incident?.id}'`);
    await until(page, 'viewer.replay !== null');
    expect(await line(page).count()).toBe(0);
    await page.keyboard.press('Escape');
    await until(page, 'viewer.replay === null && viewer.past === null');
    await page.getByRole('button', { name: 'Look back' }).waitFor();
  });
});

describe('a link to a moment', () => {
  test('[P22, P39] opens the city there, stopped, and invites to nothing', async () => {
    const opened = await openLife('#tick=1236', await firstVisit(await mapless(browser)));
    await expectAsItWas(opened, 1236);
    expect((await display(opened)).past).toMatchObject({ isPlaying: false });
    await back(opened).click();
    await until(opened, 'viewer.past === null');
    expect(await opened.locator('.demonstration').count()).toBe(0);
    await opened.context().close();
  });

  test('[P39] is what is shared there', async () => {
    await page.evaluate(`
      navigator.clipboard.writeText = async (text) => { window.copied = text; };
      null;
    `);
    await untilAllIsKnown(page);
    await line(page).fill('2400');
    await page.getByRole('button', { name: 'Share this moment' }).click();
    await until(page, `window.copied?.includes('tick=2400')`);
    await back(page).click();
  });

  test('[P39] to none says so, and shows what is live', async () => {
    const opened = await openLife('#tick=900000');
    await opened.getByText(/^The link leads to a moment .* after now/).waitFor();
    expect((await display(opened)).past).toBeNull();
    await opened.context().close();
  });
});

describe('what if', () => {
  const panel = () => page.getByRole('region', { name: 'What if…' });
  const vin = () => vinOf(copied, 2);
  /** One in which hardly anything happens by itself. */
  let copied: World;
  beforeAll(async () => {
    await page.context().close();
    copied = await api.makeWorld({ seed: 8, city: 'grid', start_tick: 4000 });
    page = await openCity(await mapless(browser), `${api.url}/worlds/${copied.id}`);
    await untilAllIsKnown(page);
  });

  test('[P40] takes a copy of a moment, in which cars are switched', async () => {
    await line(page).fill('1200');
    await until(page, 'viewer.past?.frame === 1200');
    await page.getByRole('button', { name: 'What if…' }).click();
    await until(page, 'viewer.whatIf?.fromTick === 1200 && viewer.tick === 1200');
    await panel().getByRole('combobox', { name: 'Car' }).selectOption(vin());
    await panel().getByRole('switch', { name: 'On all cars' }).click();
    await panel().getByRole('button', { name: 'No brakes' }).click();
    await until(page, 'viewer.whatIf.collisions?.length > 0 && viewer.whatIf.without !== null');
    const { whatIf } = await display(page);
    expect(whatIf?.switchings.length).toBe(20);
    await panel()
      .getByText(/^Within 1 min: \d+ collisions? in the copy, .* in the city\.$/)
      .waitFor();
    const brakes = panel().getByRole('switch', { name: /^Brakes/ });
    expect(await brakes.getAttribute('aria-checked')).toBe('false');
    // Nobody else sees it.
    expect((await api.world('Journal', copied, '/journal')).changes).toEqual([]);
  });

  test('[P40] plays it, with the world as ghosts', async () => {
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('4');
    await page.getByRole('button', { name: 'Play the copy' }).click();
    await until(page, 'viewer.whatIf.tick > 2400');
    await page.getByRole('button', { name: 'Pause the copy' }).click();
    const tick = 2400;
    await page.getByRole('slider', { name: 'Moment of the copy' }).fill(String(tick));
    await until(page, `viewer.tick === ${tick} && viewer.ghosts.length === 20`);
    const { cars, ghosts } = await display(page);
    const { vehicles } = await api.world('State', copied, `/state?tick=${tick}`);
    const awayM = (of: typeof cars) =>
      vehicles.map(({ x, y }, i) => Math.hypot((of[i]?.x ?? 0) - x, (of[i]?.y ?? 0) - y));
    expect(Math.max(...awayM(ghosts))).toBeLessThan(0.011);
    expect(Math.max(...awayM(cars))).toBeGreaterThan(1);
  });

  test('[P40] leads to its collisions', async () => {
    const jump = panel()
      .getByRole('button', { name: /^Jump there/ })
      .first();
    await jump.click();
    const { whatIf } = await display(page);
    const [id = ''] = whatIf?.collisions ?? [];
    const tick = Number(/^i(\d+)-/.exec(id)?.[1]);
    expect(tick - (whatIf?.tick ?? 0)).toBeGreaterThan(0);
    expect(tick - (whatIf?.tick ?? 0)).toBeLessThanOrEqual(100);
  });

  test('[P40] says why it cannot be made real', async () => {
    await page.route('**/api/v1/worlds', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '7' },
        json: {
          error: 'rate_limited',
          hint: 'This address makes too many worlds; try again later.',
        },
      }),
    );
    await panel().getByRole('button', { name: 'Make it real' }).click();
    await panel().getByText('This could not be made real.').waitFor();
    await panel().getByText('Please wait 7 seconds').waitFor();
    await page.unroute('**/api/v1/worlds');
  });

  test('[P40] is closed, and the moment is there again', async () => {
    await page.keyboard.press('Escape');
    await until(page, 'viewer.whatIf === null && viewer.past.tick === 1200');
    await back(page).click();
  });

  test('[P40] of what is live becomes a world of its own', async () => {
    const reading = Promise.withResolvers<void>();
    await page.route('**/journal', async (route) => {
      await reading.promise;
      await route.continue();
    });
    await page.locator('.map').focus();
    await page.keyboard.press('w');
    await until(page, 'viewer.whatIf !== null && viewer.past === null');
    await panel().getByRole('combobox', { name: 'Car' }).selectOption(vin());
    const aeb = panel().getByRole('switch', { name: /^AEB/ });
    // Nobody knows yet how it was switched before.
    expect(await aeb.isDisabled()).toBe(true);
    reading.resolve();
    await aeb.click();
    await page.unroute('**/journal');
    await until(page, 'viewer.whatIf.collisions !== null && viewer.whatIf.without !== null');
    const { whatIf } = await display(page);
    await panel().getByRole('button', { name: 'Make it real' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(copied.id), { waitUntil: 'commit' });
    const id = /worlds\/(\w+)/.exec(page.url())?.[1] ?? '';
    const real = await api.get('World', `/api/v1/worlds/${id}`);
    expect(new URL(page.url()).hash).toBe(`#car=${vinOf(real, 2)}`);
    const { changes } = await api.world('Journal', real, '/journal');
    const [switching] = whatIf?.switchings ?? [];
    expect(changes).toEqual([{ tick: switching?.tick, car: 2, features: { aeb: false } }]);
    await until(page, 'viewer.tick > 0');
  });
});
