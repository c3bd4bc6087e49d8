import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemTime } from '../../../time.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { until as untilTrue } from '../../rigs/until.ts';
import { useTwin, vinOf } from './api.ts';
import {
  crashedWorld,
  display,
  mapless,
  NO_WORKER,
  openCity,
  until,
  untilState,
} from './viewer-visitor.ts';
import type { Snapshot, World } from './wire.ts';

// What is drawn by the processor of a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** The node has the states of every fourth tick. */
const FRAME_TICKS = 4;
const WATCHED_MS = 12_000;
/** What may be asked while a world lives in the page: nothing of this moves a world. */
const MAY_ASK = [/\/map$/, /\/journal$/, /\/features$/, /\/cities$/, /\/route$/];

const api = useTwin();
let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser(api.url, { hasWebGL: true });
});
afterAll(() => browser.close());

/** Everything that a page asks of the twin from now on, and the streams that it opens. */
function asked(context: BrowserContext): { calls: string[]; streams: string[] } {
  const [calls, streams]: [string[], string[]] = [[], []];
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`);
  });
  const listen = (page: Page) =>
    page.on('websocket', (socket) => streams.push(new URL(socket.url()).search));
  context.on('page', listen);
  return { calls, streams };
}

async function openLife(context: BrowserContext, world: World, hash = ''): Promise<Page> {
  const page = await openCity(context, `${api.url}/worlds/${world.id}${hash}`);
  await until(page, `viewer.source === 'life'`);
  return page;
}

/** The newest state that the page has. */
async function newest(page: Page): Promise<Snapshot> {
  return (await page.evaluate('viewer.newest')) as Snapshot;
}

/** The first state after a tick that is one of those of the node. */
async function untilFrame(page: Page, afterTick: number): Promise<Snapshot> {
  return await untilTrue('a state', async () => {
    const state = await newest(page);
    return state.tick > afterTick && state.tick % FRAME_TICKS === 0 ? state : undefined;
  });
}

describe('[P37] a world lives in the page', () => {
  test('and nothing is asked of the node that moves a world, while a car is picked', async () => {
    const world = await api.makeWorld({ seed: 3, start_tick: 1500 });
    const context = await mapless(browser);
    const { calls, streams } = asked(context);
    const page = await openLife(context, world, `#car=${vinOf(world, 2)}`);
    await untilState(page, 'live');
    // A machine that is slow at first shows what the node sends until the world lives here.
    expect(streams).toContain('?encoding=lockstep');
    for (const seen of [calls, streams]) seen.length = 0;
    await page.getByRole('list', { name: 'Cars' }).getByRole('button').nth(4).click();
    const { tick } = await display(page);
    await systemTime.sleep(WATCHED_MS);
    expect((await display(page)).tick ?? 0).toBeGreaterThan((tick ?? 0) + WATCHED_MS / 40);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter((call) => !MAY_ASK.some((path) => path.test(call)))).toEqual([]);
    expect(streams).toEqual([]);
    // As the last pulse told it: the node's frames may have been watched before.
    expect(await page.locator('.watchers').getAttribute('title')).toMatch(/^[12] watchers?$/);
    await context.close();
  });

  test('and has the states of the node, after changes too', async () => {
    const world = await api.makeWorld({ seed: 8, city: 'old-town', start_tick: 2000 });
    const context = await mapless(browser);
    const page = await openLife(context, world);
    for (const [car, name] of ['brakes', 'aeb', 'steering'].entries()) {
      await api.patch(vinOf(world, car), { [name]: false });
      const changed = (await newest(page)).tick;
      const state = await untilFrame(page, changed + 60);
      const path = `/api/v1/worlds/${world.id}/state?tick=${state.tick}`;
      expect(state).toEqual(await api.get('Snapshot', path));
    }
    await context.close();
  });

  test('and its events and incidents are those that the node lists', async () => {
    const { world, incident } = await crashedWorld(api, ({ failures }) => failures.length > 0);
    const context = await mapless(browser);
    const { calls } = asked(context);
    const page = await openLife(context, world);
    calls.length = 0;
    await page.evaluate(`location.hash = 'incident=${incident.id}'`);
    await until(page, `viewer.replay !== null`);
    await until(page, `viewer.replay.with !== null`);
    const shown = await display(page);
    expect(shown.replay?.incident).toBe(incident.id);
    const features = incident.failures.filter(({ set }) => set === incident.failures[0]?.set);
    expect(shown.replay?.with?.toSorted()).toEqual(
      [...new Set(features.map(({ feature }) => feature))].toSorted(),
    );
    expect(calls.filter((call) => /events|incidents|replay/.test(call))).toEqual([]);
    await context.close();
  });
});

describe('[P37] where the world cannot live in the page', () => {
  async function untilShownByNode(context: BrowserContext): Promise<void> {
    const world = await api.makeWorld({ start_tick: 500 });
    const page = await openCity(context, `${api.url}/worlds/${world.id}`);
    await untilState(page, 'live');
    expect(await page.evaluate('viewer.source')).toBe('node');
    const { tick } = await display(page);
    await until(page, `viewer.tick > ${tick} + 50`);
    await context.close();
  }

  test('because its browser has no workers, the node sends what is shown', async () => {
    const context = await mapless(browser);
    await context.addInitScript(NO_WORKER);
    await untilShownByNode(context);
  });

  test('because its stream is refused, the node sends what is shown', async () => {
    const context = await mapless(browser);
    await context.route('**/life-worker-*.js', async (route) => {
      const script = await (await route.fetch()).text();
      const refused = 'const R = WebSocket; WebSocket = class extends R {';
      const elsewhere = `constructor(url) { super(url.replace('/ws/', '/none/')); } };`;
      await route.fulfill({
        contentType: 'text/javascript',
        body: `${refused} ${elsewhere}\n${script}`,
      });
    });
    await untilShownByNode(context);
  });

  test('because the kernel that it loads is none, the node sends what is shown, and it goes on', async () => {
    const context = await mapless(browser);
    let spoiled = 0;
    await context.route('**/lockstep/*.wasm', (route) => {
      spoiled++;
      return route.fulfill({ contentType: 'application/wasm', body: 'no kernel' });
    });
    const world = await api.makeWorld({ start_tick: 500 });
    const page = await openCity(context, `${api.url}/worlds/${world.id}`);
    await untilState(page, 'live');
    await untilTrue('a kernel that is asked for', async () => spoiled > 0);
    const { tick } = await display(page);
    await until(page, `viewer.tick > ${tick} + 500`);
    expect((await display(page)).connection).toBe('live');
    await context.close();
  });
});
