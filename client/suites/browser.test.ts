import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HAS_FIREFOX } from '../../src/testing/rigs/firefox.ts';
import { useTwin } from '../../src/testing/suites/twin/api.ts';
import { LocalWorld } from '../src/local-world.ts';
import { builtAssets } from '../testing/built-assets.ts';
import { BROWSERS, type Client, type ClientPage, openClientPage } from '../testing/client-page.ts';
import { journalOf, randomChanges } from '../testing/random-journal.ts';

const TICKS = 3500;

declare const client: Client;

const api = useTwin();
const installed = BROWSERS.filter((name) => name !== 'Firefox' || HAS_FIREFOX);

describe.each(installed)('[K1, K5] in %s', (name) => {
  let page: ClientPage;
  beforeAll(async () => {
    page = await openClientPage(name, [api.url]);
  });
  afterAll(() => page.close());

  test.each(['grid', 'old-town', 'mixed-town'])(
    'a world of %s lives as in Node.js',
    async (city) => {
      const journal = journalOf(city, 21, randomChanges(21, TICKS));
      const { id, stream_url } = await api.makeWorld({ city });
      const own = await LocalWorld.create({ journal, assets: builtAssets });
      own.step(TICKS);
      const there = await page.run(
        async ({ watched, given, ticks }) => {
          const local = await client.LocalWorld.create({
            journal: given,
            assets: client.nodeAssets(watched),
          });
          local.step(ticks);
          const [contact] = local.contacts();
          const frame = new TextDecoder().decode(local.frame('json'));
          return { hash: local.hash(), frame, report: contact && (await local.explain(contact)) };
        },
        { watched: { id, stream_url }, given: journal, ticks: TICKS },
      );
      const [contact] = own.contacts();
      expect(there).toEqual({
        hash: own.hash(),
        frame: new TextDecoder().decode(own.frame('json')),
        report: contact && (await own.explain(contact)),
      });
    },
  );

  test('a world of a node is followed, and verified', async () => {
    const { id, stream_url } = await api.makeWorld({ seed: 4, start_tick: 2000 });
    const { tick, frame, state } = await page.run(
      async (watched) => {
        const live = new client.LiveWorld(watched);
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
      { id, stream_url },
    );
    const journal = await api.world('Journal', { id }, '/journal');
    const own = await LocalWorld.create({ id, journal, assets: builtAssets });
    own.step(tick);
    expect([state, JSON.parse(frame)]).toEqual(['verified', own.snapshot()]);
    expect(page.complaints).toEqual([]);
  });
});
