import { afterAll, beforeAll, expect, test } from 'vitest';
import { useNodes } from '../../src/testing/rigs/nodes.ts';
import { startRedis, type TestRedis } from '../../src/testing/rigs/redis.ts';
import { until } from '../../src/testing/rigs/until.ts';
import { Api, vinOf } from '../../src/testing/suites/twin/api.ts';
import { LiveWorld } from '../src/live-world.ts';

const LOST = 3;
const PATIENCE_MS = 60_000;

const nodes = useNodes();
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.discard());

test('[K7] after Redis has lost its last writes a world is lived as its journal now is', async () => {
  const node = await nodes.inProcess({ REDIS_URL: redis.url, DATA_DIR: nodes.dir() });
  const twin = new Api(node.twinUrl);
  const world = await twin.makeWorld({ seed: 31 });
  const live = new LiveWorld(world);
  const happened: string[] = [];
  live.subscribe(({ type }) => void happened.push(type));
  try {
    await live.ready;
    const off = (car: number) => twin.patch(vinOf(world, car), { brakes: false });
    await off(0);
    await until('the change that stays', () => live.world?.seq === 1);
    await redis.keepData();
    for (let car = 1; car <= LOST; car++) await off(car);
    await until('the changes that are lost', () => live.world?.seq === 1 + LOST);
    await redis.loseTail();
    const began = () => happened.includes('restart');
    await until('a new beginning', began, PATIENCE_MS);
    await until('the journal', () => live.world?.seq === 1, PATIENCE_MS);
    await until('a pulse', () => live.state === 'verified', PATIENCE_MS);
    const tick = (live.world?.tick ?? 0) - 1;
    const past = await twin.world('State', world, `/state?tick=${tick}&hash=1`);
    expect(live.world?.at(past.tick)?.hash).toBe(past.hash);
  } finally {
    live.close();
  }
}, 120_000);
