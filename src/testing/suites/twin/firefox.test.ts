import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEALER } from '../../rigs/console.ts';
import { HAS_FIREFOX, openFirefox, type TestFirefox } from '../../rigs/firefox.ts';
import { until } from '../../rigs/until.ts';
import { useTwin, vinOf } from './api.ts';

// What is drawn by the processor of a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const PATIENCE_MS = 100_000;

describe.runIf(HAS_FIREFOX)('in Firefox', () => {
  const api = useTwin();
  let firefox: TestFirefox;
  beforeAll(async () => {
    firefox = await openFirefox();
  });
  afterAll(() => firefox.close());

  async function open(url: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await firefox.browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    return { page, complaints };
  }

  test('[P27] the viewer opens, draws the city, and switches a feature', async () => {
    const world = await api.makeWorld({ start_tick: 500 });
    const vin = vinOf(world, 3);
    const { page, complaints } = await open(`${api.url}/worlds/${world.id}#car=${vin}`);
    const shown = async () =>
      (await page.evaluate(
        `typeof viewer === 'object' ? { drawn: viewer.drawn, connection: viewer.connection } : {}`,
      )) as { drawn?: number; connection?: string };
    await until('a city that is drawn', async () => ((await shown()).drawn ?? 0) > 2, PATIENCE_MS);
    expect((await shown()).connection).toBe('live');
    expect(await page.$('.stage-note')).toBeNull();
    await page.locator('[data-feature="aeb"][aria-checked="true"]').click();
    await page.locator('[data-feature="aeb"][aria-checked="false"][aria-busy="false"]').wait();
    const { declared } = await api.vehicle('FeatureState', vin, '/features');
    expect(declared.aeb).toBe(false);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('[P27] the console opens, and switches the lock of a car', async () => {
    const { page, complaints } = await open(`${api.node.dealerUrl}/#/log-in`);
    const [username, password] = DEALER;
    await page.locator('::-p-aria([name="Username"][role="textbox"])').fill(username);
    await page.locator('input[type="password"]').fill(password);
    await page.locator('::-p-xpath(//form//button[@type="submit"])').click();
    await page.locator('::-p-text(Log out)').wait();
    await page.goto(`${api.node.dealerUrl}/#/cars`);
    const lock = '::-p-xpath((//button[starts-with(@aria-label, "Locked, ")])[1])';
    const isOn = async () => (await page.$eval(lock, (each) => each.ariaChecked)) === 'true';
    await page.locator(lock).wait();
    const before = await isOn();
    await page.locator(lock).click();
    await until('a lock that is switched', async () => (await isOn()) !== before, PATIENCE_MS);
    await page.locator('::-p-text(locked.)').wait();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
