import { expect, test } from 'vitest';
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
  await form.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
  await form.getByRole('button', { name: 'Remove authorization' }).waitFor();
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
