import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BetweenNodes } from '../../errors.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import { ask, type NodeFront, openTestFronts } from '../../testing/doubles/test-front.ts';

let near: NodeFront;
let far: NodeFront;
let close: () => Promise<void>;
/** A world of the far node. */
let world: FakeWorld;

beforeEach(() => {
  ({ near, far, close } = openTestFronts());
  world = far.service.add();
  world.changes = [{ tick: 3, car: 0, touched: 1, values: 0 }];
});

afterEach(() => close());

describe('[N20] a fork', () => {
  const forkOf = (front: NodeFront, origin: string, rest: object = {}) => {
    const fork = { world: origin, tick: 90, ...rest };
    const init = { method: 'POST', body: JSON.stringify({ fork }) };
    return ask(`${front.twinUrl}/api/v1/worlds`, init);
  };
  const changes = Array.from({ length: 1000 }, (_, i) => {
    return { tick: 91 + i, car: i % 20, features: { aeb: i % 2 === 0 } };
  });

  test.each([
    ['a small', {}, 1],
    ['a large', { changes }, 1001],
  ])('of a world of another node is made there, with %s body', async (_, rest, count) => {
    const { status, body } = await forkOf(near, world.id, rest);
    expect(status).toBe(201);
    const { id, viewer_url } = body as Record<string, string>;
    const made = [...far.service.worlds.values()].find((each) => each.id === id);
    expect([made?.seed, made?.changes.length]).toEqual([world.seed, count]);
    expect(near.service.worlds.size).toBe(0);
    expect(viewer_url).toContain(near.twinUrl);
  });

  test('is made there also by a node that makes no worlds', async () => {
    near.cluster.createsElsewhere = true;
    far.cluster.createsElsewhere = true;
    expect((await forkOf(near, world.id)).status).toBe(201);
    expect(far.service.worlds.size).toBe(2);
  });

  test('of a world of this node is made here, and that of none is refused', async () => {
    const own = near.service.add();
    near.cluster.createsElsewhere = true;
    expect((await forkOf(near, own.id)).status).toBe(201);
    expect([near.service.worlds.size, far.service.worlds.size]).toEqual([2, 1]);
    near.cluster.createsElsewhere = false;
    expect((await forkOf(near, 'nothing')).body).toMatchObject({ error: 'unknown_world' });
    const wrong = await forkOf(near, own.id, { tick: -1 });
    expect([wrong.status, near.cluster.forwarded.length]).toEqual([400, 0]);
  });

  test('is made where its origin has gone meanwhile', async () => {
    const own = near.service.add();
    near.cluster.places.set(own.number, { at: 'here' });
    own.failure = new BetweenNodes();
    const forkOptions = own.forkOptions.bind(own);
    own.forkOptions = (order) => {
      near.cluster.places.set(own.number, near.cluster.there);
      far.service.worlds.set(own.number, own);
      return forkOptions(order).finally(() => {
        own.failure = undefined;
      });
    };
    expect((await forkOf(near, own.id)).status).toBe(201);
    expect([near.service.worlds.size, far.service.worlds.size]).toEqual([1, 3]);
  });
});
