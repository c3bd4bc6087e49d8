import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type NodeFront, openTestFront, openTestFronts } from '../../doubles/test-front.ts';
import { openBrowser, type TestBrowser } from '../../rigs/browser.ts';
import { until } from '../../rigs/until.ts';
import { NO_WORKER } from './viewer-visitor.ts';

let near: NodeFront;
let far: NodeFront;
let close = async () => {};
let browser: TestBrowser;
let twinPort: number;

// A browser needs to know the one origin that it may load from.
beforeAll(async () => {
  const free = openTestFront();
  twinPort = free.port;
  await free.close();
  browser = await openBrowser(free.twinUrl, { hasWebGL: false });
});
afterAll(() => browser.close());

beforeEach(() => {
  close = async () => {};
});
afterEach(() => close());

/** Opens the viewer of a world of the far node, at the near one; the node sends what is shown. */
async function visit(farUrl: string, farPort = 0) {
  const nodeTwinUrl = 'http://127.0.0.1:1';
  const ofFar = { nodeTwinUrl: farUrl, twinPort: farPort };
  ({ near, far, close } = openTestFronts({ nodeTwinUrl, twinPort }, ofFar));
  const world = far.service.add();
  const context = await browser.visit();
  await context.addInitScript(NO_WORKER);
  const page = await context.newPage();
  await page.goto(`${near.twinUrl}/worlds/${world.id}`);
  return { page, world };
}

test('[N10] the viewer opens the stream at the node of the world', async () => {
  const free = openTestFront();
  await free.close();
  const { page, world } = await visit(free.twinUrl, free.port);
  await until('a stream', () => world.watchers.msgpack === 1);
  expect(near.cluster.watched).toEqual([]);
  await page.close();
});

test('[N10] it opens the stream at its own node if that brings nothing', async () => {
  const { page, world } = await visit('http://127.0.0.1:1');
  await until('a stream', () => world.watchers.msgpack === 1);
  expect(near.cluster.watched).toMatchObject([{ world: world.number, encoding: 'msgpack' }]);
  await page.close();
});
