import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PARTITION_COUNT } from '../../../limits.ts';
import type { Release } from '../../../node.ts';
import { systemTime } from '../../../time.ts';
import { parseWorldId, partitionOf } from '../../../twin/ids.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { makeWorld, type World } from './client.ts';
import { moreFrames, StreamReader } from './stream-reader.ts';

const WORLDS = 8;
const SETTINGS = { SHARDS: '1', DRAIN_SECONDS: '0.5', LEASE_SECONDS: '60' };
const LOOK_MS = 10;

const kernelFile = (name: string) =>
  fileURLToPath(new URL(`../../../../build/${name}.wasm`, import.meta.url));
/** Kernels differ if their bytes do. */
const OLDER: Release = { build: 1, kernelFile: kernelFile('kernel.scalar') };
const NEWER: Release = { build: 2, kernelFile: kernelFile('kernel') };

const nodes = useNodes();
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.discard());

const start = (name: string, release: Release) =>
  nodes.inProcess({ REDIS_URL: redis.url, NODE_NAME: name, ...SETTINGS }, { release });

const heldBy = ({ ranges }: TestNode) => ranges.shown().length;

/** The starts of a world, as the nodes that have held it have stored them. */
class Starts {
  readonly kernels: string[] = [];
  readonly #number: number;

  constructor({ id }: World) {
    this.#number = parseWorldId(id) ?? 0;
  }

  async look(living: readonly TestNode[]): Promise<void> {
    for (const { worlds } of living) {
      const record = await worlds
        .recordsOf(partitionOf(this.#number))
        ?.record(this.#number)
        .catch(() => undefined);
      if (record !== undefined && record.kernel !== this.kernels.at(-1)) {
        this.kernels.push(record.kernel);
      }
    }
  }
}

test('[N19] worlds start over once at most where kernels are mixed, and never on an older one', async () => {
  const first = await start('a', OLDER);
  const worlds = await Promise.all(
    Array.from({ length: WORLDS }, (_, seed) => makeWorld(first.twinUrl, { seed })),
  );
  const starts = worlds.map((world) => new Starts(world));
  const living = [first];
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      await Promise.all(starts.map((each) => each.look(living)));
      await systemTime.sleep(LOOK_MS);
    }
  })();

  const newer = await start('b', NEWER);
  living.push(newer);
  await until('balance', () => heldBy(newer) === PARTITION_COUNT / 2);
  const readers = await Promise.all(worlds.map((world) => StreamReader.open(newer.twinUrl, world)));
  await moreFrames(readers, 3);

  // One more of the older release gets nothing of the newer one, which keeps what it has.
  const third = await start('c', OLDER);
  living.push(third);
  await until('the third node has its share', () => heldBy(third) === PARTITION_COUNT / 4);
  expect(heldBy(newer)).toBe(PARTITION_COUNT / 2);

  // What the older ones leave goes to the newer one.
  living.splice(living.indexOf(first), 1);
  await first.stop();
  living.splice(living.indexOf(third), 1);
  await third.stop();
  await until('the newer node has all', () => heldBy(newer) === PARTITION_COUNT);
  await moreFrames(readers, 3);

  const last = await start('d', OLDER);
  living.push(last);
  await until('it is heard of', () => newer.cluster?.nodeCount === 2);
  await moreFrames(readers, 10);
  expect([heldBy(newer), heldBy(last)]).toEqual([PARTITION_COUNT, 0]);

  isOver = true;
  await looking;
  const [older = '', newest] = starts[0]?.kernels ?? [];
  expect(older).not.toBe(newest);
  expect(starts.map(({ kernels }) => kernels)).toEqual(worlds.map(() => [older, newest]));
  for (const { ticks, closeCode } of readers) {
    expect(closeCode).toBeUndefined();
    expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b));
  }
});
