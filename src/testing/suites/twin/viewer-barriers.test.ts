import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { barriers } from '../../rigs/barriers.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { useTwin, vinOf } from './api.ts';
import {
  crashedWorld,
  display,
  openCity,
  undrawn,
  until,
  untilAllIsKnown,
  untilState,
  visitor,
} from './viewer-visitor.ts';
import type { Incident, World } from './wire.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const api = useTwin();
let browser: TestBrowser;
let world: World;
let incident: Incident;
beforeAll(async () => {
  ({ world, incident } = await crashedWorld(api, ({ failures }) => failures.length > 0));
  browser = await openBrowser(api.url, { hasWebGL: false });
});
afterAll(async () => {
  await browser.close();
});

/** What one comes to see, from the page as it is opened. */
const STATES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'the first look': (page) => untilState(page, 'live'),
  'the offer to switch something off': async (page) => {
    // Where no car can brake, hardly anything is at stake beside.
    const { id } = await api.makeWorld({ seed: 5, start_tick: 500 });
    await page.goto(`${api.url}/worlds/${id}`);
    await untilState(page, 'live');
    await page.getByRole('button', { name: 'Show me' }).click();
    await page.getByRole('button', { name: /^Switch off / }).waitFor();
  },
  'a car with a degraded feature': async (page) => {
    await page.evaluate(`location.hash = 'car=${vinOf(world, 2)}'`);
    await page.getByText('Lacks brakes').first().waitFor();
  },
  'the cars': (page) => openPanel(page, 'Cars', 'Cars'),
  'the events': (page) => openPanel(page, 'Events', 'Events, newest first'),
  'the incidents': (page) => openPanel(page, 'Incidents', 'Incidents, newest first'),
  'a replay': async (page) => {
    await page.evaluate(`location.hash = 'incident=${incident.id}'`);
    await until(page, 'viewer.replay?.with?.length > 0');
  },
  'a moment of the past': async (page) => {
    await untilAllIsKnown(page);
    await page.getByRole('slider', { name: 'Moment', exact: true }).fill('800');
    await until(page, 'viewer.past?.frame === 800');
    await page.getByRole('toolbar', { name: 'What happened' }).getByRole('button').first().focus();
  },
  'what might have been': async (page) => {
    await untilAllIsKnown(page);
    await page.evaluate(`location.hash = 'car=${vinOf(world, 2)}'`);
    await page.getByRole('button', { name: 'What if…' }).click();
    const panel = page.getByRole('region', { name: 'What if…' });
    await panel.getByRole('button', { name: 'Blind' }).click();
    await until(page, 'viewer.whatIf?.collisions !== null && viewer.whatIf.without !== null');
  },
  help: async (page) => {
    await page.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('heading', { name: 'Sensors' }).waitFor();
  },
  'the choice of a city': async (page) => {
    await page.getByRole('button', { name: 'New city' }).click();
    await page.getByRole('button', { name: /^Compact old town/ }).waitFor();
  },
  'a city that is gone': async (page) => {
    await page.goto(`${api.url}/worlds/0000000000`);
    await untilState(page, 'gone');
    await page.getByRole('heading', { name: 'This city is gone' }).waitFor();
  },
};

/** A panel with a list; one that is open stays so. */
async function openPanel(page: Page, name: string, list: string): Promise<void> {
  const button = page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name });
  if ((await button.getAttribute('aria-pressed')) === 'false') await button.click();
  await page.getByRole('list', { name: list }).waitFor();
}

const SIZES: Readonly<Record<string, BrowserContextOptions>> = {
  phone: { viewport: { width: 390, height: 844 } },
  desktop: { viewport: { width: 1440, height: 900 } },
};

describe.each(Object.keys(SIZES))('on a %s nothing serious stands in the way of', (size) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await visitor(browser, { ...SIZES[size], reducedMotion: 'reduce' });
  });
  afterAll(() => context.close());

  test.each(Object.keys(STATES))('[P15] %s, light and dark', async (name) => {
    const page = await openCity(context, `${api.url}/worlds/${world.id}`);
    await STATES[name]?.(page);
    expect(await barriers(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
    expect(await barriers(page, 'colours')).toEqual([]);
    await page.close();
  });
});

describe('by keyboard alone', () => {
  let page: Page;
  beforeAll(async () => {
    const context = await visitor(browser);
    page = await openCity(context, `${api.url}/worlds/${world.id}`);
    await untilState(page, 'live');
  });
  afterAll(() => page.context().close());

  test('[P14] a car is searched, picked and switched', async () => {
    await page.keyboard.press('/');
    const { plate = '', vin } = world.fleet[11] ?? {};
    await page.keyboard.type(plate);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await until(page, `viewer.picked === '${vin}'`);
    const esc = page.getByRole('switch', { name: /^ESC/ });
    await esc.waitFor();
    const focused = () => page.evaluate('document.activeElement.dataset.feature');
    while ((await focused()) !== 'esc') await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.locator('[data-feature="esc"][aria-checked="false"][aria-busy="false"]').waitFor();
    const state = await api.vehicle('FeatureState', vin ?? '', '/features');
    expect(state.declared.esc).toBe(false);
  });

  test('what is typed at once is searched, also where the cars were not on show', async () => {
    const search = page.getByRole('searchbox', { name: 'Search by plate, model or VIN' });
    await search.fill('');
    const cars = page
      .getByRole('navigation', { name: 'Panels' })
      .getByRole('button', { name: 'Cars' });
    await cars.click();
    await page.locator('#fleet-search').waitFor({ state: 'hidden' });
    const draw = await undrawn(page);
    await page.keyboard.press('/');
    await page.keyboard.type('np');
    await draw();
    expect(await search.inputValue()).toBe('np');
    expect((await display(page)).picked).toBe(vinOf(world, 11));
    await search.fill('');
    await page.keyboard.press('Tab');
  });

  test('the next and the one before are picked, and let go', async () => {
    await page.keyboard.press('n');
    expect((await display(page)).picked).toBe(vinOf(world, 12));
    await page.keyboard.press('p');
    await page.keyboard.press('p');
    expect((await display(page)).picked).toBe(vinOf(world, 10));
    await page.keyboard.press('Escape');
    expect((await display(page)).picked).toBeNull();
  });

  test('a replay is played, stopped and moved', async () => {
    await page.evaluate(`location.hash = 'incident=${incident.id}'`);
    const scrubber = page.getByRole('slider', { name: 'Moment of the replay' });
    await scrubber.waitFor();
    await scrubber.focus();
    await page.keyboard.press('Home');
    await until(page, 'viewer.tick === viewer.replay.firstTick && !viewer.replay.isPlaying');
    await page.keyboard.press('ArrowRight');
    await until(page, 'viewer.tick === viewer.replay.firstTick + 4');
    expect(await scrubber.getAttribute('aria-valuetext')).toMatch(/^7\.9 s before the contact$/);
    await page.keyboard.press('.');
    await until(page, 'viewer.tick === viewer.replay.firstTick + 24');
    await page.keyboard.press('Escape');
    await until(page, 'viewer.replay === null');
  });

  test('a replay that has just begun is stopped', async () => {
    const draw = await undrawn(page);
    await page.evaluate(`location.hash = 'incident=${incident.id}'`);
    await until(page, `document.querySelector('.scrubber input') !== null`);
    await page.evaluate(`document.querySelector('.scrubber input').focus()`);
    expect((await display(page)).replay?.isPlaying).toBe(true);
    await page.keyboard.press('Home');
    expect((await display(page)).replay?.isPlaying).toBe(false);
    await draw();
    await until(page, 'viewer.tick === viewer.replay.firstTick');
    await page.keyboard.press('Escape');
    await until(page, 'viewer.replay === null');
  });

  test('help is opened and closed', async () => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Help' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});
