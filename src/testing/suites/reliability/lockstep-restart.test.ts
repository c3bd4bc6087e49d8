import { expect, test } from 'vitest';
import { LivedWorld } from '../../rigs/lived-world.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { Api } from '../twin/api.ts';
import { LockstepClient } from '../twin/lockstep-client.ts';

/** More than the masks of a record are behind. */
const CHANGES = 150;

const nodes = useNodes();

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
