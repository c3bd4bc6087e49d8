import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemTime } from '../../../time.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { type NodeProcess, startNodeProcess } from '../../rigs/process.ts';
import { TcpProxy } from '../../rigs/tcp-proxy.ts';
import { Api } from './api.ts';
import { Stream } from './stream-client.ts';
import {
  display,
  mapless,
  NO_WORKER,
  openCity,
  recordStates,
  until,
  untilState,
  visitor,
} from './viewer-visitor.ts';
import type { Snapshot, World } from './wire.ts';

// What is drawn by the processor of a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const NEAR_M = 2;
const LOOKS = 6;
const LOOK_MS = 400;
/** WebSockets that something on the way cuts off, until the page is told that it does no more. */
const BLOCKED = `
  const Real = WebSocket;
  let isBlocked = true;
  window.unblock = () => { isBlocked = false; dispatchEvent(new Event('online')); };
  window.WebSocket = class extends Real {
    constructor(url) {
      super(isBlocked ? url.replace(/\\/ws\\/.*/, '/nothing/here') : url);
    }
  };
`;

let dataDir: string;
let node: NodeProcess;
let api: Api;
let browser: TestBrowser;
let world: World;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'twin-viewer-'));
  node = await startNodeProcess({ DATA_DIR: dataDir });
  api = new Api(node.twinUrl);
  world = await api.makeWorld({ start_tick: 3000 });
  browser = await openBrowser(node.twinUrl, { hasWebGL: true });
});
afterAll(async () => {
  await browser.close();
  await node.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const noteOf = (page: Page) => page.locator('.status-note');
const cityUrl = () => `${node.twinUrl}/worlds/${world.id}`;

/** Every frame of the world from now on, by tick. */
async function listen(): Promise<{ frames: Map<number, Snapshot>; end: () => void }> {
  const stream = await Stream.open(world.stream_url);
  const frames = new Map<number, Snapshot>();
  stream.socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Snapshot;
    if (message.type === 'snapshot') frames.set(message.tick, message);
  });
  return { frames, end: () => stream.socket.close() };
}

describe('what is drawn', () => {
  test('[P13] is where the snapshots of the tick on display have it, all cars and the picked one', async () => {
    const { frames, end } = await listen();
    const page = await openCity(await visitor(browser), `${cityUrl()}#car=${world.fleet[5]?.vin}`);
    let compared = 0;
    for (let look = 0; look < LOOKS; look++) {
      await systemTime.sleep(LOOK_MS);
      const { tick, cars, picked } = await display(page);
      const [before, part] = [4 * Math.floor((tick ?? 0) / 4), ((tick ?? 0) % 4) / 4];
      const [from, to] = [frames.get(before), frames.get(before + 4)];
      if (from === undefined || to === undefined) continue;
      const awayM = cars.map(({ x, y }, i) => {
        const [a, b] = [from.vehicles[i], to.vehicles[i]];
        if (!a || !b) return Number.POSITIVE_INFINITY;
        return Math.hypot(x - a.x - (b.x - a.x) * part, y - a.y - (b.y - a.y) * part);
      });
      compared++;
      expect(picked).toBe(world.fleet[5]?.vin);
      expect(Math.max(...awayM)).toBeLessThan(NEAR_M);
      expect(cars[5]?.xPx).not.toBeNull();
    }
    expect(compared).toBeGreaterThan(0);
    end();
    await page.context().close();
  });
});

describe('each state is said while it is true', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openCity(await mapless(browser), cityUrl());
  });
  afterAll(() => page.context().close());

  test('[P10] live, and nothing else, while all is well', async () => {
    await untilState(page, 'live');
    expect(await page.locator('.status').innerText()).toMatch(/^Live/);
    expect(await page.locator('.status-note').count()).toBe(0);
  });

  test('[P10] live while the world lives on without the node, then reconnecting; live when it goes on', async () => {
    const states = await recordStates(page);
    process.kill(node.pid, 'SIGSTOP');
    const { tick } = await display(page);
    await until(page, `viewer.tick > ${tick} + 200`);
    expect(await states()).toEqual(['live']);
    await untilState(page, 'reconnecting');
    // It has waited long enough, and does not go on any more.
    await noteOf(page).getByText('You see the last state that arrived.').waitFor();
    process.kill(node.pid, 'SIGCONT');
    await untilState(page, 'live');
    const said = await states();
    expect(said).not.toContain('polling');
    expect(said).not.toContain('gone');
  });

  test('[P10] reconnecting, and that the world lives on, where its stream has ended; only the former in the past', async () => {
    const proxy = await TcpProxy.open();
    onTestFinished(() => proxy.close());
    proxy.connectTo(node.twinUrl);
    const cutOff = await openBrowser(proxy.url, { hasWebGL: false });
    onTestFinished(() => cutOff.close());
    const page = await openCity(await mapless(cutOff), `${proxy.url}/worlds/${world.id}`);
    await until(page, `viewer.source === 'life'`);
    proxy.close();
    const note = noteOf(page);
    const { tick } = await display(page);
    await note.getByText('The connection is lost. The city goes on in this page').waitFor();
    await until(page, `viewer.tick > ${tick} + 100`);
    await page.getByRole('slider', { name: 'Moment' }).press('PageDown');
    await note.getByText('The connection is lost. The page asks again soon.').waitFor();
    expect(await page.locator('.status').getAttribute('title')).toMatch(
      /^You see an earlier moment\. The connection is lost\. The page asks again soon\./,
    );
  });

  test('[P10] behind, then reconnecting, while a node stands still whose frames are shown; live when it goes on', async () => {
    const context = await mapless(browser);
    await context.addInitScript(NO_WORKER);
    const page = await openCity(context, cityUrl());
    const states = await recordStates(page);
    process.kill(node.pid, 'SIGSTOP');
    await untilState(page, 'reconnecting');
    process.kill(node.pid, 'SIGCONT');
    await untilState(page, 'live');
    const said = await states();
    // A machine that is busy delays frames, too: it is behind for a moment, and live again.
    const before = said.slice(0, said.indexOf('reconnecting'));
    expect([before[0], before.at(-1)]).toEqual(['live', 'behind']);
    expect(said).not.toContain('polling');
    expect(said).not.toContain('gone');
    await context.close();
  });

  test('gone for an address that is no city', async () => {
    const lost = await page.context().newPage();
    await lost.goto(`${node.twinUrl}/worlds/0000000000#car=XXXXXXXXXXXXXXXXX`);
    await lost.getByRole('heading', { name: 'This city is gone' }).waitFor();
    expect((await display(lost)).connection).toBe('gone');
    // Nothing of it is still on its way.
    await lost.getByText('There is no car with this VIN').waitFor();
    for (const name of ['Events', 'Incidents']) {
      await lost.getByRole('navigation').getByRole('button', { name }).click();
      const list = lost.getByRole('region', { name });
      await list.waitFor();
      await expect.poll(() => list.getByRole('status').count()).toBe(0);
    }
    await lost.close();
  });

  test('nothing but that there is none, for a link to an incident that never was', async () => {
    const lost = await page.context().newPage();
    await lost.goto(`${cityUrl()}#incident=i999999-0`);
    await lost.getByText('There is no such incident in this city').waitFor();
    await lost.getByRole('button', { name: 'See all incidents' }).click();
    await lost.getByRole('button', { name: 'Incidents', pressed: true }).waitFor();
    expect((await display(lost)).replay).toBeNull();
    expect(new URL(lost.url()).hash).toBe('');
    await lost.close();
  });
});

describe('where WebSockets are blocked', () => {
  test('[P11] it polls and says so, and goes back to the stream when it can', async () => {
    const context = await mapless(browser);
    await context.addInitScript(BLOCKED);
    await context.addInitScript(NO_WORKER);
    const page = await context.newPage();
    await page.goto(cityUrl());
    await untilState(page, 'polling');
    const note = page.getByText('WebSockets are blocked here').last();
    await note.waitFor();

    const { tick } = await display(page);
    await until(page, `viewer.tick > ${tick} + 50`);
    expect((await display(page)).connection).toBe('polling');

    await page.evaluate('unblock()');
    await untilState(page, 'live');
    expect(await page.getByText('WebSockets are blocked here').count()).toBe(0);
    await context.close();
  });
});

test('[P12] a browser that cannot draw the city says so and has the lists', async () => {
  const page = await openCity(await mapless(browser), cityUrl());
  await page.getByText('This browser cannot draw the city').waitFor();
  const rows = page.getByRole('list', { name: 'Cars' }).getByRole('button');
  expect(await rows.count()).toBe(20);
  await rows.first().click();
  await page.getByRole('switch', { name: /^AEB/ }).waitFor();
  await page.context().close();
});
