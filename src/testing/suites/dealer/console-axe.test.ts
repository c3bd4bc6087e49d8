import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { barriers } from '../../rigs/barriers.ts';
import { ADMIN, CUSTOMER, DEALER, serveConsole } from '../../rigs/console.ts';
import { complaintsOf, visit, visitAs } from './console-visitor.ts';

const WIDTHS = [390, 1440];
/** With the rules that are checked in each. */
const SCHEMES = [
  ['light', 'all'],
  ['dark', 'colours'],
] as const;
const LOGINS = { admin: ADMIN, dealer: DEALER, customer: CUSTOMER };

const served = serveConsole();

/**
 * No barriers in both themes and both widths, and nothing wider than the window.
 * @param hasScripts a script of the page notes its theme
 */
async function expectNoBarriers(page: Page, hasScripts = true): Promise<void> {
  const at = page.url();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const [colorScheme, rules] of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (hasScripts) await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
      const found = { at, width, colorScheme, barriers: await barriers(page, rules) };
      expect(found).toEqual({ at, width, colorScheme, barriers: [] });
    }
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect([at, wide]).toEqual([at, Math.min(Number(wide), width)]);
  }
}

/** The same for several pages of one visitor, one after the other. */
async function expectNoBarriersAt(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(`${served.node.dealerUrl}/#/${path}`);
    await expectNoBarriers(await settled(page));
  }
}

/** The page has all that it fetches. */
async function settled(page: Page): Promise<Page> {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  return page;
}

describe('[P16] a visitor meets no barrier', () => {
  test('at any page', async () => {
    const page = await visit(served);
    await expectNoBarriersAt(page, ['', 'dealers', 'sign-up', 'log-in', 'cars']);
  });

  test('[P25] at an address without anything, of both services, which leads on', async () => {
    const page = await served.browser.context.newPage();
    const { dealerUrl, twinUrl } = served.node;
    const addresses = [dealerUrl, twinUrl].flatMap((url) => [`${url}/nothing`, `${url}/worlds/`]);
    for (const address of addresses) {
      const answer = await page.goto(address);
      expect([address, answer?.status()]).toEqual([address, 404]);
      await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
      const links = page.getByRole('link');
      const ways = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')));
      expect(ways).toEqual(['/', '/docs']);
    }
    await expectNoBarriers(page, false);
    await page.getByRole('link', { name: 'Start from the beginning' }).click();
    await page.waitForURL(`${twinUrl}/worlds/*`, { waitUntil: 'commit' });
  });

  test('in a form that was refused', async () => {
    const page = await settled(await visit(served, 'sign-up'));
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await expectNoBarriers(page);
  });
});

test.each([
  ['customer', ['cars', 'cars/DEMCAR00000000001', 'profile', 'nowhere']],
  ['dealer', ['cars', 'cars/DEMCAR00000000001', 'customers', 'customers/anna', 'profile']],
  ['admin', ['dealers', 'cars', 'cars/NONE', 'customers', 'customers/anna', 'platform', 'profile']],
] as const)('as %s no page has a barrier', async (role, paths) => {
  const page = await visitAs(served, '', LOGINS[role]);
  await expectNoBarriersAt(page, paths);
});

describe('[P16] nobody meets a barrier', () => {
  test.each([
    ['dealer', 'cars', ['Owner of AAA 101', 'Remove CGL 989']],
    ['admin', 'dealers', ['New dealer', 'Delete Nordbil']],
  ] as const)('in what opens for the role %s at #/%s by "%s"', async (role, path, names) => {
    const page = await settled(await visitAs(served, path, LOGINS[role]));
    for (const name of names) {
      await page.getByRole('button', { name }).click();
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await expectNoBarriers(page);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });

  test('in what is said of a car that is added, and in the log-in where the session has ended', async () => {
    const page = await settled(await visitAs(served, 'cars', LOGINS.dealer));
    const vin = page.getByLabel('VIN', { exact: true });
    const add = page.getByRole('button', { name: 'Add to fleet' });
    await vin.fill('DEMCAR00000000097');
    await add.click();
    await page.getByText('DEMCAR00000000097 is in the fleet').waitFor();
    await expectNoBarriers(page);
    await vin.fill('abc');
    await add.click();
    await page.getByText('A VIN has 17 letters and digits').waitFor();
    await expectNoBarriers(page);
    await page.route('**/add-to-fleet', (route) => route.fulfill({ status: 401, json: {} }));
    await add.click();
    await page.getByRole('dialog', { name: 'Please log in again' }).waitFor();
    await expectNoBarriers(page);
  });

  test('where many cars are chosen', async () => {
    const page = await settled(await visitAs(served, 'cars', LOGINS.dealer));
    await page.getByRole('button', { name: 'Unlocked' }).click();
    await page.getByRole('button', { name: /^Choose all/ }).click();
    await page.getByRole('button', { name: 'Keep warm' }).waitFor();
    await expectNoBarriers(page);
  });

  test('where something failed, and in what is said of it', async () => {
    const page = await settled(await visitAs(served, 'cars', LOGINS.customer));
    await page.route('**/state', (route) => route.abort());
    await page.getByRole('switch', { name: 'Locked' }).click();
    await page.getByText('could not be switched').waitFor();
    await page.route('**/api/cars', (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').waitFor();
    await expectNoBarriers(page);
  });
});

test('nothing was asked of anybody else, and no page broke its policy', () => {
  expect(served.browser.foreign).toEqual([]);
  expect(complaintsOf(served).filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
});
