import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { until } from '../../rigs/until.ts';
import { ask, makeWorld } from './client.ts';
import { useNodes } from './nodes.ts';
import { expectLived } from './reference.ts';
import { StreamReader } from './stream-reader.ts';

const HEALTHY = 5;
const SLOW = 3;
/** A reader is behind when it has not answered for so many frames and a few on their way. */
const UNREAD_FRAMES_MAX = 60;
const FRAME_TICKS = 4;

const nodes = useNodes();

async function metric(opsUrl: string, name: string): Promise<number> {
  const { text } = await ask(opsUrl, '/metrics');
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}

function gapsOf({ ticks }: StreamReader): number[] {
  return ticks.slice(1).map((tick, i) => tick - at(ticks, i));
}

test('readers that stop are skipped, then closed with 1013; those that go on get the newest frame; nobody else notices', async () => {
  const { twinUrl, opsUrl } = await nodes.inProcess();
  const world = await makeWorld(twinUrl, { seed: 1 });
  const open = (count: number) =>
    Promise.all(Array.from({ length: count }, () => StreamReader.open(twinUrl, world)));
  const [healthy, resting, stuck] = [await open(HEALTHY), await open(SLOW), await open(SLOW)];
  const all = [...healthy, ...resting, ...stuck];
  await until('frames', () => all.every(({ snapshots }) => snapshots.length > 20));

  for (const reader of [...resting, ...stuck]) reader.pause();
  const pausedAt = at(healthy, 0).lastTick;
  await sleep(8000);
  const taken = resting.map(({ snapshots }) => snapshots.length);
  for (const reader of resting) reader.resume();
  await until('resting readers are back', () =>
    resting.every(({ lastTick }) => lastTick > pausedAt + 400),
  );
  for (const [i, { snapshots, closeCode }] of resting.entries()) {
    // What lay in the buffers of the connection comes first; it is bounded.
    expect(snapshots.length - at(taken, i)).toBeLessThan(UNREAD_FRAMES_MAX + 20);
    expect(closeCode).toBeUndefined();
  }
  expect(await metric(opsUrl, 'stream_frames_skipped_total')).toBeGreaterThan(2 * SLOW * 20);

  const watching = `"watchers":${HEALTHY + SLOW},`;
  for (let s = 0; s < 25; s++) {
    if ((await ask(twinUrl, `/api/v1/worlds/${world.id}`)).text.includes(watching)) break;
    await sleep(1000);
  }
  expect((await ask(twinUrl, `/api/v1/worlds/${world.id}`)).text).toContain(watching);
  for (const reader of stuck) reader.resume();
  await until('stuck readers hear of it', () => stuck.every(({ closeCode }) => closeCode));
  expect(stuck.map(({ closeCode }) => closeCode)).toEqual(stuck.map(() => 1013));

  for (const reader of healthy) {
    expect(Math.min(...gapsOf(reader))).toBeGreaterThan(0);
    expect(Math.max(...gapsOf(reader))).toBeLessThanOrEqual(10 * FRAME_TICKS);
  }
  for (const reader of all) expectLived(world, [], reader.snapshots);
}, 60_000);
