import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { barriers } from '../../rigs/barriers.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { type NodeProcess, startNodeProcess } from '../../rigs/process.ts';
import { TcpProxy } from '../../rigs/tcp-proxy.ts';
import { until as untilTrue } from '../../rigs/until.ts';
import { Api, vinOf } from './api.ts';
import {
  crashedWorld,
  type DrawnCar,
  display,
  mapless,
  openCity,
  pixels,
  recordStates,
  until,
  untilState,
  visitor,
} from './viewer-visitor.ts';
import type { Incident, Replay, World } from './wire.ts';

// What is drawn by the processor of a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let dataDir: string;
let proxy: TcpProxy;
let node: NodeProcess;
let api: Api;
let browser: TestBrowser;
let context: BrowserContext;
/** The city that is watched through the whole story. */
let page: Page;
let world: World;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'twin-viewer-'));
  proxy = await TcpProxy.open();
  await start();
  api = new Api(proxy.url);
  browser = await openBrowser(proxy.url, { hasWebGL: true });
  context = await visitor(browser);
});
afterAll(async () => {
  await browser.close();
  await node.end('SIGKILL');
  proxy.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A node, or the same again: at the same address and with what it had stored. */
async function start(settings: Record<string, string> = {}): Promise<void> {
  const { url } = proxy;
  node = await startNodeProcess({ DATA_DIR: dataDir, PUBLIC_TWIN_URL: url, ...settings });
  proxy.connectTo(node.twinUrl);
}

/** Cars of which one drives: a road of a metre is enough to tell. */
function hasMoved(before: DrawnCar[], after: DrawnCar[]): boolean {
  return after.some(
    (car, i) => Math.hypot(car.x - (before[i]?.x ?? 0), car.y - (before[i]?.y ?? 0)) > 1,
  );
}

async function untilCarsMove(of: Page): Promise<void> {
  const { cars } = await display(of);
  await untilTrue('cars that move', async () => hasMoved(cars, (await display(of)).cars));
}

/** Whether the map stays as it is while some frames are displayed. */
const drawsNothing = (of: Page) =>
  of.evaluate<boolean>(`(async () => {
    const { drawn } = viewer;
    for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
    return viewer.drawn === drawn;
  })()`);

describe('a visit', () => {
  test('begins at / with a city of its own, live, in which cars move', async () => {
    page = await openCity(context, `${proxy.url}/`);
    await untilState(page, 'live');
    const { pathname } = new URL(page.url());
    expect(pathname).toMatch(/^\/worlds\/[0-9a-z]{10}$/);
    world = await api.get('World', `/api/v1${pathname}`);

    const before = await pixels(page);
    await untilCarsMove(page);
    expect(await pixels(page)).not.toBe(before);
  });

  test('[P4] has all twenty cars by plate and model in the document', async () => {
    const list = page.getByRole('list', { name: 'Cars' });
    const rows = await list.getByRole('button').allInnerTexts();
    expect(rows.length).toBe(20);
    for (const [i, { plate, model }] of world.fleet.entries()) {
      expect(rows[i]).toContain(plate);
      expect(rows[i]).toContain(model);
    }
  });

  test('[P4] finds cars by plate, model and VIN', async () => {
    const search = page.getByRole('searchbox', { name: 'Search by plate, model or VIN' });
    const rows = page.getByRole('list', { name: 'Cars' }).getByRole('button');
    const { plate, vin, model } = world.fleet[7] ?? { plate: '', vin: '', model: '' };
    for (const text of [plate, vin.toLowerCase()]) {
      await search.fill(text);
      expect(await rows.count()).toBe(1);
      expect(await rows.innerText()).toContain(plate);
    }
    await search.fill(model);
    expect(await rows.count()).toBe(world.fleet.filter((car) => car.model === model).length);
    await search.fill('');
    expect(await rows.count()).toBe(20);
  });

  test('[P5] follows the car that is picked, and says so in the address', async () => {
    const vin = vinOf(world, 3);
    await page.getByRole('list', { name: 'Cars' }).getByRole('button').nth(3).click();
    await page.getByRole('heading', { name: world.fleet[3]?.plate ?? '' }).waitFor();
    const { picked, camera } = await display(page);
    expect([picked, camera]).toEqual([vin, 'follow']);
    expect(new URL(page.url()).hash).toBe(`#car=${vin}`);
    expect(await page.getByText(vin).count()).toBeGreaterThan(0);
  });
});

describe('a link that is shared', () => {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  /** What the link to what is shown has behind its hash. */
  async function shared(): Promise<URLSearchParams> {
    await page.evaluate(`
      window.copied = undefined;
      navigator.clipboard.writeText = async (text) => { window.copied = text; };
      null;
    `);
    await press('Share this view');
    await until(page, 'window.copied');
    return new URLSearchParams(new URL(String(await page.evaluate('copied'))).hash.slice(1));
  }

  /** The camera of a page is where a view wants it. */
  const isAt = (view: string | null, parts: readonly string[]) =>
    parts
      .map((part, i) => `Math.abs(viewer.pose.${part} - ${view?.split(',')[i]}) < 0.02`)
      .join(' && ');

  test('[P5] keeps the camera over the live city, which the address does not show', async () => {
    const { hash } = new URL(page.url());
    await press('Free');
    await press('Zoom in');
    await press('From above or obliquely');
    const free = await shared();
    const parts = ['x', 'y', 'distance', 'tilt', 'bearing'];
    await until(page, isAt(free.get('view'), parts));
    await press('Chase');
    await press('Zoom in');
    const chase = await shared();
    await until(page, isAt(chase.get('view'), ['distance', 'tilt']));
    expect([free.get('camera'), chase.get('camera')]).toEqual(['city', 'chase']);
    expect(new URL(page.url()).hash).toBe(hash);

    const other = await openCity(context, `${proxy.url}/worlds/${world.id}#${free}`);
    await until(other, isAt(free.get('view'), parts));
    const { camera, picked } = await display(other);
    expect([camera, picked]).toEqual(['city', vinOf(world, 3)]);
    await other.evaluate(`location.hash = '${chase}'`);
    await until(other, `viewer.camera === 'chase'`);
    await until(other, isAt(chase.get('view'), ['distance', 'tilt']));
    await other.close();
    await press('Follow');
  });
});

describe('what the picked car sees', () => {
  test('[P32] is shown on the visitor’s word, with a legend, and again at the next visit', async () => {
    await page.getByRole('button', { name: 'Layers' }).click();
    const isOn = page.getByRole('switch', { name: 'What the car sees' });
    expect(await isOn.getAttribute('aria-checked')).toBe('false');
    expect(await page.evaluate('viewer.sight')).toBeNull();
    await isOn.click();
    await page.getByText('More than one of them').waitFor();
    expect(await barriers(page)).toEqual([]);
    await until(page, `viewer.sight?.vin === '${vinOf(world, 3)}'`);
    await page.getByRole('switch', { name: 'Hazard spots' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Layers' }).click();
    expect(await isOn.getAttribute('aria-checked')).toBe('true');
    const spots = page.getByRole('switch', { name: 'Hazard spots' });
    expect(await spots.getAttribute('aria-checked')).toBe('false');
    await page.keyboard.press('v');
    await until(page, 'viewer.sight === null');
    await spots.click();
    await page.getByRole('button', { name: 'Close the layers' }).click();
  });
});

describe('a switch', () => {
  const aeb = (of: Page) => of.getByRole('switch', { name: /^AEB/ });
  const untilChecked = (of: Page, isOn: boolean) =>
    of.locator(`[data-feature="aeb"][aria-checked="${isOn}"][aria-busy="false"]`).waitFor();
  let other: Page;
  // The map was seen; from here on it is the panels that count, and they come sooner without it.
  beforeAll(async () => {
    const url = page.url();
    await page.close();
    page = await openCity(await mapless(browser), url);
  });

  test('[P6] acts, and is shown to another who watches the same city', async () => {
    other = await openCity(await mapless(browser), page.url());
    await untilChecked(other, true);
    await untilChecked(page, true);

    await aeb(page).click();
    await untilChecked(page, false);
    const state = await api.vehicle('FeatureState', vinOf(world, 3), '/features');
    expect(state.effective.aeb).toBe('off');
    await untilChecked(other, false);
    expect(await aeb(other).innerText()).toContain('Off');
  });

  test('[P7] says what is degraded and why', async () => {
    await page.getByRole('switch', { name: /^Front camera/ }).click();
    const recognition = page.getByRole('switch', { name: /^Traffic light recognition/ });
    await recognition.getByText('Lacks front camera').waitFor();
    expect(await recognition.getAttribute('aria-checked')).toBe('true');
  });

  test('is taken back with all others by the reset', async () => {
    await page.getByRole('button', { name: 'Reset all features to on' }).click();
    await untilChecked(page, true);
    await untilChecked(other, true);
    await other.context().close();
  });

  test('[P6] goes back and says why where it could not be done', async () => {
    const refuse = { status: 503, json: { error: 'store_unavailable', hint: 'Try again later.' } };
    const answered: string[] = [];
    await page.route('**/api/v1/vehicle/features', (route) => {
      answered.push(route.request().method());
      return route.request().method() === 'PATCH' ? route.fulfill(refuse) : route.continue();
    });
    await aeb(page).click();
    await page.getByText('This could not be switched. Try again later.').waitFor();
    await untilChecked(page, true);
    expect(answered).toContain('PATCH');
    await page.unroute('**/api/v1/vehicle/features');
    browser.complaints.length = 0;
  });
});

describe('an incident', () => {
  let crashed: World;
  let crash: Page;
  let incident: Incident;

  // One city at a time: each is drawn all the while.
  beforeAll(() => page.close());
  afterAll(() => crash.close());

  test('made by a prepared journal appears', async () => {
    ({ world: crashed, incident } = await crashedWorld(api, ({ failures }) =>
      failures.some(({ effect }) => effect === 'avoids'),
    ));
    crash = await openCity(context, `${proxy.url}/worlds/${crashed.id}`);
    await crash.getByRole('button', { name: /^Incidents/ }).click();
    const rows = crash.getByRole('list', { name: 'Incidents, newest first' }).getByRole('button');
    await rows.first().waitFor();
    const [vehicle] = incident.vehicles;
    if (vehicle === undefined) throw new Error('an incident has a vehicle');
    const ofStreet = rows.filter({ hasText: incident.place.street });
    const row = ofStreet.filter({ hasText: vehicle.model });
    await row.first().waitFor();
  });

  test('[P8] is opened by its link, with a report', async () => {
    await crash.goto(`${proxy.url}/worlds/${crashed.id}#incident=${incident.id}`);
    await crash.reload();
    const report = crash.getByRole('region', { name: 'Incident' });
    // Without regard to case, and features by their spoken names.
    const sentence = (incident.failures[0]?.explanation ?? '').replaceAll('_', ' ');
    await report.getByText(sentence).waitFor();
    await report.getByText(/^A simulated city: somebody switched off /).waitFor();
    expect(await report.innerText()).toContain(incident.place.street);
    for (const { plate } of incident.vehicles) {
      expect(await report.innerText()).toContain(plate);
    }
  });

  test('[P9] has a replay that plays, with a ghost as it would have been', async () => {
    await until(crash, 'viewer.replay?.with?.length > 0 && viewer.ghosts.length > 0');
    const first = await display(crash);
    expect(first.replay?.incident).toBe(incident.id);
    expect([first.replay?.firstTick, first.replay?.lastTick]).toEqual([
      expect.closeTo(incident.tick - 400, -1),
      expect.closeTo(incident.tick + 100, -1),
    ]);
    if (!first.replay?.isPlaying)
      await crash.getByRole('button', { name: /^Play (the replay|again)$/ }).click();
    await until(crash, `viewer.tick > ${first.tick}`);
    await crash.getByRole('button', { name: /^½/ }).click();
    // The end of it is enough to play at half the speed.
    const nearEnd = (first.replay?.lastTick ?? 0) - 40;
    await crash.getByRole('slider', { name: 'Moment of the replay' }).fill(String(nearEnd));
    if (!(await display(crash)).replay?.isPlaying)
      await crash.getByRole('button', { name: 'Play the replay' }).click();
    await until(crash, 'viewer.tick === viewer.replay.lastTick && !viewer.replay.isPlaying');
    await crash.getByRole('button', { name: 'Play again' }).waitFor();
  });

  test('[P9] is drawn again only where something changes', async () => {
    const standsStill = () => untilTrue('a picture that stands still', () => drawsNothing(crash));
    await standsStill();
    const { drawn } = await display(crash);
    await crash.emulateMedia({ colorScheme: 'dark' });
    await until(crash, `viewer.drawn > ${drawn}`);
    await crash.emulateMedia({ colorScheme: null });
    await standsStill();
    const before = await display(crash);
    const { width = 0, height = 0 } = crash.viewportSize() ?? {};
    await crash.setViewportSize({ width: width - 100, height });
    await until(crash, `viewer.drawn > ${before.drawn}`);
    await crash.setViewportSize({ width, height });
    await standsStill();
  });

  test('[P9] has a ghost whose path is that of the replay with the feature', async () => {
    const { replay } = await display(crash);
    const path = `/incidents/${incident.id}/replay`;
    const was = await api.world('Replay', crashed, path);
    const would = await api.world('Replay', crashed, `${path}?with=${replay?.with?.join()}`);
    const scrubber = crash.getByRole('slider', { name: 'Moment of the replay' });
    const ticks = was.frames.map(({ tick }) => tick);
    for (const tick of [ticks[0], ticks[40], ticks[99], ticks[112], ticks.at(-1)]) {
      await scrubber.fill(String(tick));
      await until(crash, `viewer.tick === ${tick}`);
      const shown = await display(crash);
      for (const ghost of shown.ghosts) expectAt(ghost, would, tick ?? 0);
      for (const car of shown.cars) expectAt(car, was, tick ?? 0, 0.3);
    }
    const end = await display(crash);
    const apart = end.ghosts.map((ghost) => {
      const car = end.cars.find(({ vin }) => vin === ghost.vin);
      return Math.hypot(ghost.x - (car?.x ?? 0), ghost.y - (car?.y ?? 0));
    });
    expect(Math.max(...apart)).toBeGreaterThan(0.5);
  });

  function expectAt(car: DrawnCar, { frames }: Replay, tick: number, withinM = 0.011): void {
    const frame = frames.find((each) => each.tick === tick);
    const vehicle = frame?.vehicles.find(({ vin }) => vin === car.vin);
    expect(Math.hypot(car.x - (vehicle?.x ?? 0), car.y - (vehicle?.y ?? 0))).toBeLessThan(withinM);
  }

  test('is left for what is live', async () => {
    await crash.getByRole('button', { name: 'Back to live' }).click();
    await until(crash, 'viewer.replay === null && viewer.tick > 1500');
  });
});

describe('a connection that is lost', () => {
  beforeAll(async () => {
    page = await openCity(await mapless(browser), `${proxy.url}/worlds/${world.id}`);
    // A browser does not ask again for a script that it could not load.
    const names = `performance.getEntriesByType('resource').map(({ name }) => name)`;
    await until(page, `${names}.some((name) => name.includes('later-panels'))`);
  });

  test('is said to be, until it is there again and goes on', async () => {
    await untilState(page, 'live');
    const states = await recordStates(page);
    const { tick } = await display(page);
    await node.end('SIGKILL');
    await untilState(page, 'reconnecting');
    await start();
    await untilState(page, 'live');
    await until(page, `viewer.tick > ${tick}`);
    await untilCarsMove(page);
    const said = (await states()).filter((state) => state !== 'behind');
    expect(said).toEqual(['live', 'reconnecting', 'live']);
  });

  test('is gone where the city was dropped, and a new one is offered', async () => {
    await node.end('SIGKILL');
    await untilState(page, 'reconnecting');
    await start({ WORLD_IDLE_SECONDS: '1' });
    await untilState(page, 'gone');
    await page.getByRole('heading', { name: 'This city is gone' }).waitFor();
    // A busy machine may take more than a second to open the page of the new one.
    await node.end('SIGKILL');
    await start();
    await page.getByRole('button', { name: 'Make a new city' }).click();
    await page.getByRole('button', { name: /^Compact old town/ }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(world.id), { waitUntil: 'commit' });
    await untilState(page, 'live');
    await page.getByText('Compact old town behind its ramparts').waitFor();
  });

  test('nothing was asked for elsewhere', () => {
    expect(browser.foreign).toEqual([]);
  });
});
