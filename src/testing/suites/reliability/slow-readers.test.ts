import { expect, test } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { metricOf } from '../../rigs/metric.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { until } from '../../rigs/until.ts';
import { ask, makeWorld } from './client.ts';
import { expectLived } from './reference.ts';
import { moreFrames, StreamReader } from './stream-reader.ts';

const HEALTHY = 5;
const SLOW = 3;
/** A reader is behind with so many unanswered frames and a few on their way. */
const UNREAD_FRAMES_MAX = 60;

const nodes = useNodes();

function gapsOf({ ticks }: StreamReader): number[] {
  return ticks.slice(1).map((tick, i) => tick - at(ticks, i));
}

test('[S13] readers that stop are skipped, then closed with 1013; those that resume get the newest frame; other streams go on', async () => {
  const node = await nodes.inProcess();
  const { twinUrl, skip } = node;
  const world = await makeWorld(twinUrl, { seed: 1 });
  const open = (count: number) =>
    Promise.all(Array.from({ length: count }, () => StreamReader.open(twinUrl, world)));
  const [healthy, resting, stuck] = [await open(HEALTHY), await open(SLOW), await open(SLOW)];
  const all = [...healthy, ...resting, ...stuck];
  await until('frames', () => all.every(({ snapshots }) => snapshots.length > 20));

  for (const reader of [...resting, ...stuck]) reader.pause();
  const skipped = () => metricOf(node, 'twin_stream_frames_skipped_total');
  const isSkipped = async () => (await skipped()) > 2 * SLOW * 20;
  await until('frames are skipped', isSkipped);
  const taken = resting.map(({ snapshots }) => snapshots.length);
  const pausedUntil = at(healthy, 0).lastTick;
  for (const reader of resting) reader.resume();
  await until('the newest frames', () => resting.every(({ lastTick }) => lastTick > pausedUntil));
  for (const [i, { ticks, closeCode }] of resting.entries()) {
    // The buffers of the connection are read first; they are bounded.
    const unread = ticks.slice(at(taken, i)).filter((tick) => tick <= pausedUntil);
    expect(unread.length).toBeLessThan(UNREAD_FRAMES_MAX + 20);
    expect(closeCode).toBeUndefined();
  }

  await skip(10_000);
  await moreFrames(healthy, 2);
  const watching = `"watchers":${HEALTHY + SLOW},`;
  await until('the end of stuck streams', async () =>
    (await ask(twinUrl, `/api/v1/worlds/${world.id}`)).text.includes(watching),
  );
  for (const reader of stuck) reader.resume();
  await until('stuck readers are closed', () => stuck.every(({ closeCode }) => closeCode));
  expect(stuck.map(({ closeCode }) => closeCode)).toEqual(stuck.map(() => 1013));

  for (const reader of healthy) {
    expect(Math.min(...gapsOf(reader))).toBeGreaterThan(0);
    expect(reader.closeCode).toBeUndefined();
  }
  for (const reader of all) expectLived(world, [], reader.snapshots);
});
