import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../src/testing/rigs/until.ts';
import { useTwin, vinOf } from '../../src/testing/suites/twin/api.ts';
import { recklessJournal } from '../../src/testing/suites/twin/reckless.ts';
import type { World } from '../../src/testing/suites/twin/wire.ts';
import type { LiveEvent } from '../src/live-events.ts';
import { LiveWorld } from '../src/live-world.ts';
import { LocalWorld } from '../src/local-world.ts';
import { nodeAssets } from '../src/node-assets.ts';
import type { Snapshot } from '../src/types.ts';
import { watch } from '../src/watch.ts';
import { builtAssets } from '../testing/built-assets.ts';

const api = useTwin();

async function taken(
  world: World,
  encoding: 'json' | 'msgpack' | 'lockstep',
  count: number,
): Promise<Snapshot[]> {
  const snapshots = [];
  for await (const snapshot of watch(world, { encoding })) {
    if (snapshots.push(snapshot) === count) break;
  }
  return snapshots;
}

describe('[K6] a world that is watched', () => {
  test('is the same in every encoding', async () => {
    const world = await api.makeWorld({ seed: 5, city: 'old-town', start_tick: 4000 });
    const [json, msgpack, lockstep] = await Promise.all([
      taken(world, 'json', 60),
      taken(world, 'msgpack', 60),
      taken(world, 'lockstep', 40),
    ]);
    const byTick = new Map(json.map((snapshot) => [snapshot.tick, snapshot]));
    const both = [...msgpack, ...lockstep].filter(({ tick }) => byTick.has(tick));
    for (const snapshot of both) expect(snapshot).toEqual(byTick.get(snapshot.tick));
    expect(both.filter((snapshot) => msgpack.includes(snapshot)).length).toBeGreaterThan(5);
    expect(both.filter((snapshot) => lockstep.includes(snapshot)).length).toBeGreaterThan(5);
    for (const list of [json, msgpack, lockstep]) {
      expect(list.every(({ tick }) => tick % 4 === 0)).toBe(true);
    }
  });

  test('[K8] ends for the reader when it does not exist', async () => {
    const { stream_url, id } = await api.makeWorld();
    const gone = { id: '0000000000', stream_url: stream_url.replace(id, '0000000000') };
    for (const encoding of ['json', 'msgpack', 'lockstep'] as const) {
      await expect(watch(gone, { encoding }).next()).rejects.toMatchObject({
        code: 'unknown_world',
      });
    }
  });
});

describe('[K5] a world that is followed by lockstep', () => {
  let world: World;
  let live: LiveWorld;
  const events: LiveEvent[] = [];
  beforeAll(async () => {
    // Some traffic that hits something before long.
    world = await api.makeWorld({ journal: recklessJournal(10), start_tick: 3500 });
    live = new LiveWorld(world);
    live.subscribe((event) => events.push(event));
    await live.ready;
  });
  afterAll(() => live.close());

  const following = () => {
    if (live.world === undefined) throw new Error('it does not live here');
    return live.world;
  };

  test('is verified, and is the world of the node while its cars are switched', async () => {
    await until('the first comparison', () => live.state === 'verified');
    for (let car = 0; car < 10; car++) {
      await api.patch(vinOf(world, car), { brakes: false, steering: car % 2 === 0 });
      const { bytes } = await api.ask(`/api/v1/worlds/${world.id}/state`);
      const { tick } = JSON.parse(new TextDecoder().decode(bytes)) as Snapshot;
      await until('that tick', () => following().tick >= tick + 5);
      expect(Buffer.compare(following().at(tick).frame('json'), bytes)).toBe(0);
    }
    expect(following().seq).toBe(20);
    expect(live.state).toBe('verified');
    expect(events.filter(({ type }) => type === 'difference')).toEqual([]);
  });

  test('tells the incidents that the node tells, and explains them alike', async () => {
    const told = await until('an incident', () => events.find((each) => each.type === 'incident'));
    const { incident } = told as Extract<LiveEvent, { type: 'incident' }>;
    const stored = await until('its explanation by the node', async () => {
      const report = await api.world('Incident', world, `/incidents/${incident.id}`);
      return report.explained ? report : undefined;
    });
    await until('that it is over', () => following().tick > incident.tick + 400);
    expect(await following().explain(incident.id)).toEqual(stored);
  });
});

test('[K1] a world of its own lives with what a node gives, such as in a browser', async () => {
  const world = await api.makeWorld({ city: 'old-town' });
  const assets = nodeAssets(world);
  const [given, built] = await Promise.all(
    [assets, builtAssets].map((each) =>
      LocalWorld.create({ city: 'old-town', seed: 1, assets: each }),
    ),
  );
  for (const each of [given, built]) each?.step(500);
  expect(given?.hash()).toBe(built?.hash());
  expect(given?.frame('json')).toEqual(built?.frame('json'));
  await expect(assets('grid')).rejects.toThrow(RangeError);
});
