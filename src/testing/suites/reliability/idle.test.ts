import { expect, test } from 'vitest';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { vinOf } from '../twin/api.ts';
import { ask, makeWorld, stateOf } from './client.ts';
import { StreamReader } from './stream-reader.ts';

const nodes = useNodes();

async function statusOf(base: string, { id }: { id: string }): Promise<number> {
  return (await ask(base, `/api/v1/worlds/${id}`)).status;
}

test('[W34] the idle time of a watched world begins when its last watcher leaves', async () => {
  const { twinUrl, skip } = await nodes.inProcess({ WORLD_IDLE_SECONDS: '60' });
  const world = await makeWorld(twinUrl);
  const reader = await StreamReader.open(twinUrl, world);
  // Streams without frames for 15 s are ended.
  for (let i = 0; i < 9; i++) {
    const { length } = reader.snapshots;
    await skip(10_000);
    await until('a frame', () => reader.snapshots.length > length + 1);
  }
  expect(reader.closeCode).toBeUndefined();
  reader.close();
  await skip(55_000);
  expect(await statusOf(twinUrl, world)).toBe(200);
});

test('[W33] a world that is called stays; one that nobody calls is gone for good, with its cars', async () => {
  const settings = { DATA_DIR: nodes.dir(), WORLD_IDLE_SECONDS: '60' };
  const node = await nodes.inProcess(settings);
  const { twinUrl } = node;
  const [called, forgotten] = [await makeWorld(twinUrl), await makeWorld(twinUrl)];
  await stateOf(twinUrl, forgotten);
  const vin = vinOf(forgotten, 0);
  for (let i = 0; i < 3; i++) {
    expect(await statusOf(twinUrl, called)).toBe(200);
    await node.skip(25_000);
  }
  // A request would keep it.
  await until('the end of a world', () => node.worlds.handleCount === 1);
  expect(await statusOf(twinUrl, forgotten)).toBe(404);
  expect(await statusOf(twinUrl, called)).toBe(200);
  expect((await ask(twinUrl, '/api/v1/vehicle/features', { vin })).status).toBe(401);
  await node.stop();
  const again = await nodes.inProcess(settings);
  expect(await statusOf(again.twinUrl, called)).toBe(200);
  expect(await statusOf(again.twinUrl, forgotten)).toBe(404);
});
