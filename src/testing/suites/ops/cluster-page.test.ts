import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TwinError } from '../../../errors.ts';
import { openTestFront, type TestFront } from '../../doubles/test-front.ts';
import { barriers } from '../../rigs/barriers.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { until } from '../../rigs/until.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let opsPort: number;
let browser: TestBrowser;
let front: TestFront;
let page: Page;

// A browser needs to know the one origin that it may load from.
beforeAll(async () => {
  const free = openTestFront();
  opsPort = Number(new URL(free.opsUrl).port);
  await free.close();
  browser = await openBrowser(free.opsUrl, { hasWebGL: false });
});
afterAll(() => browser.close());

beforeEach(async () => {
  front = openTestFront({ opsPort });
  page = await browser.context.newPage();
  page.setDefaultTimeout(90_000);
  await page.goto(`${front.opsUrl}/cluster`);
  await page.getByRole('heading', { name: 'node-1' }).waitFor();
});
afterEach(async () => {
  await page.close();
  await front.close();
});

const cell = (partition: number) =>
  page.getByRole('button', { name: new RegExp(`^Partition ${partition},`) });
const said = (text: string) => page.getByRole('status').getByText(text);

describe('[O14] the page of a cluster', () => {
  test('shows nodes, partitions and moves, and what has become of them', async () => {
    expect(await page.locator('.cell').count()).toBe(64);
    expect(await cell(1).getAttribute('title')).toBe('Partition 1, node-2, 1 worlds, 1 watched');
    const rows = page.getByRole('table', { name: 'Moves' }).getByRole('row');
    expect(await rows.nth(1).innerText()).toMatch(/7\s+node-2\s+node-1\s+handover/);
    expect(await rows.nth(3).innerText()).toMatch(/9\s+gone\s+–\s+lost/);

    front.operator.holders[1] = null;
    front.operator.nodes = front.operator.nodes.slice(0, 2);
    await page.getByRole('button', { name: 'Partition 1, held by nobody' }).waitFor();
    await page.getByRole('heading', { name: 'node-3' }).waitFor({ state: 'detached' });
  });

  test('says that its node does not answer, and goes on when it does', async () => {
    await page.route('**/cluster', (route) => route.abort());
    await page.getByRole('alert').getByText('The node does not answer.').waitFor();
    await page.unroute('**/cluster');
    await page.getByRole('alert').getByText('The node').waitFor({ state: 'detached' });
  });

  test('finds the node of a world', async () => {
    await page.getByLabel('Which node serves a world?').fill('0000000000');
    await page.keyboard.press('Enter');
    await said('0000000000 belongs to partition 0, which node-1 holds.').waitFor();
    expect(await cell(0).getAttribute('data-marked')).toBe('');
    // What is said of it stays as true as the map.
    front.operator.holders[0] = 'node-2:c0ffee';
    await said('0000000000 belongs to partition 0, which node-2 holds.').waitFor();
    expect(await cell(0).getAttribute('data-marked')).toBe('');
    await page.getByLabel('Which node serves a world?').fill('none');
    await page.keyboard.press('Enter');
    await said('This is no world id.').waitFor();
    expect(await cell(0).getAttribute('data-marked')).toBeNull();
    // What is wrong once is not asked for with each look.
    const asked: string[] = [];
    const note = (request: Request) => asked.push(new URL(request.url()).pathname);
    page.on('request', note);
    await until('three looks', () => asked.filter((path) => path === '/cluster').length >= 3);
    page.off('request', note);
    expect(asked.filter((path) => path.startsWith('/cluster/world'))).toEqual([]);
  });
});

describe('[P20] the page of a cluster', () => {
  test('asks before it drains a node or ends that', async () => {
    const { told } = front.operator;
    const drain = page.getByRole('button', { name: 'Drain: node-2' });
    await drain.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(told).toEqual([]);
    await drain.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
    await said('node-2 drains.').waitFor();
    await page.getByRole('button', { name: 'End the drain: node-2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the drain' }).click();
    await said('node-2 takes partitions again.').waitFor();
    expect(told).toEqual([
      ['drain', 'node-2:c0ffee'],
      ['undrain', 'node-2:c0ffee'],
    ]);
  });

  test('moves a partition by the keyboard alone, and tells why it cannot be moved', async () => {
    const { operator } = front;
    const focused = () => page.evaluate('document.activeElement?.title');
    await cell(0).focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowUp', 'End', 'ArrowRight', 'Home']) {
      await page.keyboard.press(key);
    }
    expect(await focused()).toMatch(/^Partition 0,/);
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    expect(await focused()).toMatch(/^Partition 3,/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Partition 3' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect([operator.told, await focused()]).toEqual([[], expect.stringMatching(/^Partition 3,/)]);

    operator.failure = new TwinError('conflict', 'It stays.');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('To').selectOption('node-3');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await said('It stays.').waitFor();
    operator.failure = undefined;
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await said('Partition 3 is at node-2.').waitFor();
    expect(operator.told).toEqual([
      ['move', 3, 'node-3:c0ffee'],
      ['move', 3, 'node-2:c0ffee'],
    ]);
  });

  test('asks anew at once after a question was left', async () => {
    await cell(3).click();
    const dialog = page.getByRole('dialog', { name: 'Partition 3' });
    await dialog.waitFor();
    await page.evaluate(
      "document.querySelector('dialog').close(); document.querySelectorAll('.cell')[3].click()",
    );
    await dialog.getByLabel('To').selectOption('node-3');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await said('Partition 3 is at node-3.').waitFor();
  });

  test('names the node to ask about a partition of another one', async () => {
    await cell(1).click();
    const dialog = page.getByRole('dialog', { name: 'Partition 1' });
    await dialog.getByText('open this page at the private port of node-2').waitFor();
    expect(await dialog.getByRole('button', { name: 'Move' }).count()).toBe(0);
  });

  test('has no barrier, in both themes and widths, also with long names', async () => {
    const name = `node-${'of-somebody-with-a-long-name-'.repeat(3)}`;
    const [first, ...others] = front.operator.nodes;
    if (first !== undefined) front.operator.nodes = [{ ...first, name }, ...others];
    await page.getByRole('heading', { name }).waitFor();
    await cell(3).click();
    for (const isOpen of [true, false]) {
      if (!isOpen) await page.keyboard.press('Escape');
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const at = { isOpen, width, colorScheme };
          expect({ ...at, barriers: await barriers(page) }).toEqual({ ...at, barriers: [] });
        }
        const wide = await page.evaluate('document.documentElement.scrollWidth');
        expect(wide).toBeLessThanOrEqual(width);
      }
    }
  });
});

test('[P3] nothing was asked of anybody else, and the page broke no policy', async () => {
  await until('an answer', () => page.locator('.cell').count());
  expect(browser.foreign).toEqual([]);
  const own = browser.complaints.filter((text) => !/ERR_FAILED|status of 4\d\d/.test(text));
  expect(own).toEqual([]);
});
