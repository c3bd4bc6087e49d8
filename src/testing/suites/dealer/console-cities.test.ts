import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { DEALER, serveConsole } from '../../rigs/console.ts';
import { Api } from '../twin/api.ts';
import type { World } from '../twin/wire.ts';
import { visitAs } from './console-visitor.ts';
import { DealerApi } from './dealer-api.ts';

const served = serveConsole();

/** More than are read at a time, and more than a low window shows. */
const CITIES = 12;
const LOW = { width: 1280, height: 700 };
const DRIVES = /(\d+ km\/h|standing|crashed), \S/;

let worlds: World[];
beforeAll(async () => {
  const twin = new Api(served.node.twinUrl);
  const dealers = new DealerApi(served.node.dealerUrl);
  const token = await dealers.logIn('nordbil', 'dealer');
  worlds = [];
  for (let i = 0; i < CITIES; i++) {
    const world = await twin.makeWorld({ seed: i + 1, start_tick: 500 });
    const json = { vin: world.fleet[0]?.vin };
    await dealers.get('POST /api/cars/add-to-fleet', { token, json });
    worlds.push(world);
  }
});

/** The world that a row leads to. */
async function worldOf(row: Locator): Promise<string> {
  const href = await row.getByRole('link', { name: /^Watch it drive/ }).getAttribute('href');
  return worlds.find(({ id }) => href?.includes(id))?.id ?? '';
}

test('[P30] each of many cities is shown once it is on the screen, and not read before', async () => {
  const page = await visitAs(served, 'cars', DEALER);
  await page.setViewportSize(LOW);
  const read = new Set<string>();
  page.on('request', (request) => {
    const id = /worlds\/(\w+)\/state$/.exec(request.url())?.[1];
    if (id !== undefined) read.add(id);
  });
  // What was on the screen before is read again.
  await page.reload();
  await page.getByRole('button', { name: 'In a city' }).click();
  const rows = page.getByRole('row').filter({ hasText: 'Watch it drive' });
  expect(await rows.count()).toBe(CITIES);
  await rows.first().scrollIntoViewIfNeeded();
  await rows.first().getByText(DRIVES).waitFor();
  const last = rows.last();
  await last.getByText('Asking its city…').waitFor();
  expect(read).not.toContain(await worldOf(last));
  for (let i = 0; i < CITIES; i++) {
    await rows.nth(i).scrollIntoViewIfNeeded();
    await rows.nth(i).getByText(DRIVES).waitFor();
  }
  expect(read.size).toBe(CITIES);
  await page.context().close();
});

test('[P30] a city that does not answer is said not to, and the others are shown', async () => {
  const page = await visitAs(served, 'cars', DEALER);
  await page.setViewportSize({ width: 1280, height: 2400 });
  const [silent] = worlds;
  await page.route(`**/worlds/${silent?.id}/state`, (route) =>
    route.fulfill({ status: 503, json: {}, headers: { 'Access-Control-Allow-Origin': '*' } }),
  );
  await page.getByRole('button', { name: 'In a city' }).click();
  const rows = page.getByRole('row').filter({ hasText: 'Watch it drive' });
  await rows.getByText('Its city does not answer').waitFor();
  await expect.poll(() => rows.getByText(DRIVES).count()).toBe(CITIES - 1);
  const row = rows.filter({ hasText: 'Its city does not answer' });
  expect(await worldOf(row)).toBe(silent?.id);
  await page.context().close();
});

test('[P31] a car that is no longer found is no longer chosen', async () => {
  const page = await visitAs(served, 'cars', DEALER);
  await page.getByRole('button', { name: 'Unlocked' }).click();
  await page.getByRole('button', { name: /^Choose all/ }).click();
  const counted = page.locator('.chosen').getByRole('status').first();
  expect(await counted.innerText()).toMatch(/^\d+ chosen$/);
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await page.getByText(/cars are locked\.$/).waitFor();
  // None of them is unlocked any more.
  await page.getByText('Nothing matches').waitFor();
  expect(await counted.innerText()).toBe('Choose some to switch them together.');
  expect(await page.getByRole('button', { name: 'Unlock', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(/cars are unlocked\.$/).waitFor();
  await page.context().close();
});
