import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../rigs/until.ts';
import { useTwin, vinOf } from './api.ts';
import { bare, openBoth, pairs } from './lockstep.ts';
import { recklessJournal } from './reckless.ts';
import { Stream } from './stream-client.ts';
import type { World } from './wire.ts';

const api = useTwin();
/** A world in which collisions come by themselves, and that was changed as it was lived. */
let origin: World;
beforeAll(async () => {
  origin = await api.makeWorld({ journal: recklessJournal(), start_tick: 3000 });
  for (const car of [2, 5]) await api.patch(vinOf(origin, car), { throttle: false });
  const tick = (await journalOf(origin)).changes.at(-1)?.tick ?? 0;
  await until('the changes', async () => (await api.world('World', origin)).tick > tick);
});

const forkOf = (fork: object) => api.makeWorld({ fork });
const journalOf = (of: World) => api.world('Journal', of, '/journal');
const stateAt = async (of: World, tick: number) => {
  const { hash, ...snapshot } = await api.world('State', of, `/state?tick=${tick}&hash=1`);
  return { hash, snapshot: bare(snapshot) };
};
const refusal = (fork: object) => api.refusal('/api/v1/worlds', { method: 'POST', json: { fork } });

describe('a fork', () => {
  test('[T20] is the other world up to the tick, with an id and VINs of its own', async () => {
    const { tick } = await api.world('World', origin);
    const askedMs = api.node.time.now();
    const fork = await forkOf({ world: origin.id, tick });
    const passedTicks = (api.node.time.now() - askedMs) / 20;
    expect(fork.tick).toBeGreaterThanOrEqual(tick);
    expect(fork.tick - tick).toBeLessThanOrEqual(passedTicks + 1);
    expect([fork.seed, fork.city]).toEqual([origin.seed, origin.city]);
    const vins = [...origin.fleet, ...fork.fleet].map(({ vin }) => vin);
    expect(new Set(vins).size).toBe(40);
    // Up to the tick, and on: nothing was changed in either since.
    for (const at of [4, 1500, 3000, tick - 1, tick]) {
      expect(await stateAt(fork, at)).toEqual(await stateAt(origin, at));
    }
    const { changes } = await journalOf(origin);
    expect((await journalOf(fork)).changes).toEqual(changes);
    const ids = async (world: World) => {
      const all = await api.world('Incidents', world, '/incidents');
      return all.filter((each) => each.tick <= tick).map(({ id }) => id);
    };
    expect((await ids(origin)).length).toBeGreaterThan(0);
    expect(await ids(fork)).toEqual(await ids(origin));
  });

  test('[T20] is exact if the other world is', async () => {
    expect(origin.exact).toBe(false);
    expect((await forkOf({ world: origin.id, tick: 10 })).exact).toBe(false);
    const { id } = await api.makeWorld({ start_tick: 100 });
    expect(Object.hasOwn(await forkOf({ world: id, tick: 100 }), 'exact')).toBe(false);
  });

  test('[T20] goes on as the other world does, as long as nothing is changed', async () => {
    // Long before the first change after its beginning.
    const [x, y] = await openBoth(origin, await forkOf({ world: origin.id, tick: 2900 }));
    // It is behind: its frames are compared with what the other one was then.
    const [frame] = await y.frames(1);
    expect(frame && bare(frame)).toEqual((await stateAt(origin, frame?.tick ?? 0)).snapshot);
    await Promise.all([x.close(), y.close()]);
  });

  test('[T20] has no changes of the other world after the tick, and its own instead', async () => {
    const { changes } = await journalOf(origin);
    const tick = (changes.at(-1)?.tick ?? 0) - 1;
    const before = changes.filter((change) => change.tick <= tick);
    expect(before.length).toBeLessThan(changes.length);
    const own = [
      { tick: tick + 1, car: 7, features: { brakes: true } },
      { tick: tick + 40, car: 8, features: { aeb: false, esc: false } },
    ];
    const fork = await forkOf({ world: origin.id, tick, changes: own });
    expect(fork.tick).toBeGreaterThanOrEqual(tick + 40);
    expect((await journalOf(fork)).changes).toEqual([...before, ...own]);
    expect(await stateAt(fork, tick)).toEqual(await stateAt(origin, tick));
    // From the first change on it is another world: one that a journal gives as well.
    const journal = { ...(await journalOf(fork)), tick: tick + 60 };
    const again = await api.makeWorld({ journal });
    expect(await stateAt(fork, tick + 40)).toEqual(await stateAt(again, tick + 40));
    await until('the tick', async () => (await api.world('World', origin)).tick >= tick + 40);
    const [mine, others] = [await stateAt(fork, tick + 40), await stateAt(origin, tick + 40)];
    expect(mine.hash).not.toBe(others.hash);
  });

  test('[T20] can be changed, watched and forked like any other world', async () => {
    const fork = await forkOf({ world: origin.id, tick: 2000 });
    await api.patch(vinOf(fork, 3), { brakes: true });
    const tick = (await journalOf(fork)).changes.at(-1)?.tick ?? 0;
    await until('the change', async () => (await api.world('World', fork)).tick >= tick);
    const second = await forkOf({ world: fork.id, tick });
    expect((await journalOf(second)).changes).toEqual((await journalOf(fork)).changes);
    const streams = await openBoth(fork, second);
    const seen = await pairs(...streams, ({ length }) => length === 3);
    for (const [a, b] of seen) expect(bare(b)).toEqual(bare(a));
    for (const stream of streams) await stream.close();
  });

  test('[T20] is refused for a world that is not there, and for ticks that it has not had', async () => {
    const { tick } = await api.world('World', origin);
    expect(await refusal({ world: '0000000000', tick: 4 })).toEqual([404, 'unknown_world']);
    expect(await refusal({ world: 'nothing', tick: 4 })).toEqual([404, 'unknown_world']);
    const wrong = [400, 'invalid_world_options'];
    expect(await refusal({ world: origin.id, tick: tick + 5000 })).toEqual(wrong);
    expect(await refusal({ world: origin.id })).toEqual(wrong);
    const changes = [{ tick: 100, car: 0, features: { aeb: false } }];
    expect(await refusal({ world: origin.id, tick: 100, changes })).toEqual(wrong);
  });

  test('[T20] may have a large body', async () => {
    const changes = Array.from({ length: 2000 }, (_, i) => {
      return { tick: 2001 + (i >> 2), car: i % 20, features: { aeb: i % 3 === 0 } };
    });
    const fork = await forkOf({ world: origin.id, tick: 2000, changes });
    const all = (await journalOf(fork)).changes;
    expect(all.slice(-changes.length)).toEqual(changes);
    await (await Stream.open(fork.stream_url)).close();
  });
});
