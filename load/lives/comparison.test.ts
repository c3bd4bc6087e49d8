import { afterEach, expect, test, vi } from 'vitest';
import { Dice } from '../../src/testing/rigs/dice.ts';
import { type Compared, compare, someTicks } from './comparison.ts';
import { begin, join, leave } from './lived.ts';
import type { Place } from './place.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('as many ticks of a world are compared as are wanted, half of them of its whole life', () => {
  const ticks = someTicks({ endTick: 95_000, liveTick: 90_000, ticks: 100 }, new Dice(1));
  expect(ticks).toHaveLength(100);
  expect(ticks.every((tick) => tick >= 0 && tick <= 95_000)).toBe(true);
  const isOld = (tick: number) => tick < 90_000;
  expect(ticks.filter(isOld).length).toBeGreaterThan(30);
});

const hashAt = (tick: number) => `hash of ${tick}`;
/** Hellos have an image of that tick. */
const IMAGE_TICK = 4000;
const WORLDS = ['known', 'unknown'].map(
  (id): Compared => ({
    world: { id, vins: [], createdAtMs: 0 },
    ...{ endTick: 6000, liveTick: 5000, ticks: 20, held: [] },
  }),
);

/** What a page has of the package: worlds whose past can be lived here, or cannot. */
function livingWorld(isKnowable: (id: string) => boolean) {
  return class {
    readonly world = {
      firstTick: IMAGE_TICK,
      tick: 7000,
      at: (tick: number) => ({ hash: hashAt(tick) }),
    };
    readonly state = 'verified';
    readonly #id: string;

    constructor({ id }: { id: string }) {
      this.#id = id;
    }

    async knowWholeLife() {
      if (isKnowable(this.#id)) this.world.firstTick = 0;
    }

    snapshot() {}
    subscribe() {}
    close() {}
  };
}

/** What was found in a place that is this thread, by a node that answers as the worlds are. */
async function found(isKnowable: (id: string) => boolean) {
  vi.stubGlobal('client', { LiveWorld: livingWorld(isKnowable) });
  vi.stubGlobal('fetch', async (url: URL) =>
    Response.json({ hash: hashAt(Number(url.searchParams.get('tick'))), changes: [] }),
  );
  const run = async (task: (given: never) => unknown, given: unknown) => task(given as never);
  const place = { name: 'Node.js', run: run as Place['run'], close: async () => {} } as const;
  begin();
  for (const { world } of WORLDS) join({ id: world.id, stream_url: '', isMeasured: false });
  const nodes = [{ url: new URL('http://node.test') }];
  const outcome = await compare([place], WORLDS, { nodes, stalls: [], compared: () => {} });
  leave();
  return outcome[0];
}

test('whole lives are compared, also those of which a place has got a later image', async () => {
  const { firstTick, compared, differing, unknown } = (await found(() => true)) ?? {};
  expect({ firstTick, compared, differing, unknown }).toEqual({
    ...{ firstTick: 0, compared: 40, differing: [], unknown: 0 },
  });
});

test('a place that knows one life from a later tick on is found', async () => {
  const { firstTick, compared = 0, unknown = 0 } = (await found((id) => id === 'known')) ?? {};
  expect([firstTick, compared + unknown]).toEqual([IMAGE_TICK, 40]);
  expect(unknown).toBeGreaterThan(0);
});
