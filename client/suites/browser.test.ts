import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../../src/testing/rigs/browser.ts';
import { useTwin } from '../../src/testing/suites/twin/api.ts';
import { LocalWorld } from '../src/local-world.ts';
import { builtAssets } from '../testing/built-assets.ts';
import { journalOf, randomChanges } from '../testing/random-journal.ts';

const CLIENT = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const TICKS = 3500;

/** What the page's script makes of the package. */
type Client = typeof import('../src/index.ts');
declare const client: Client;

const api = useTwin();
let browser: TestBrowser;
let page: Page;

/** The package as somebody bundles it who makes a page, in one script. */
async function bundled(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-page-'));
  const entry = join(folder, 'page.js');
  await writeFile(
    entry,
    `import * as client from ${JSON.stringify(CLIENT)};\nwindow.client = client;\n`,
  );
  // Loaded here, since it takes a while.
  const { build } = await import('vite');
  const lib = { entry, formats: ['es' as const] };
  const options = { configFile: false, root: folder, logLevel: 'error' } as const;
  const made = await build({ ...options, build: { write: false, lib } });
  await rm(folder, { recursive: true });
  const [output] = Array.isArray(made) ? made : [];
  const [chunk] = output?.output ?? [];
  if (chunk?.type !== 'chunk') throw new Error('a script was made');
  return chunk.code;
}

beforeAll(async () => {
  const script = await bundled();
  browser = await openBrowser([api.url], { hasWebGL: false });
  page = await browser.context.newPage();
  // The browser lets pages of this machine alone reach a server on it.
  const url = `${api.url}/page/`;
  await page.route(`${url}**`, (route) =>
    route.request().url() === url
      ? route.fulfill({
          contentType: 'text/html',
          body: '<script type=module src=page.js></script>',
        })
      : route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await page.goto(url);
  await page.waitForFunction(() => 'client' in globalThis);
});
afterAll(() => browser.close());

describe('[K1, K5] in a browser', () => {
  test.each(['grid', 'old-town', 'mixed-town'])(
    'a world of %s lives as in Node.js',
    async (city) => {
      const journal = journalOf(city, 21, randomChanges(21, TICKS));
      const world = await api.makeWorld({ city });
      const own = await LocalWorld.create({ journal, assets: builtAssets });
      own.step(TICKS);
      const there = await page.evaluate(
        async ([watched, given, ticks]) => {
          const local = await client.LocalWorld.create({
            journal: given,
            assets: client.nodeAssets(watched),
          });
          local.step(ticks);
          const [contact] = local.contacts();
          const frame = new TextDecoder().decode(local.frame('json'));
          return [local.hash(), frame, contact && (await local.explain(contact))] as const;
        },
        [{ id: world.id, stream_url: world.stream_url }, journal, TICKS] as const,
      );
      const [contact] = own.contacts();
      expect(there[0]).toBe(own.hash());
      expect(there[1]).toBe(new TextDecoder().decode(own.frame('json')));
      expect(there[2]).toEqual(contact && (await own.explain(contact)));
    },
  );

  test('a world of a node is followed, and verified', async () => {
    const world = await api.makeWorld({ seed: 4, start_tick: 2000 });
    const { tick, frame, state } = await page.evaluate(
      async ({ id, stream_url }) => {
        const live = new client.LiveWorld({ id, stream_url });
        await live.ready;
        for await (const snapshot of live.snapshots()) {
          const isDone = live.state === 'verified' && snapshot.tick > 2100 && live.world;
          if (!isDone) continue;
          const found = { tick: snapshot.tick, frame: JSON.stringify(snapshot), state: live.state };
          live.close();
          return found;
        }
        throw new Error('the world has ended');
      },
      { id: world.id, stream_url: world.stream_url },
    );
    const journal = await api.world('Journal', world, '/journal');
    const own = await LocalWorld.create({ id: world.id, journal, assets: builtAssets });
    own.step(tick);
    expect([state, JSON.parse(frame)]).toEqual(['verified', own.snapshot()]);
    expect(browser.complaints).toEqual([]);
  });
});
