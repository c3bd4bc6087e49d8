import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { useTwin, vinOf } from './api.ts';
import {
  crashedWorld,
  firstVisit,
  openCity,
  until,
  untilAllIsKnown,
  visitor,
} from './viewer-visitor.ts';
import type { Incident, World } from './wire.ts';

// What is drawn by the processor of a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const api = useTwin();
let browser: TestBrowser;
let world: World;
let crashed: { world: World; incident: Incident };
beforeAll(async () => {
  browser = await openBrowser(api.url, { hasWebGL: true });
  // Old enough for words that take room.
  world = await api.makeWorld({ seed: 8, start_tick: 60_000 });
  crashed = await crashedWorld(api, ({ failures }) => failures.length > 0);
});
afterAll(async () => {
  await browser.close();
});

const SIZES = [
  [1440, 900],
  [390, 844],
] as const;

/** What lies over the map, and in the header: no part may lie over another one, or beyond the map. */
const PARTS =
  '.demonstration, .camera > *, .time-line, .dock, .status-note, .top h1, .status, .top-actions';
const OVERLAPS = `(() => {
  const parts = [...document.querySelectorAll('${PARTS}')]
    .map((part) => ({
      name: part.className || part.tagName,
      box: part.getBoundingClientRect(),
      isNarrow: part.scrollWidth > part.clientWidth + 1,
      around: part.closest('.stage, .top').getBoundingClientRect(),
    }))
    .filter(({ box }) => box.width > 0);
  const found = parts
    .filter(({ box, around }) =>
      box.left < around.left || box.right > around.right ||
      box.top < around.top || box.bottom > around.bottom)
    .map(({ name }) => name + ' leaves its place');
  if (!parts.some(({ name, box }) => name === 'H1' && box.width > 40 && box.height > 10))
    found.push('the name of the product is not to be seen');
  found.push(...parts.filter(({ isNarrow }) => isNarrow).map(({ name }) => name + ' is cut'));
  parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
    const isBeside = a.box.right <= b.box.left || b.box.right <= a.box.left;
    const isAbove = a.box.bottom <= b.box.top || b.box.bottom <= a.box.top;
    if (!isBeside && !isAbove) found.push(a.name + ' and ' + b.name);
  }));
  return { count: parts.length, found };
})()`;

/** What is free of the map between the header and what covers its lower part, px. */
const FREE_PX = `(() => {
  const edge = (selector, side) => document.querySelector(selector).getBoundingClientRect()[side];
  return Math.min(edge('.dock', 'top'), edge('.stage', 'bottom')) - edge('.top', 'bottom');
})()`;
/** A third of a phone. */
const FREE_MIN_PX = 280;

/** Controls of the map that a message lies over. */
const COVERED = `(() => {
  const toast = document.querySelector('.toast').getBoundingClientRect();
  const controls = [...document.querySelectorAll('.camera button')];
  const covered = controls.filter((control) => {
    const box = control.getBoundingClientRect();
    return box.left < toast.right && toast.left < box.right &&
      box.top < toast.bottom && toast.top < box.bottom;
  });
  return { count: controls.length, covered: covered.map(({ ariaLabel }) => ariaLabel) };
})()`;

async function expectRoom(page: Page, state: string): Promise<void> {
  const { count, found } = (await page.evaluate(OVERLAPS)) as { count: number; found: string[] };
  expect({ state, found }).toEqual({ state, found: [] });
  expect(count).toBeGreaterThan(0);
}

describe.each(SIZES)('at %i × %i', (width, height) => {
  test('[P38] the time line and all else have room beside each other', async () => {
    const options = { viewport: { width, height }, deviceScaleFactor: 0.25 };
    const context = await firstVisit(await visitor(browser, options));
    const page = await openCity(context, `${api.url}/worlds/${world.id}`);
    await untilAllIsKnown(page);
    await page.locator('.time-line').waitFor();
    await page.locator('.demonstration').waitFor();
    await expectRoom(page, 'a first visit');
    await page.getByRole('button', { name: 'Look back' }).click();
    await expectRoom(page, 'a first visit that looks back');
    await page.getByRole('button', { name: 'Just look' }).click();
    await page.getByRole('slider', { name: 'Moment', exact: true }).fill('1000');
    await until(page, 'viewer.past?.frame === 1000');
    await expectRoom(page, 'the past');
    await page.evaluate(`location.hash = 'car=${vinOf(world, 3)}'`);
    await until(page, `viewer.picked === '${vinOf(world, 3)}'`);
    await expectRoom(page, 'the past, with a car');
    await page.keyboard.press('w');
    await until(page, 'viewer.whatIf !== null');
    await expectRoom(page, 'what if');
    await page.keyboard.press('Escape');
    await page.keyboard.press('l');
    await until(page, 'viewer.past === null');
    await expectRoom(page, 'a car');
    await context.close();
  });

  test('[P38] a link to an incident leads to its replay, with room for it and no invitation over it', async () => {
    const options = { viewport: { width, height }, deviceScaleFactor: 0.25 };
    const context = await firstVisit(await visitor(browser, options));
    const link = `${api.url}/worlds/${crashed.world.id}?incident=${crashed.incident.id}`;
    const page = await openCity(context, link);
    await until(page, 'viewer.replay?.with?.length > 0 && viewer.parties !== null');
    await page.getByText('What would have prevented').waitFor();
    expect(await page.locator('.demonstration').count()).toBe(0);
    await expectRoom(page, 'a replay');
    expect(await page.evaluate(FREE_PX)).toBeGreaterThan(FREE_MIN_PX);
    await page.getByRole('button', { name: 'Share this', exact: true }).click();
    await page.locator('.toast').getByText(/link/).waitFor();
    expect(await page.evaluate(COVERED)).toEqual({ count: 8, covered: [] });
    await page.getByRole('button', { name: 'Back to live' }).click();
    await until(page, 'viewer.replay === null');
    expect(await page.locator('.demonstration').count()).toBe(0);
    await context.close();
  });
});
