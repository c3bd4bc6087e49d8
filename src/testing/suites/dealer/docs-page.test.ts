import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { barriers } from '../../rigs/barriers.ts';
import { serveConsole } from '../../rigs/console.ts';

const served = serveConsole();

test('[P19] an admin logs in on the page of the documentation and sees the customers', async () => {
  const { browser, node } = served;
  const page = await browser.context.newPage();
  await page.goto(`${node.dealerUrl}/docs`);

  await page.locator('button.authorize.unlocked').first().click();
  const form = page.locator('.auth-container', { hasText: 'OAuth2, password' });
  await form.locator('#oauth_username').fill('admin');
  await form.locator('#oauth_password').fill('admin-demo');
  await form.getByRole('button', { name: 'Authorize', exact: true }).click();
  await form.getByRole('button', { name: 'Logout' }).waitFor();
  await form.getByRole('button', { name: 'Close' }).click();

  const operation = page.locator('#operations-customers-listCustomers');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table .response');
  await answer.waitFor();
  expect(await answer.locator('.response-col_status').innerText()).toMatch(/^200/);
  const shown = await answer.locator('.highlight-code code').first().innerText();
  const customers = JSON.parse(shown) as { username: string; role: string }[];
  expect(customers.length).toBe(24);
  expect(customers.map(({ username }) => username)).toContain('anna');

  expect(browser.foreign).toEqual([]);
  expect(browser.complaints).toEqual([]);
  const { DOCS_SCREENSHOT: path } = process.env;
  if (path) await page.screenshot({ path, fullPage: true });
});

const SIZES = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const;
/** An operation that is executed, and one that is only opened. */
const SERVICES = {
  dealer: ['#operations-customers-listCustomers', '#operations-log-in-logIn'],
  twin: ['#operations-catalogue-listFeatures', '#operations-vehicle-putFeature'],
} as const;
type ServiceName = keyof typeof SERVICES;
type Size = keyof typeof SIZES;

/** Luminance, 0 to 255, above which a pixel is light. */
const LIGHT = 128;

/** How much of what is painted is light, 0 to 1. */
async function lightShare(page: Page): Promise<number> {
  const picture = await page.screenshot({ scale: 'css' });
  const read = `(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture.toString('base64')}';
    await image.decode();
    const { width, height } = image;
    const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let light = 0;
    for (let i = 0; i < data.length; i += 4)
      if (0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2] > ${LIGHT}) light++;
    return light / (width * height);
  })()`;
  return (await page.evaluate(read)) as number;
}

async function useTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const theme = colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)';
  await page.locator(theme).waitFor({ state: 'attached' });
}

describe.each(Object.keys(SERVICES) as ServiceName[])('[P29] the page of the %s', (service) => {
  test.each(Object.keys(SIZES) as Size[])(
    'has no barrier on a %s, fits it, and is painted light or dark',
    async (size) => {
      const { browser, node } = served;
      const page = await (await browser.visit({ ...SIZES[size], colorScheme: 'dark' })).newPage();
      await page.goto(`${service === 'dealer' ? node.dealerUrl : node.twinUrl}/docs`);
      const [ofExecuted, ofOther] = SERVICES[service];
      const [operation, other] = [page.locator(ofExecuted), page.locator(ofOther)];
      for (const each of [other, operation]) {
        await each.locator('.opblock-summary-control').click();
        await each.getByRole('button', { name: 'Try it out' }).click();
      }
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table .response').waitFor();
      const elsewhere = page.getByRole('navigation', { name: 'Elsewhere' }).getByRole('link');
      expect(await elsewhere.count()).toBe(2);
      // No wider than the screen, and not made smaller to be so.
      const { width } = SIZES[size].viewport;
      expect(await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual([
        width,
        width,
      ]);

      expect(await barriers(page)).toEqual([]);
      expect(await lightShare(page)).toBeLessThan(0.2);
      // Nothing else depends on the size.
      if (size === 'phone') return page.context().close();
      await useTheme(page, 'light');
      expect(await barriers(page, 'colours')).toEqual([]);
      expect(await lightShare(page)).toBeGreaterThan(0.8);

      await page.locator('button.authorize').first().click();
      await page.locator('.auth-container').first().waitFor();
      expect(await barriers(page)).toEqual([]);
      await useTheme(page, 'dark');
      expect(await barriers(page, 'colours')).toEqual([]);
      return page.context().close();
    },
  );
});
