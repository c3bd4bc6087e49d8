import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { carName } from '../../../web/viewer/formatting.ts';
import { overviewOf, project } from '../../../web/viewer/scene/camera.ts';
import { barriers } from '../../rigs/barriers.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { until as untilTrue } from '../../rigs/until.ts';
import { useTwin } from './api.ts';
import {
  crashedWorld,
  display,
  firstVisit,
  offered,
  openCity,
  undrawn,
  until,
  untilAllIsKnown,
  visitor,
} from './viewer-visitor.ts';
import type { Incident, World } from './wire.ts';

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

/** The sign of a spot is about so far above its place. */
const SIGN_RISE_PX = 11;

/** Pixels for a metre, between each two cars that are drawn on the canvas. */
const SCALES = `(() => {
  const { width, height } = document.querySelector('canvas.map').getBoundingClientRect();
  const isShown = ({ xPx, yPx }) =>
    xPx !== null && xPx > 0 && xPx < width && yPx > 0 && yPx < height;
  const cars = viewer.cars;
  const between = (from, to) => {
    const metres = Math.hypot(from.x - to.x, from.y - to.y);
    return Math.hypot(from.xPx - to.xPx, from.yPx - to.yPx) / metres;
  };
  const pairs = (shown) => shown.flatMap((a, i) => shown.slice(i + 1).map((b) => between(a, b)));
  return { shown: pairs(cars.filter(isShown)), all: pairs(cars.filter(({ xPx }) => xPx !== null)) };
})()`;

test('[P22] a first visit on a phone begins obliquely where cars are, and its offer leaves its car free', async () => {
  const world = await api.makeWorld({ seed: 5, start_tick: 500 });
  const options = { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' } as const;
  const context = await firstVisit(await visitor(browser, options));
  const page = await openCity(context, `${api.url}/worlds/${world.id}`);
  // Near enough to tell cars apart, with two of them in view; and what is far is smaller.
  await until(page, `Math.max(0, ...${SCALES}.shown) > 3`);
  const { all } = (await page.evaluate(SCALES)) as { all: number[] };
  expect(Math.max(...all) / Math.min(...all)).toBeGreaterThan(1.5);

  const name = page.getByRole('heading', { name: 'Driving twin' });
  const { width = 0, height = 0 } = (await name.boundingBox()) ?? {};
  expect(width).toBeGreaterThan(40);
  expect(height).toBeGreaterThan(10);

  await offered(page);
  await until(page, 'viewer.picked !== null');
  // The camera is there with the next picture.
  await until(page, CAR_IS_FREE);
  await context.close();
});

/** No part of the page lies over the picked car. */
const CAR_IS_FREE = `(() => {
  const { left, top } = document.querySelector('canvas.map').getBoundingClientRect();
  const { xPx, yPx } = viewer.cars.find(({ vin }) => vin === viewer.picked);
  return document.elementFromPoint(left + xPx, top + yPx)?.className === 'map';
})()`;

describe('the map of a city with collisions', () => {
  let world: World;
  let incident: Incident;
  let page: Page;
  beforeAll(async () => {
    ({ world, incident } = await crashedWorld(api, ({ failures }) => failures.length > 0));
    const context = await visitor(browser, { reducedMotion: 'reduce' });
    page = await openCity(context, `${api.url}/worlds/${world.id}`);
  });
  afterAll(() => page.context().close());

  /** Whether the map is what the pointer would touch there, px of the canvas. */
  async function isMapAt(xPx: number, yPx: number): Promise<boolean> {
    const { x, y } = await canvasBox();
    const hit = `document.elementFromPoint(${x + xPx}, ${y + yPx})?.className === 'map'`;
    return Boolean(await page.evaluate(hit));
  }

  async function canvasBox() {
    const box = await page.locator('canvas.map').boundingBox();
    if (box === null) throw new Error('there is no map');
    return box;
  }

  test('[P32] names the car or spot under the pointer, and explains a spot that is clicked', async () => {
    // The time line comes over the map once the life is known.
    await untilAllIsKnown(page);
    onTestFinished(await undrawn(page));
    const box = await canvasBox();
    const { cars } = await display(page);
    const awayFrom = (xPx: number, yPx: number) =>
      Math.min(...cars.map((car) => Math.hypot((car.xPx ?? 0) - xPx, (car.yPx ?? 0) - yPx)));
    const label = page.locator('.hover-label');

    let named = 0;
    for (const [i, { xPx, yPx }] of cars.entries()) {
      const entry = world.fleet[i];
      if (entry === undefined || xPx === null || yPx === null) continue;
      const others = cars.filter((_, other) => other !== i);
      const isAlone = others.every(
        (car) => Math.hypot((car.xPx ?? 0) - xPx, (car.yPx ?? 0) - yPx) > 5,
      );
      if (!isAlone || !(await isMapAt(xPx, yPx))) continue;
      await page.mouse.move(box.x + xPx, box.y + yPx);
      await label.getByText(carName(entry), { exact: true }).waitFor();
      if (++named === 3) break;
    }
    expect(named).toBe(3);

    const map = await api.world('CityMap', world, '/map');
    const view = { widthPx: box.width, heightPx: box.height };
    const pose = overviewOf(map.bounds, view);
    let explained = 0;
    for (const spot of map.hazards) {
      const place = project(pose, view, spot.x, spot.y, 0);
      const [xPx, yPx] = [place.xPx, place.yPx - SIGN_RISE_PX];
      if (awayFrom(xPx, yPx) < 30 || !(await isMapAt(xPx, yPx))) continue;
      await page.mouse.move(box.x + xPx, box.y + yPx);
      const words = await label.innerText();
      await page.mouse.click(box.x + xPx, box.y + yPx);
      const note = page.locator('.spot-note');
      await note.getByText(spot.description, { exact: true }).waitFor();
      expect(await note.getByRole('heading').innerText()).toBe(words);
      if (explained === 0) expect(await barriers(page)).toEqual([]);
      await note.getByRole('button', { name: 'Close' }).click();
      await note.waitFor({ state: 'detached' });
      if (++explained === 2) break;
    }
    expect(explained).toBe(2);
  });

  test('[P24] saves a replay as a video', async () => {
    await page.evaluate(`location.hash = 'incident=${incident.id}'`);
    await until(page, 'viewer.replay?.with?.length > 0 && viewer.parties !== null');
    // A replay of ten seconds, and more in slow motion, is over sooner where time goes fast.
    await page.evaluate(`
      const draw = requestAnimationFrame;
      let fromMs;
      window.requestAnimationFrame = (callback) =>
        draw((nowMs) => {
          fromMs ??= nowMs;
          callback(fromMs + 8 * (nowMs - fromMs));
        });
      null;
    `);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a video' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`incident-${incident.id}.webm`);
    await page.getByText(`Saved: incident-${incident.id}.webm`).waitFor();
    const video = await readFile(await download.path());
    // WebM begins with the mark of EBML.
    expect(video.subarray(0, 4).toString('hex')).toBe('1a45dfa3');
    expect(video.length).toBeGreaterThan(5000);
    await untilTrue('a button that can be pressed again', () =>
      page.getByRole('button', { name: 'Save as a video' }).isEnabled(),
    );
  });
});
