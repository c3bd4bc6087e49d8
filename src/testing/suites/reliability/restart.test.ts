import { expect, test } from 'vitest';
import { systemTime } from '../../../time.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { Api } from '../twin/api.ts';
import { makeLivedWorld, makeWorld, stateOf, type World } from './client.ts';
import { expectWhole } from './reference.ts';
import { moreFrames, StreamReader } from './stream-reader.ts';
import { declaredOf } from './switched-car.ts';

const nodes = useNodes();
const TICK_MS = 20;
/** The wall clock may be set a little while a test runs. */
const SLACK_TICKS = 10;

/** Worlds of all kinds: young, old, with a past of accidents, looked at, watched, switched. */
async function makeWorlds(base: string): Promise<World[]> {
  const young = await makeWorld(base, { seed: 1 });
  const old = await makeWorld(base, { seed: 2, start_tick: 12_000 });
  const lookedAt = await makeWorld(base, { seed: 3, start_tick: 5000 });
  const eventful = await makeLivedWorld(base, { seed: 4, tick: 3000 });
  const watched = await makeLivedWorld(base, { seed: 5, tick: 3000 });
  await stateOf(base, lookedAt);
  const reader = await StreamReader.open(base, watched);
  const worlds = [young, old, lookedAt, eventful, watched];
  await moreFrames([reader], 5);
  for (const [i, { fleet }] of worlds.entries()) {
    for (const { vin } of fleet.slice(i, i + 3)) {
      await new Api(base).patch(vin, { aeb: false, brakes: false });
    }
  }
  await moreFrames([reader], 5);
  reader.close();
  return worlds;
}

/** The same worlds, at the tick that the clock says, as if nothing had been. */
async function expectKept(base: string, worlds: readonly World[]): Promise<void> {
  for (const [i, world] of worlds.entries()) {
    const createdMs = Date.parse(world.created_at);
    const earliest = Math.floor((systemTime.wallMs() - createdMs) / TICK_MS) - SLACK_TICKS;
    const { tick, ...now } = await new Api(base).world('World', world);
    const latest = Math.floor((systemTime.wallMs() - createdMs) / TICK_MS) + SLACK_TICKS;
    expect(tick).toBeGreaterThanOrEqual(earliest);
    expect(tick).toBeLessThanOrEqual(latest);
    const { tick: _, ...before } = world;
    expect(urlless(now)).toEqual(urlless(before));
    for (const { vin } of world.fleet.slice(i, i + 3)) {
      expect(await declaredOf(base, vin)).toMatchObject({ aeb: false, brakes: false, esc: true });
    }
    await expectWhole(base, world);
  }
}

/** A node on another port names other URLs. */
function urlless(world: object): object {
  const all = Object.entries(world).filter(([name]) => !name.endsWith('_url'));
  return Object.fromEntries(all);
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '[R6] after %s three times every world is where it would have been, with all its changes',
  async (signal) => {
    const settings = { DATA_DIR: nodes.dir(), SHARDS: '2' };
    let node = await nodes.ownProcess(settings);
    const worlds = await makeWorlds(node.twinUrl);
    for (let round = 0; round < 3; round++) {
      expect(await node.end(signal)).toBe(signal === 'SIGTERM' ? 0 : null);
      node = await nodes.ownProcess(settings);
      await expectKept(node.twinUrl, worlds);
    }
  },
);
