import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { useTwin } from './api.ts';
import {
  crashedWorld,
  display,
  mapless,
  NO_WORKER,
  openCity,
  until,
  untilState,
} from './viewer-visitor.ts';
import type { Incident, Replay, World } from './wire.ts';

// What a browser does on a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** Time for more than a hundred collisions of cars that cannot brake. */
const BUSY_TICKS = 24_000;
/** A frame of a replay. */
const FRAME_TICKS = 4;

const api = useTwin();
let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser(api.url, { hasWebGL: false });
});
afterAll(async () => {
  await browser.close();
});

describe('a replay', () => {
  let world: World;
  let incident: Incident;
  let replay: Replay;
  let page: Page;
  beforeAll(async () => {
    ({ world, incident } = await crashedWorld(api, ({ failures }) => failures.length > 0));
    replay = await api.world('Replay', world, `/incidents/${incident.id}/replay`);
    const context = await mapless(browser, { reducedMotion: 'reduce' });
    page = await openCity(context, `${api.url}/worlds/${world.id}?incident=${incident.id}`);
    await until(page, 'viewer.replay?.with?.length > 0');
  });
  afterAll(() => page.context().close());

  /** Goes there, and returns the plates of the cars that the list calls crashed. */
  async function crashedAt(moment: number): Promise<string[]> {
    await page.getByRole('slider', { name: 'Moment of the replay' }).fill(String(moment));
    await until(page, `Math.abs(viewer.tick - ${moment}) < ${FRAME_TICKS}`);
    const { tick } = await display(page);
    const frame = replay.frames.findLast((each) => each.tick <= (tick ?? 0));
    const vins = frame?.vehicles.filter(({ status }) => status === 'crashed');
    const plateOf = (vin: string) => world.fleet.find((car) => car.vin === vin)?.plate ?? '';
    const rows = page.getByRole('list', { name: 'Cars' }).getByRole('button');
    const said = async () =>
      (await rows.filter({ hasText: 'Crashed' }).locator('.plate').allInnerTexts()).toSorted();
    await expect.poll(said).toEqual(vins?.map(({ vin }) => plateOf(vin)).toSorted());
    return said();
  }

  test('[P24] says that it is one, and its list has the states of the moment that it shows', async () => {
    const chip = page.locator('.status');
    expect(await chip.innerText()).toMatch(/^Replay/);
    expect(await chip.getAttribute('data-shows')).toBe('replay');
    const first = await crashedAt(replay.frames[0]?.tick ?? 0);
    const last = await crashedAt(replay.frames.at(-1)?.tick ?? 0);
    // What is live cannot be as both.
    expect(last).not.toEqual(first);
    for (const { plate } of incident.vehicles) expect(last).toContain(plate);
  });

  test('[P24] goes a frame back and on', async () => {
    await page
      .getByRole('slider', { name: 'Moment of the replay' })
      .fill(String(incident.tick - 40));
    await until(page, `Math.abs(viewer.tick - ${incident.tick - 40}) < ${FRAME_TICKS}`);
    const { tick } = await display(page);
    await page.getByRole('button', { name: 'One frame back' }).click();
    await until(page, `viewer.tick === ${(tick ?? 0) - FRAME_TICKS}`);
    const on = page.getByRole('button', { name: 'One frame on' });
    await on.click();
    await on.click();
    await until(page, `viewer.tick === ${(tick ?? 0) + FRAME_TICKS}`);
    expect((await display(page)).replay?.isPlaying).toBe(false);
  });

  test('[P24] shows the speed limit beside the speeds, and what a repair costs in units', async () => {
    const map = await api.world('CityMap', world, '/map');
    const limits = map.roads.map(({ speed_limit }) => Math.round(speed_limit * 3.6));
    const plot = page.locator('.plot').filter({ hasText: /^Speed/ });
    expect(await plot.locator('line.threshold').count()).toBe(1);
    const [, limit] = /limit: (\d+)/.exec(await plot.innerText()) ?? [];
    expect(limits).toContain(Number(limit));

    const report = page.getByRole('region', { name: 'Incident' });
    const cost = Math.round(incident.earned.repair_cost).toLocaleString('en-GB');
    await report.getByText(`${cost} units`, { exact: true }).waitFor();
    expect(await report.innerText()).toContain('250 units for each kilojoule');
  });

  test('[P24] is saved as JSON, with the incident and both courses of it', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as JSON' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`incident-${incident.id}.json`);
    const saved = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(saved.incident).toEqual(incident);
    expect(saved.replay).toEqual(replay);
    const { with: features } = saved.counterfactual;
    expect(features.length).toBeGreaterThan(0);
    const path = `/incidents/${incident.id}/replay?with=${features.join()}`;
    expect(saved.counterfactual).toEqual(await api.world('Replay', world, path));
  });
});

describe('the badge of the incidents', () => {
  test('lies beside its icon at more than a hundred of them, and a picked row keeps its tag apart', async () => {
    const changes = Array.from({ length: 20 }, (_, car) => ({
      ...{ tick: 0, car, features: { brakes: false } },
    }));
    const journal = { seed: 8, city: 'grid', changes };
    const world = await api.makeWorld({ journal, start_tick: BUSY_TICKS });
    const page = await openCity(await mapless(browser), `${api.url}/worlds/${world.id}`);
    const badge = page.locator('.count');
    await badge.getByText('99+').waitFor();
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(viewport);
      const icon = await page.locator('.place').filter({ has: badge }).locator('svg').boundingBox();
      const box = await badge.boundingBox();
      const nav = await page.getByRole('navigation', { name: 'Panels' }).boundingBox();
      if (icon === null || box === null || nav === null) throw new Error('a part is not shown');
      expect(box.x).toBeGreaterThanOrEqual(icon.x + icon.width);
      expect(box.x + box.width).toBeLessThanOrEqual(nav.x + nav.width);
      expect(box.y).toBeGreaterThanOrEqual(nav.y);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    const rows = page.getByRole('list', { name: 'Cars' }).getByRole('button');
    const neutral = rows.filter({ hasText: /(Driving|Stopped)$/ }).first();
    const plate = await neutral.locator('.plate').innerText();
    const row = rows.filter({ hasText: plate });
    await row.click();
    const backgrounds = `(() => {
      const row = document.querySelector('.row[aria-pressed="true"]');
      const tag = row.querySelector('.tag:not([data-kind])');
      return tag && [row, tag].map((each) => getComputedStyle(each).backgroundColor);
    })()`;
    const colours = async () => (await page.evaluate(backgrounds)) as string[] | null;
    await expect.poll(colours).toHaveLength(2);
    const [own, tags] = (await colours()) ?? [];
    expect(tags).not.toBe(own);
    expect(tags).not.toBe('rgba(0, 0, 0, 0)');
    await page.context().close();
  });
});

describe('a link', () => {
  test('[P5] to a car that there is not says so, and shows the city', async () => {
    const { id } = await api.makeWorld();
    const context = await mapless(browser);
    const page = await openCity(context, `${api.url}/worlds/${id}#car=XXXXXXXXXXXXXXXXX`);
    await page.getByText('There is no car with this VIN').waitFor();
    await until(page, `viewer.camera === 'city'`);
    await context.close();
  });

  test('says on the screen that the page needs JavaScript where there is none', async () => {
    const { id } = await api.makeWorld();
    const context = await browser.visit({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${api.url}/worlds/${id}`);
    const note = page.locator('noscript > p');
    expect(await note.innerText()).toContain('It needs JavaScript');
    const { y, height } = (await note.boundingBox()) ?? { y: 0, height: 0 };
    expect(height).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(page.viewportSize()?.height ?? 0);
    await context.close();
  });
});

describe('before the first frame', () => {
  /** Sockets that lead nowhere until the page is told otherwise. */
  const NO_SOCKET = `
    const Real = WebSocket;
    window.isCutOff = true;
    window.tries = 0;
    window.WebSocket = class extends Real {
      constructor(url) {
        tries++;
        super(isCutOff ? url.replace(/\\/ws\\/.*/, '/nothing/here') : url);
      }
    };
  `;

  /** Whether the press of the button tries it; not while another try is under way. */
  const PRESSED_TRIES = `(() => {
    const before = tries;
    document.querySelector('.status-note button')?.click();
    return tries > before;
  })()`;

  test('[P10] a service that does not answer is said not to, and is asked again on the word of the visitor', async () => {
    const { id } = await api.makeWorld();
    const context = await mapless(browser);
    await context.addInitScript(NO_SOCKET);
    await context.addInitScript(NO_WORKER);
    await context.route('**/api/**', (route) => route.abort());
    const page = await context.newPage();
    await page.goto(`${api.url}/worlds/${id}`);
    const note = page.locator('.status-note');
    await note.getByText('The service does not answer. The page asks again soon.').waitFor();
    await untilState(page, 'reconnecting');
    await page.evaluate('window.isCutOff = false');
    await context.unroute('**/api/**');
    expect(await note.getByRole('button', { name: 'Try now' }).isEnabled()).toBe(true);
    // At once, not when the page would have tried again by itself.
    await until(page, PRESSED_TRIES);
    await untilState(page, 'live');
    browser.complaints.length = 0;
    await context.close();
  });
});
