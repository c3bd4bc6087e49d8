import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CITIES } from '../../../city/catalogue.ts';
import { systemRandom } from '../../../random.ts';
import type { MapPoint } from '../../../web/viewer/api/types.ts';
import { bearingOf, partiesOf, placesIn } from '../../../web/viewer/replay/parties.ts';
import type { Viewport } from '../../../web/viewer/scene/camera.ts';
import { areInView, frame, type Insets, PARTIES } from '../../../web/viewer/scene/framing.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { until as untilTrue } from '../../rigs/until.ts';
import { useTwin, vinOf } from './api.ts';
import {
  crashedWorld,
  firstVisit,
  mapless,
  offered,
  openCity,
  until,
  untilState,
  visitor,
} from './viewer-visitor.ts';
import type { Incident, Replay, World } from './wire.ts';

// What is drawn by the processor of a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const api = useTwin();
let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser(api.url, { hasWebGL: true });
});
afterAll(async () => {
  await browser.close();
});

/** Incidents whose replay is drawn: the processor does it. */
const DRAWN = 3;
/** Incidents of each city whose replays are computed: more than twenty. */
const COMPUTED = 7;
/** Ticks from the contact. */
const MOMENTS = [-250, -50, 0, 50] as const;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

const cardOf = (page: Page) => page.locator('.demonstration');

describe('a first visit', () => {
  test('[P22] leads from one button to what comes of a feature that is off', async () => {
    const world = await api.makeWorld({ seed: 5, start_tick: 500 });
    const context = await firstVisit(await mapless(browser));
    const page = await openCity(context, `${api.url}/worlds/${world.id}`);
    await cardOf(page).getByText('See what happens, and what would have saved it.').waitFor();
    await (await offered(page)).click();
    await until(page, `viewer.demonstration === 'waiting'`);
    const changes = async () => (await api.world('Journal', world, '/journal')).changes.length;
    await untilTrue('a feature that is off', async () => (await changes()) === 1);
    await until(page, `viewer.replay !== null || viewer.demonstration === 'told'`);
    const told = page.getByText(/What would have prevented|That came of it/);
    await told.first().waitFor();
    await context.close();
  });

  test('[P22] is not disturbed by the invitation again, nor where a link leads to something', async () => {
    const world = await api.makeWorld({ seed: 6 });
    const context = await firstVisit(await mapless(browser));
    const linked = await openCity(context, `${api.url}/worlds/${world.id}#car=${vinOf(world, 4)}`);
    await linked.getByRole('switch', { name: /^AEB/ }).waitFor();
    expect(await cardOf(linked).count()).toBe(0);
    await context.close();

    const again = await mapless(browser);
    const page = await openCity(again, `${api.url}/worlds/${world.id}`);
    await untilState(page, 'live');
    expect(await cardOf(page).count()).toBe(0);
    await again.close();
  });

  test('of a city that is gone ends in a new one', async () => {
    const context = await mapless(browser);
    const page = await context.newPage();
    await page.goto(`${api.url}/worlds/0000000000`);
    await page.getByRole('button', { name: 'Make a new city' }).click();
    await page.getByRole('button', { name: /^Compact old town/ }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('0000000000'), { waitUntil: 'commit' });
    await untilState(page, 'live');
    // The world that there is not is what the browser complains of.
    browser.complaints.length = 0;
    await context.close();
  });
});

describe('a collision', () => {
  let world: World;
  let incident: Incident;
  beforeAll(async () => {
    ({ world, incident } = await crashedWorld(api, ({ failures }) => failures.length > 0));
  });

  test('[P23] is announced, and the announcement leads to its report', async () => {
    const page = await openCity(await mapless(browser), `${api.url}/worlds/${world.id}`);
    const toast = page.locator('.toast').filter({ hasText: 'collided' });
    await toast.first().waitFor();
    await toast.last().getByRole('button', { name: 'See why' }).click();
    await page.getByRole('region', { name: 'Incident' }).waitFor();
    await until(page, 'viewer.replay !== null');
    await page.context().close();
  });

  test('[P23] is only spoken while a replay is open, and covers nothing of it', async () => {
    const link = `${api.url}/worlds/${world.id}?incident=${incident.id}`;
    const page = await openCity(await mapless(browser), link);
    await until(page, 'viewer.replay !== null');
    const spoken = page.locator('.toasts .visually-hidden').filter({ hasText: 'collided' });
    await spoken.first().waitFor({ state: 'attached' });
    expect(await page.locator('.toast').filter({ hasText: 'collided' }).count()).toBe(0);
    await page.context().close();
  });

  test('[P23] of the followed car opens its report by itself', async () => {
    const made = await api.makeWorld({
      journal: {
        seed: 9,
        city: 'grid',
        changes: [{ tick: 0, car: 2, features: { brakes: false } }],
      },
    });
    const context = await mapless(browser);
    const page = await openCity(context, `${api.url}/worlds/${made.id}#car=${vinOf(made, 2)}`);
    await until(page, 'viewer.replay !== null');
    const [report] = await api.world('Incidents', made, '/incidents');
    expect(report?.vehicles.some(({ vin }) => vin === vinOf(made, 2))).toBe(true);
    // The panel of the car leads there as well.
    await page.getByRole('button', { name: 'Back to live' }).click();
    const panel = page.getByRole('region', { name: made.fleet[2]?.plate ?? '' });
    await panel.getByRole('button', { name: 'See why' }).click();
    await page.getByRole('region', { name: 'Incident' }).waitFor();
    await context.close();
  });

  describe('in its replay', () => {
    let page: Page;
    beforeAll(async () => {
      const context = await visitor(browser, { reducedMotion: 'reduce' });
      page = await openCity(context, `${api.url}/worlds/${world.id}#incident=${incident.id}`);
    });
    afterAll(() => page.context().close());

    /** The canvas at a size of the window, and what the controls of a replay cover of it. */
    async function freeAt(size: (typeof SIZES)[number]): Promise<Free> {
      await page.setViewportSize(size);
      await until(page, `viewer.parties !== null && ${FREE} !== null`);
      return (await page.evaluate(FREE)) as Free;
    }

    test('[P24] has all parties in view, before, at and after the contact', async () => {
      const all = await api.world('Incidents', world, '/incidents');
      const some = [incident, ...all.filter(({ tick }) => tick > 400)].slice(0, DRAWN);
      for (const [i, { id, tick }] of some.entries()) {
        await page.evaluate(`location.hash = 'incident=${id}'`);
        await until(page, `viewer.replay?.incident === '${id}' && viewer.parties !== null`);
        await freeAt(SIZES[i % SIZES.length] ?? SIZES[0]);
        for (const ticks of MOMENTS) {
          const moment = tick + ticks;
          await page.getByRole('slider', { name: 'Moment of the replay' }).fill(String(moment));
          await until(page, `Math.abs(viewer.tick - ${moment}) < 4`);
          await until(page, ARE_IN_VIEW);
        }
      }
      expect(some.length).toBe(DRAWN);
    });

    test('[P24] has them in view with the ghosts in each city, on a desktop and a phone', async () => {
      const canvases = [await freeAt(SIZES[0]), await freeAt(SIZES[1])];
      // It need not be drawn any more.
      await page.goto('about:blank');
      for (const { name: city } of CITIES) {
        const seed = new DataView(systemRandom.bytes(4).buffer).getUint32(0);
        const changes = Array.from({ length: 20 }, (_, car) => ({
          ...{ tick: 0, car, features: { brakes: false } },
        }));
        const journal = { seed, city, changes };
        const reckless = await api.makeWorld({ journal, start_tick: 6000 });
        const all = await api.world('Incidents', reckless, '/incidents');
        const some = all.filter(({ tick }) => tick > 400).slice(0, COMPUTED);
        const ofWorld = `in ${city} of seed ${seed}`;
        expect(some.length, ofWorld).toBe(COMPUTED);
        for (const each of some) {
          const path = `/incidents/${each.id}/replay`;
          const was = await api.world('Replay', reckless, path);
          const would = await api.world('Replay', reckless, `${path}?with=brakes`);
          for (const ticks of MOMENTS) {
            const places = placesAt(each, each.tick + ticks, was, would);
            expect(places.length).toBeGreaterThan(each.vehicles.length);
            for (const canvas of canvases)
              expect(
                canShow(places, bearingOf(each, was.frames), canvas),
                `${each.id} at ${ticks} ${ofWorld}`,
              ).toBe(true);
          }
        }
      }
    });
  });

  test('[P24] is shared with its moment and its explanation', async () => {
    const context = await mapless(browser);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await openCity(context, `${api.url}/worlds/${world.id}#incident=${incident.id}`);
    await until(page, 'viewer.replay?.with?.length > 0');
    const moment = incident.tick - 24;
    await page.getByRole('slider', { name: 'Moment of the replay' }).fill(String(moment));
    await page.getByRole('button', { name: 'Share this', exact: true }).click();
    const url = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(url).toContain(`incident=${incident.id}`);
    const explained = await page.evaluate('viewer.replay.with');
    const other = await openCity(await mapless(browser), url);
    await until(other, 'viewer.replay?.with?.length > 0');
    // The next picture that is drawn shows it.
    await until(other, `Math.abs(viewer.tick - ${moment}) < 4`);
    const shown = (await other.evaluate('({ replay: viewer.replay })')) as {
      replay: { isPlaying: boolean; with: readonly string[] };
    };
    expect(shown.replay.with).toEqual(explained);
    expect(shown.replay.isPlaying).toBe(false);
    await other.context().close();
    await context.close();
  });
});

/** Parties and their ghosts, all of them, at a tick. */
function placesAt(incident: Incident, tick: number, was: Replay, would: Replay): MapPoint[] {
  const [shown, ghosts] = [was, would].map(
    ({ frames }) => frames.findLast((each) => each.tick <= tick) ?? frames[0],
  );
  if (shown === undefined || ghosts === undefined) throw new Error(`${incident.id} has no frames`);
  const parties = partiesOf(incident);
  const theirs = ghosts.vehicles.filter(({ vin }) => parties.vins.includes(vin));
  const { x, y } = incident.place;
  return placesIn({ ...shown, ghosts: theirs }, parties, [x, y]);
}

interface Free {
  view: Viewport;
  insets: Insets;
}

/** Whether the camera of a replay finds a place from which all is in the free part of a canvas. */
function canShow(places: readonly MapPoint[], bearing: number, { view, insets }: Free): boolean {
  const pose = { x: 0, y: 0, z: 0, distance: 1, tilt: PARTIES.tilt, bearing };
  frame(pose, view, places, { insets, radiusM: PARTIES.radiusM, least: PARTIES.leastM });
  return areInView(pose, view, places, insets, PARTIES.radiusM);
}

/** The canvas as it is laid out, once the camera knows its size; null before. */
const FREE = `(() => {
  const { left, right, top, bottom } = viewer.parties.free;
  const canvas = document.querySelector('canvas.map');
  const dockTop = document.querySelector('.dock').getBoundingClientRect().top;
  const lowest = dockTop - canvas.getBoundingClientRect().top;
  const { clientWidth: widthPx, clientHeight: heightPx } = canvas;
  if (left + right !== widthPx || bottom > lowest) return null;
  return { view: { widthPx, heightPx }, insets: { top, bottom: heightPx - bottom, side: left } };
})()`;

/** In the part of the canvas that neither a margin nor the controls of the replay cover. */
const ARE_IN_VIEW = `(() => {
  const { left, right, top, bottom } = viewer.parties.free;
  const canvas = document.querySelector('canvas.map').getBoundingClientRect();
  const dock = document.querySelector('.dock').getBoundingClientRect();
  const lowest = Math.min(bottom, dock.top - canvas.top);
  return viewer.parties.places.every(
    ({ xPx, yPx, depth }) =>
      depth > 0 && xPx >= left && xPx <= right && yPx >= top && yPx <= lowest,
  );
})()`;
