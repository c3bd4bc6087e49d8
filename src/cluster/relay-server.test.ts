import { expect, test } from 'vitest';
import { askerOf } from '../http/server/rate-limits.ts';
import type { LinkClient } from '../link/contract.ts';
import { FakeTwin } from '../testing/doubles/fake-twin.ts';
import { nextTurn, TestTime } from '../testing/doubles/test-time.ts';
import type { World } from '../twin-service.ts';
import { RelayServer } from './relay-server.ts';

const parts = {
  time: TestTime.standing(),
  helloOf: () => Promise.reject(new Error('nobody lives a world here')),
  askerOf: (client: string) => askerOf(undefined, client),
};

test('[N16] another node hears of each end, also of those that there was no room for', async () => {
  const twin = new FakeTwin();
  const worlds = [twin.add(), twin.add(), twin.add()];
  const server = new RelayServer({ service: twin, ...parts });
  const sent: unknown[] = [];
  let room = 1;
  const to: LinkClient = {
    process: 'other',
    send: (_, value) => {
      const fits = room-- > 0;
      if (fits) sent.push(value);
      return fits;
    },
  };
  for (const { number } of worlds) {
    const watching = { world: number, encoding: 'json', client: 'client' } as const;
    await server.watch(to, watching, async () => true);
  }
  for (const { number } of worlds) server.end(number, 'moved');
  expect(sent).toHaveLength(1);
  expect(worlds.map((world) => world.watcherCount)).toEqual([0, 0, 0]);
  room = 10;
  server.drained(to);
  server.drained(to);
  expect(sent).toEqual(worlds.map(({ number }) => ({ world: number, code: 1012 })));
});

test('a node that has given up meanwhile watches nothing once the world is loaded', async () => {
  const twin = new FakeTwin();
  const world = twin.add();
  const server = new RelayServer({ service: twin, ...parts });
  const to: LinkClient = { process: 'other', send: () => true };
  const watching = { world: world.number, encoding: 'json', client: 'client' } as const;
  for (const giveUp of [() => server.unwatch(to, watching), () => server.clientGone(to)]) {
    const load = Promise.withResolvers<World>();
    twin.load = () => load.promise;
    const answer = server.watch(to, watching, () => true);
    await nextTurn();
    giveUp();
    load.resolve(world);
    expect((await answer).value).toEqual({ kind: 'moved' });
    expect([world.watcherCount, server.worldCount]).toEqual([0, 0]);
  }
});

test('[N16] a client that gives up late, after it was refused, takes nothing from another one', async () => {
  const twin = new FakeTwin();
  const world = twin.add();
  const server = new RelayServer({ service: twin, ...parts });
  const to: LinkClient = { process: 'other', send: () => true };
  const watching = { world: world.number, encoding: 'json', client: 'client' } as const;
  const kindOf = async (stream: number, isHere: boolean) =>
    (await server.watch(to, { ...watching, stream }, () => isHere)).value;
  expect(await kindOf(1, true)).toMatchObject({ kind: 'watched' });
  expect(await kindOf(2, false)).toEqual({ kind: 'moved' });
  server.unwatch(to, { ...watching, stream: 2 });
  expect([world.watcherCount, server.worldCount]).toEqual([1, 1]);
  server.unwatch(to, { ...watching, stream: 1 });
  expect([world.watcherCount, server.worldCount]).toEqual([0, 0]);
});

test('[L26] who opens a stream pays for the steps up to now, and nobody for one that goes on', async () => {
  const twin = new FakeTwin();
  const world = twin.add();
  const server = new RelayServer({ service: twin, ...parts });
  const to: LinkClient = { process: 'other', send: () => true };
  const watching = { world: world.number, encoding: 'json', client: 'client' } as const;
  await server.watch(to, watching, () => true);
  expect(world.asker?.client).toBe('client');
  await server.watch(to, { ...watching, isKnown: true }, () => true);
  expect([world.asker, world.watcherCount]).toEqual([undefined, 2]);
});
