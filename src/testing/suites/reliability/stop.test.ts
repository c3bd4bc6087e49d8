import { Agent, get } from 'node:http';
import { expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { makeWorld, type World } from './client.ts';
import { expectWhole } from './reference.ts';
import { StreamReader } from './stream-reader.ts';
import { expectSwitched, makeSites, moreAcknowledged, switchOn } from './switched-car.ts';

const WORLDS = 6;
const CARS = 4;
const STREAMS = 20;
/** Each has a request in flight nearly all the time. */
const LOOKING = 50;

const nodes = useNodes();

/**
 * Looks at a world again and again, over one connection for as long as the node keeps it, until
 * the node takes no more connections. Returns the statuses; rejects where a request got no answer.
 */
async function lookUntilRefused(base: string, { id }: World): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  try {
    for (;;) statuses.push(await statusOf(`${base}/api/v1/worlds/${id}/state`, agent));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    return statuses;
  } finally {
    agent.destroy();
  }
}

function statusOf(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

/** Ports of this process, below those that the system gives to clients: no other test takes them. */
function ownPorts() {
  const first = 20_000 + 3 * (process.pid % 3000);
  const [TWIN_PORT = '', DEALER_PORT = '', OPS_PORT = ''] = [0, 1, 2].map((i) => `${first + i}`);
  return { TWIN_PORT, DEALER_PORT, OPS_PORT };
}

test('[R7] a stop under load keeps every acknowledged change, ends streams with 1012 and exits with 0', async () => {
  const settings = { DATA_DIR: nodes.dir(), SHARDS: '1', ...ownPorts() };
  const first = await nodes.ownProcess(settings);
  const { twinUrl } = first;
  const sites = await makeSites(twinUrl, WORLDS, CARS);
  const all = sites.flatMap(({ cars }) => cars);
  const ofAny = <Result>(length: number, use: (world: World) => Promise<Result>) =>
    Array.from({ length }, (_, i) => use(at(sites, i % WORLDS).world));
  const readers = await Promise.all(ofAny(STREAMS, (world) => StreamReader.open(twinUrl, world)));
  const stopSwitching = switchOn(twinUrl, all);
  const looking = ofAny(LOOKING, (world) => lookUntilRefused(twinUrl, world));
  await moreAcknowledged(all, 20 * all.length);
  await until('frames', () => readers.every(({ snapshots }) => snapshots.length > 0));

  expect(await first.end('SIGTERM')).toBe(0);
  await stopSwitching();
  const statuses = (await Promise.all(looking)).flat();
  expect([...new Set(statuses)]).toEqual([200]);
  await until('streams are closed', () => readers.every(({ closeCode }) => closeCode));
  expect(readers.map(({ closeCode }) => closeCode)).toEqual(readers.map(() => 1012));

  // Nothing holds its ports any more, though its clients ended their connections only just now.
  const { twinUrl: again } = await nodes.ownProcess(settings);
  expect(again).toBe(twinUrl);
  for (const { world, cars } of sites) {
    await expectSwitched(again, world, cars);
    await expectWhole(again, world);
  }
  for (const { vin, acknowledged } of all) expect(acknowledged, vin).toBeGreaterThan(0);
});

test('[R8] signals are ignored while a node is stopping', async () => {
  const node = await nodes.ownProcess({ DATA_DIR: nodes.dir() });
  const world = await makeWorld(node.twinUrl, {});
  const reader = await StreamReader.open(node.twinUrl, world);
  const exit = node.end('SIGTERM');
  for (let i = 0; i < 5; i++) {
    process.kill(node.pid, i % 2 === 0 ? 'SIGINT' : 'SIGTERM');
  }
  expect(await exit).toBe(0);
  await until('the stream is closed', () => reader.closeCode !== undefined);
  expect(reader.closeCode).toBe(1012);
});
