import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FRAME_TICKS } from '../../../../assembly/layout.ts';
import { STORE_WAIT_MS } from '../../../limits.ts';
import type { TestNode } from '../../rigs/node.ts';
import { useNodes } from '../../rigs/nodes.ts';
import { startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { vinOf } from '../twin/api.ts';
import { ask, makeWorld, stateOf, tickOf, type World } from './client.ts';
import { expectWhole } from './reference.ts';
import { moreFrames, StreamReader } from './stream-reader.ts';
import { declaredOf } from './switched-car.ts';

const nodes = useNodes();
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.discard());

const FEATURES = '/api/v1/vehicle/features';
const AEB_OFF = { method: 'PATCH', json: { aeb: false } };

/** What can be asked of a world without the store. */
const READS = ['', '/state', '/events'];
const CAR_READS = ['/telemetry', '/features'];

/** A world that is watched, another one, and one that only is in memory. */
async function makeWorlds({ twinUrl }: TestNode) {
  const held = await makeWorld(twinUrl, { seed: 1 });
  const watched = await makeWorld(twinUrl, { seed: 2 });
  const warm = await makeWorld(twinUrl, { seed: 3 });
  await stateOf(twinUrl, warm);
  const heldReader = await StreamReader.open(twinUrl, held);
  const reader = await StreamReader.open(twinUrl, watched);
  await moreFrames([heldReader, reader], 3);
  return { held, watched, warm, heldReader, reader };
}

/** Reads everything that needs no store; the highest tick of the answers, which never goes back. */
async function readAll({ twinUrl }: TestNode, world: World, from = 0): Promise<number> {
  let tick = from;
  const read = async (path: string, vin?: string) => {
    const answer = await ask(twinUrl, path, { vin });
    expect(answer.status, `${path} ${answer.text}`).toBe(200);
    const shown = /"(fleet|lights|speed_kmh)"/.test(answer.text) ? tickOf(answer.text) : Number.NaN;
    if (Number.isNaN(shown)) return;
    expect(shown, path).toBeGreaterThanOrEqual(tick);
    tick = shown;
  };
  for (const path of READS) await read(`/api/v1/worlds/${world.id}${path}`);
  for (const path of CAR_READS) await read(`/api/v1/vehicle${path}`, vinOf(world, 1));
  return tick;
}

/** Sends a change; `status` is set once it is answered. */
function change({ twinUrl }: TestNode, world: World) {
  const sent = { status: 0, hint: '' };
  void ask(twinUrl, FEATURES, { ...AEB_OFF, vin: vinOf(world, 0) }).then(({ status, body }) => {
    Object.assign(sent, { status, hint: (body as { hint?: string }).hint });
  });
  return sent;
}

async function expectRefused({ twinUrl }: TestNode, world: World): Promise<void> {
  const writes = [
    [FEATURES, { ...AEB_OFF, vin: vinOf(world, 2) }],
    ['/api/v1/worlds', { method: 'POST' }],
  ] as const;
  for (const [path, asking] of writes) {
    const { status, text, headers } = await ask(twinUrl, path, asking);
    expect([status, Number(headers.get('Retry-After')) >= 1], text).toEqual([503, true]);
    expect(text).toContain('nothing was changed');
  }
}

/** The world shows no tick beyond the frames that its stream has got, or gets at once. */
async function expectStanding(reader: StreamReader, tick: number): Promise<void> {
  await until('the last frame before the hold', () => reader.lastTick + FRAME_TICKS >= tick);
}

test('[R32] a commit that hangs delays only the stream of its world, and every request is answered', async () => {
  const node = await nodes.withFaultyStore();
  const { held, watched, warm, heldReader, reader } = await makeWorlds(node);
  const commits = vi.spyOn(node.store, 'commit');
  node.store.setFault({ kind: 'held' });
  try {
    const first = change(node, held);
    await until('a commit', () => commits.mock.calls.length > 0);
    await node.time.jump(STORE_WAIT_MS / 4);
    const tick = await readAll(node, held);
    for (let quarter = 0; quarter < 3; quarter++) await node.time.jump(STORE_WAIT_MS / 4);
    await until('an answer', () => first.status !== 0);
    // Where the machine is busy, the request ends before the store has had its time.
    const hint = expect.stringMatching(
      /^The (change may have been made|request timed out and may)/,
    );
    expect(first).toEqual({ status: 503, hint });
    // Nobody can know then what is declared.
    const declared = () => ask(node.twinUrl, FEATURES, { vin: vinOf(held, 0) });
    await until('a store that hangs', async () => (await declared()).status === 503);

    await node.time.jump(2000);
    await expectStanding(heldReader, await readAll(node, held, tick));
    await readAll(node, warm);
    expect((await ask(node.twinUrl, `/api/v1/worlds/${held.id}/journal`)).status).toBe(503);
    await expectRefused(node, held);
    await expectRefused(node, watched);
    await moreFrames([reader], 10);
    await expectStanding(heldReader, await readAll(node, held, tick));
  } finally {
    node.store.setFault({ kind: 'none' });
  }
  await moreFrames([heldReader], 5);
  await readAll(node, held, heldReader.lastTick);
  expect(await declaredOf(node.twinUrl, vinOf(held, 0))).toMatchObject({ aeb: false });
  await expectWhole(node.twinUrl, held);
});

test('[R32] while Redis hangs only the stream of a world with a change stands, and no request waits', async () => {
  // The lease outlasts the hang, however slow the machine is.
  const lease = { LEASE_SECONDS: '60' };
  const node = await nodes.inProcess({ REDIS_URL: redis.url, DATA_DIR: nodes.dir(), ...lease });
  const { held, warm, heldReader, reader } = await makeWorlds(node);
  redis.pause();
  try {
    const first = change(node, held);
    await until('the stream stands', async () => {
      const { length } = heldReader.snapshots;
      await moreFrames([reader], 3);
      return heldReader.snapshots.length === length;
    });
    expect(first.status).toBe(0);
    const tick = await readAll(node, held);
    await expectStanding(heldReader, tick);
    await until('an answer', () => first.status !== 0);
    expect(first).toEqual({ status: 503, hint: 'The change may have been made: read it back.' });
    await readAll(node, held, tick);
    await readAll(node, warm);
    await expectRefused(node, held);
    // What lists incidents needs the store, and is refused.
    const car = await ask(node.twinUrl, '/api/v1/vehicle', { vin: vinOf(held, 1) });
    expect(car.status, car.text).toBe(503);
    expect((await fetch(`${node.dealerUrl}/api/state`)).status).toBe(503);
  } finally {
    redis.resume();
  }
  await moreFrames([heldReader], 5);
  await expectWhole(node.twinUrl, held);
});
