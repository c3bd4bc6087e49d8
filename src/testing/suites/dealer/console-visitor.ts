import type { Locator, Page } from 'playwright-core';
import type { Login, ServedConsole } from '../../rigs/console.ts';

/** What a browser writes down of any answer that is no success, foreseen or not. */
const REFUSED = /^Failed to load resource: the server responded with a status of [45]\d\d/;

/** What pages complained of but for answers that were refusals. */
export function complaintsOf({ browser }: ServedConsole): string[] {
  return browser.complaints.filter((complaint) => !REFUSED.test(complaint));
}

/** A machine may be slow, and busy with something else for a while. */
const PATIENCE_MS = 90_000;

/** Opens a page of the console for a visitor of its own: nobody is logged in. */
export async function visit({ browser, node }: ServedConsole, path = ''): Promise<Page> {
  // Tabs of one visitor share their session.
  const context = await browser.visit();
  return open(await context.newPage(), `${node.dealerUrl}/#/${path}`);
}

/** Opens another tab beside a page. */
export async function openBeside(page: Page): Promise<Page> {
  return open(await page.context().newPage(), page.url());
}

async function open(page: Page, url: string): Promise<Page> {
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** Opens a page of the console as somebody who has logged in. */
export async function visitAs(
  served: ServedConsole,
  path: string,
  [username, password]: Login,
): Promise<Page> {
  const page = await visit(served, 'log-in');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
  await page.goto(`${served.node.dealerUrl}/#/${path}`);
  return page;
}

/** What is said to be wrong with a field; empty where nothing is. */
export async function faultOf(field: Locator): Promise<string> {
  return field.evaluate((element) => {
    if (element.getAttribute('aria-invalid') !== 'true') return '';
    const [id = ''] = (element.getAttribute('aria-describedby') ?? '').split(' ');
    return element.ownerDocument.getElementById(id)?.textContent ?? '';
  });
}
