import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { barriers } from '../../rigs/barriers.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { useTwin, vinOf } from './api.ts';
import {
  crashedWorld,
  display,
  firstVisit,
  NO_WORKER,
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

type Step = (page: Page) => Promise<void>;

/** What one comes to see, one after the other, from the page as it is opened. */
const VISITS: Readonly<Record<string, Readonly<Record<string, Step>>>> = {
  'the panels': {
    'the first look': (page) => untilState(page, 'live'),
    'the cars': (page) => openPanel(page, 'Cars', 'Cars'),
    'the events': (page) => openPanel(page, 'Events', 'Events, newest first'),
    'the incidents': (page) => openPanel(page, 'Incidents', 'Incidents, newest first'),
    'a car with a degraded feature': async (page) => {
      await page.evaluate(`location.hash = 'car=${vinOf(world, 2)}'`);
      await page.getByText('Lacks brakes').first().waitFor();
    },
    help: async (page) => {
      await page.getByRole('button', { name: 'Help' }).click();
      await page.getByRole('heading', { name: 'Sensors' }).waitFor();
    },
    'the choice of a city': async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'New city' }).click();
      await page.getByRole('button', { name: /^Compact old town/ }).waitFor();
    },
  },
  'a replay': {
    'with its ghost': async (page) => {
      await page.evaluate(`location.hash = 'incident=${incident.id}'`);
      await until(page, 'viewer.replay?.with?.length > 0');
    },
  },
  'the past': {
    'a moment of it': async (page) => {
      await untilAllIsKnown(page);
      await page.getByRole('slider', { name: 'Moment', exact: true }).fill('800');
      await until(page, 'viewer.past?.frame === 800');
      const marks = page.getByRole('toolbar', { name: 'What happened' });
      await marks.getByRole('button').first().focus();
    },
    'what might have been': async (page) => {
      await page.keyboard.press('l');
      await until(page, 'viewer.past === null');
      await page.evaluate(`location.hash = 'car=${vinOf(world, 2)}'`);
      await page.getByRole('button', { name: 'What if…' }).click();
      const panel = page.getByRole('region', { name: 'What if…' });
      await panel.getByRole('button', { name: 'Blind' }).click();
      await until(page, 'viewer.whatIf?.collisions !== null && viewer.whatIf.without !== null');
    },
  },
  'what there is not': {
    'an unknown car': async (page) => {
      await page.evaluate(`location.hash = 'car=XXXXXXXXXXXXXXXXX'`);
      await page.getByText('There is no car with this VIN').waitFor();
    },
    'an unknown incident': async (page) => {
      await page.evaluate(`location.hash = 'incident=i999999-0'`);
      await page.getByText('There is no such incident in this city').waitFor();
    },
    'a city that is gone': async (page) => {
      await page.goto(`${api.url}/worlds/0000000000`);
      await untilState(page, 'gone');
      await page.getByRole('heading', { name: 'This city is gone' }).waitFor();
    },
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

const STILL = { reducedMotion: 'reduce' } as const;
/** What is said for a moment, for 7 s, is there as long as it is looked at. */
const TOASTS_KEPT = `
  const real = setTimeout;
  window.setTimeout = (run, ms, ...rest) => (ms === 7000 ? 0 : real(run, ms, ...rest));
`;

async function expectNoBarriers(page: Page, state: string): Promise<void> {
  expect({ state, found: await barriers(page) }).toEqual({ state, found: [] });
  await useTheme(page, 'dark');
  const found = await barriers(page, 'colours');
  expect({ state, found, theme: 'dark' }).toEqual({ state, found: [], theme: 'dark' });
  await useTheme(page, 'light');
}

async function useTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, ...STILL });
  await page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' });
}

/** What the service told a page that polls, changed on the way: time passes as the test wants it. */
async function retold(page: Page) {
  const time = { tick: 0, aheadS: 0, leapS: 0 };
  const told = { ...time, stakes: [] as object[], events: [] as object[], isUp: true };
  await page.addInitScript(NO_WORKER);
  await page.routeWebSocket(/\/ws\//, (socket) => socket.close());
  await page.route('**/state', async (route) => {
    if (!told.isUp) return route.abort();
    const response = await route.fetch();
    const state = (await response.json()) as { tick: number };
    told.aheadS += told.leapS;
    told.tick = state.tick + told.aheadS * 50;
    return route.fulfill({ json: { ...state, tick: told.tick } });
  });
  await page.route('**/outlook', (route) =>
    told.stakes.length === 0
      ? route.abort()
      : route.fulfill({ json: { world: world.id, tick: told.tick, outlook: told.stakes } }),
  );
  await page.route('**/events', async (route) => {
    const response = await route.fetch();
    const events = (await response.json()) as object[];
    return route.fulfill({ json: [...events, ...told.events] });
  });
  return told;
}

/** Sees each step of a first visit. */
async function visitFirst(page: Page): Promise<void> {
  const { id, fleet } = await api.makeWorld({ seed: 6, start_tick: 500 });
  const told = await retold(page);
  const card = page.locator('.demonstration');
  const press = (name: string | RegExp) => card.getByRole('button', { name }).click();
  const untilStep = async (step: string) => {
    await until(page, `viewer.demonstration === '${step}'`);
    await expectNoBarriers(page, step);
  };
  await page.goto(`${api.url}/worlds/${id}`);
  await page.locator('.status-note[data-state="polling"]').waitFor();
  await untilStep('invitation');
  await press('Show me');
  await untilStep('failed');

  const stake = { vin: fleet[2]?.vin, feature: 'aeb', time: 30, consequence: 'collision' };
  const deer = { hazard: 'h1', kind: 'deer_crossing', distance: 120 };
  told.stakes.push({ ...stake, ...deer });
  await press('Look again');
  await untilStep('offer');
  // Others take its place, until nobody seems to be there.
  told.leapS = 30;
  await untilStep('passed');
  told.leapS = 0;
  await press('Show me another');
  await press(/^Switch off /);
  await untilStep('waiting');
  told.aheadS += 50;
  await untilStep('nothing');
  await press('Another one');
  await press(/^Switch off /);
  await until(page, `viewer.demonstration === 'waiting'`);
  const happened = { seq: 1e6, tick: told.tick, kind: 'driving', feature: 'aeb', incident: null };
  const message = 'braked late for a deer';
  told.events.push({ ...happened, vin: stake.vin, consequence: 'lane_departure', message });
  await untilStep('told');

  told.isUp = false;
  const note = page.locator('.status-note[data-state="reconnecting"]');
  await note.getByRole('button', { name: 'Try now' }).waitFor();
  await expectNoBarriers(page, 'reconnecting');
}

describe.each(Object.keys(SIZES))('on a %s nothing stands in the way of', (size) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await visitor(browser, { ...SIZES[size], ...STILL });
  });
  afterAll(() => context.close());

  test.each(Object.entries(VISITS))('[P15] %s, light and dark', async (_, steps) => {
    const page = await openCity(context, `${api.url}/worlds/${world.id}`);
    for (const [state, step] of Object.entries(steps)) {
      await step(page);
      await expectNoBarriers(page, state);
    }
    await page.close();
  });

  test('[P15] each step of a first visit, and what is said of the connection, light and dark', async () => {
    const first = await firstVisit(await visitor(browser, { ...SIZES[size], ...STILL }));
    await visitFirst(await first.newPage());
    await first.close();
  });

  test('[P15] a collision that is announced, light and dark', async () => {
    const page = await context.newPage();
    await page.addInitScript(TOASTS_KEPT);
    await page.goto(`${api.url}/worlds/${world.id}`);
    await untilState(page, 'live');
    await page.locator('.toast').filter({ hasText: 'collided' }).waitFor();
    const [newest] = (await api.world('Incidents', world, '/incidents')).toReversed();
    await page.evaluate(`location.hash = 'car=${newest?.vehicles[0]?.vin}'`);
    // Whoever does something is shown no report instead.
    await page.keyboard.press('Shift');
    await page.locator('.panel-foot').getByRole('button', { name: 'See why' }).waitFor();
    await expectNoBarriers(page, 'a crash');
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
    await page.keyboard.press('Space');
    await until(page, 'viewer.tick > viewer.replay.firstTick && viewer.replay.isPlaying');
    await page.keyboard.press('Space');
    await until(page, '!viewer.replay.isPlaying');
    await page.keyboard.press('Home');
    await until(page, 'viewer.tick === viewer.replay.firstTick');
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
