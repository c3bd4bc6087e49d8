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

/** No barriers in both themes and both widths, and nothing wider than the window. */
async function expectNoBarriers(page: Page): Promise<void> {
  const at = page.url();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const [colorScheme, rules] of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
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
    ['dealer', 'cars', 'Owner of AAA 101'],
    ['admin', 'dealers', 'New dealer'],
    ['admin', 'dealers', 'Delete Nordbil'],
  ] as const)('in what opens for a %s at #/%s by "%s"', async (role, path, name) => {
    const page = await settled(await visitAs(served, path, LOGINS[role]));
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor();
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
