import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ask, makeWorld, stateOf } from './client.ts';
import { useNodes } from './nodes.ts';
import { StreamReader } from './stream-reader.ts';

const nodes = useNodes();

async function statusOf(base: string, { id }: { id: string }): Promise<number> {
  return (await ask(base, `/api/v1/worlds/${id}`)).status;
}

test('the idle time of a watched world begins when its last watcher leaves', async () => {
  const { twinUrl } = await nodes.inProcess({ WORLD_IDLE_SECONDS: '4' });
  const world = await makeWorld(twinUrl);
  const reader = await StreamReader.open(twinUrl, world);
  // Looked at as watched once or twice by now, it would fall due again before the next look.
  await sleep(9400);
  expect(reader.closeCode).toBeUndefined();
  reader.close();
  await sleep(3600);
  expect(await statusOf(twinUrl, world)).toBe(200);
}, 40_000);

test('a world that is called stays; one that nobody calls is gone, its cars with it, for good', async () => {
  const dir = nodes.dir();
  const settings = { DATA_DIR: dir, WORLD_IDLE_SECONDS: '2' };
  const node = await nodes.inProcess(settings);
  const { twinUrl } = node;
  const [called, forgotten] = [await makeWorld(twinUrl), await makeWorld(twinUrl)];
  await stateOf(twinUrl, forgotten);
  const vin = forgotten.fleet[0]?.vin ?? '';
  for (let i = 0; i < 10; i++) {
    expect(await statusOf(twinUrl, called)).toBe(200);
    await sleep(500);
  }
  expect(await statusOf(twinUrl, forgotten)).toBe(404);
  expect((await ask(twinUrl, '/api/v1/vehicle/features', { vin })).status).toBe(401);
  await node.stop();
  const again = await nodes.inProcess(settings);
  expect(await statusOf(again.twinUrl, called)).toBe(200);
  expect(await statusOf(again.twinUrl, forgotten)).toBe(404);
}, 40_000);
