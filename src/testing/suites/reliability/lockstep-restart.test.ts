import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { F_ALL } from '../../../../assembly/layout.ts';
import { hashDigits } from '../../../twin/hash-digits.ts';
import { LivedWorld } from '../../rigs/lived-world.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { Api, vinOf } from '../twin/api.ts';
import { LockstepClient } from '../twin/lockstep-client.ts';

/** More than the masks of a record are behind. */
const CHANGES = 150;

const nodes = useNodes();

/** Kernels differ if their bytes do. */
const releaseOf = (build: number, name: string) => ({
  build,
  kernelFile: fileURLToPath(new URL(`../../../../build/${name}.wasm`, import.meta.url)),
});

test('[Y4] after a restart who lives the world gets only what is new, however much there was', async () => {
  const dataDir = nodes.dir();
  const first = await nodes.inProcess({ DATA_DIR: dataDir });
  const twin = new Api(first.twinUrl);
  const world = await twin.makeWorld({ seed: 31 });
  const stream = await LockstepClient.open(world);
  const lived = new LivedWorld(await stream.hello());
  const hashes = [String(lived.hash)];
  for (let i = 0; i < CHANGES; i++) {
    const vin = world.fleet[i % 20]?.vin;
    const json = { aeb: i % 40 >= 20 };
    const path = '/api/v1/vehicle/features';
    const [change] = await Promise.all([
      stream.nextOf('change'),
      twin.ask(path, { method: 'PATCH', vin, json }),
    ]);
    lived.change(change);
    hashes.push(String(lived.hash));
    expect(change.journal).toBe(hashes.at(-1));
  }
  await first.stop();

  const second = await nodes.inProcess({ DATA_DIR: dataDir });
  const url = (path: string) => second.twinUrl.replace('http', 'ws') + path;
  const again = { ...world, stream_url: url(`/ws/worlds/${world.id}`) };
  for (const seq of [0, 1, 63, 64, 65, 128, CHANGES]) {
    const resumed = await LockstepClient.open(again, `&since=${seq}&journal=${hashes[seq]}`);
    const hello = await resumed.hello();
    expect([hello.resumed, hello.changes.length]).toEqual([true, CHANGES - seq]);
    expect(hello.journal).toBe(hashes.at(-1));
    await resumed.close();
  }
  const whole = await LockstepClient.open(again);
  const hello = await whole.hello();
  expect(String(new LivedWorld(hello).hash)).toBe(hello.journal);
  await whole.close();
}, 60_000);

test('[R29] a world that another kernel has lived starts over durably before its first hello', async () => {
  const DATA_DIR = nodes.dir();
  const older = await nodes.inProcess({ DATA_DIR }, { release: releaseOf(1, 'kernel.scalar') });
  const twin = new Api(older.twinUrl);
  const world = await twin.makeWorld({ seed: 32, start_tick: 20_000 });
  const stream = await LockstepClient.open(world);
  const before = await stream.hello();
  const [change] = await Promise.all([
    stream.nextOf('change'),
    twin.patch(vinOf(world, 3), { brakes: false }),
  ]);
  await older.stop();

  /** Hello of the upgraded node for a client that knows the journal so far, and the state it gives. */
  const upgraded = async (known: { seq: number; journal: string }) => {
    const node = await nodes.inProcess({ DATA_DIR }, { release: releaseOf(2, 'kernel') });
    const stream_url = `${node.twinUrl.replace('http', 'ws')}/ws/worlds/${world.id}`;
    const query = `&since=${known.seq}&journal=${known.journal}`;
    const again = await LockstepClient.open({ ...world, stream_url }, query);
    return { node, again, hello: await again.hello() };
  };
  const first = await upgraded(change);
  const { hello } = first;
  expect([before.start.tick, before.kernel === hello.kernel]).toEqual([0, false]);
  expect(hello).toMatchObject({ resumed: false, image: null, changes: [], seq: 1 });
  expect(hello.start.tick).toBeGreaterThan(20_000);
  expect(hello.start.tick).toBeLessThanOrEqual(hello.tick);
  expect(hello.start.seq).toBe(1);
  expect(hello.start.masks.map((mask) => mask === F_ALL)).toEqual(
    world.fleet.map((_, i) => i !== 3),
  );
  const lived = new LivedWorld(hello);
  expect(String(lived.hash)).toBe(hello.journal);
  const twinAgain = new Api(first.node.twinUrl);
  const { tick } = await twinAgain.world('Snapshot', world, '/state');
  // The last frame up to that tick.
  const past = await twinAgain.world('State', world, `/state?tick=${tick}&hash=1`);
  lived.live(past.tick);
  expect(hashDigits(lived.kernel.hash(lived.slab))).toBe(past.hash);
  await first.node.stop();

  // It has not started over a second time: what its clients live is still the world.
  const second = await upgraded(hello);
  expect([second.hello.resumed, second.hello.start]).toEqual([true, hello.start]);
  await second.again.close();
}, 60_000);
