import { afterEach, expect, test, vi } from 'vitest';
import { AUDIT_TICKS, AUDITED_ONE_IN } from '../../src/limits.ts';
import { useNodes } from '../../src/testing/rigs/nodes.ts';
import { numbering } from '../../src/testing/rigs/numbering.ts';
import { until } from '../../src/testing/rigs/until.ts';
import { Api, vinOf } from '../../src/testing/suites/twin/api.ts';
import { FollowedWorld } from '../src/followed-world.ts';
import { LiveWorld } from '../src/live-world.ts';
import { LocalWorld } from '../src/local-world.ts';

const nodes = useNodes();

afterEach(() => {
  vi.restoreAllMocks();
});

test('[K13] the state of which a node tells the hash is the one that lives here', async () => {
  const node = await nodes.inProcess({}, { random: numbering(3 * AUDITED_ONE_IN) });
  const twin = new Api(node.twinUrl);
  const world = await twin.makeWorld({ start_tick: 2 * AUDIT_TICKS });
  const told = vi.spyOn(FollowedWorld.prototype, 'expect');
  const compared = vi.spyOn(LocalWorld.prototype, 'at');
  const live = new LiveWorld(world);
  const differences: string[] = [];
  live.subscribe((event) => {
    if (event.type === 'difference') differences.push(event.reason);
  });
  try {
    await live.ready;
    for (let car = 0; car < 20; car++) {
      await twin.patch(vinOf(world, car), { brakes: car % 2 === 0, steering: false });
    }
    await node.worlds.idle.sweep();
    const hashes = () => compared.mock.results.flatMap(({ value }) => value?.hash ?? []);
    await until('the comparison', () => hashes().length > 0);
    const [[state] = []] = told.mock.calls;
    expect(hashes()).toEqual([state?.hash]);
    expect(state?.tick).toBeGreaterThan(2 * AUDIT_TICKS);
    expect([differences, live.state]).toEqual([[], 'verified']);
  } finally {
    live.close();
  }
});
