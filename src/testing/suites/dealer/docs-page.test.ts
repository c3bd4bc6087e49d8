import { expect, test } from 'vitest';
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

test.each([
  ['a desktop', { width: 1280, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
])('[P29] nothing serious stands in the way of a reader on %s', async (_, viewport) => {
  const { browser, node } = served;
  const page = await (await browser.visit({ viewport })).newPage();
  await page.goto(`${node.dealerUrl}/docs`);
  const operation = page.locator('#operations-customers-listCustomers');
  await operation.waitFor();
  expect(await barriers(page)).toEqual([]);
  // No wider than the screen.
  const widthPx = await page.evaluate('document.documentElement.scrollWidth');
  expect(widthPx).toBeLessThanOrEqual(viewport.width);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .response').waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.locator('button.authorize').first().click();
  await page.locator('.auth-container').first().waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).first().click();
  const elsewhere = page.getByRole('navigation', { name: 'Elsewhere' }).getByRole('link');
  expect(await elsewhere.count()).toBe(2);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForTimeout(100);
  const { DOCS_DARK: path } = process.env;
  if (path) await page.screenshot({ path: `${path}-${viewport.width}.png` });
  await page.context().close();
});
