import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TwinError } from '../../errors.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import {
  ask,
  type NodeFront,
  openTestFront,
  openTestFronts,
} from '../../testing/doubles/test-front.ts';
import type { FrontEndOptions } from '../front-end.ts';

let near: NodeFront;
let far: NodeFront;
let close = async () => {};
/** A world of the far node. */
let world: FakeWorld;

async function open(ofNear: Partial<FrontEndOptions>, ofFar?: Partial<FrontEndOptions>) {
  await close();
  ({ near, far, close } = openTestFronts(ofNear, ofFar));
  world = far.service.add();
}

beforeEach(() => open({}));
afterEach(async () => {
  await close();
  close = async () => {};
});

interface World {
  id: string;
  viewer_url: string;
  stream_url: string;
}

describe('[N5] a node that another one makes worlds for', () => {
  beforeEach(() => {
    near.cluster.createsElsewhere = true;
    far.cluster.createsElsewhere = true;
  });

  test('answers with the new world, which is made once', async () => {
    const made = { method: 'POST', body: '{"seed": 42}' };
    const { status, headers, body } = await ask(`${near.twinUrl}/api/v1/worlds`, made);
    const { id } = body as World;
    expect([status, headers.get('location')]).toEqual([201, `/api/v1/worlds/${id}`]);
    expect(body).toMatchObject({ seed: 42, viewer_url: `${near.twinUrl}/worlds/${id}` });
    expect([near.service.worlds.size, far.service.worlds.size]).toEqual([0, 2]);
    expect([near.cluster.forwarded.length, far.cluster.forwarded.length]).toEqual([1, 0]);
  });

  test('redirects a visitor to its own viewer', async () => {
    const { status, headers } = await ask(`${near.twinUrl}/`);
    expect(status).toBe(303);
    const page = await ask(near.twinUrl + headers.get('location'));
    expect(page.status).toBe(200);
    expect([near.service.worlds.size, far.service.worlds.size]).toEqual([0, 2]);
  });

  test('refuses what that node refuses', async () => {
    const wrong = { method: 'POST', body: '{"seed": -1}' };
    const { status, body } = await ask(`${near.twinUrl}/api/v1/worlds`, wrong);
    expect([status, body]).toMatchObject([400, { error: 'invalid_world_options' }]);
    near.cluster.failure = new TwinError('overloaded');
    expect((await ask(`${near.twinUrl}/`)).status).toBe(503);
  });

  test('passes a large journal on, of which that node keeps its message', async () => {
    const changes = Array.from({ length: 2000 }, (_, i) => ({
      ...{ tick: i, car: i % 20, features: { brakes: i % 2 === 0 } },
    }));
    const journal = { seed: 3, city: near.service.cities[0]?.name, kernel: 'c0ffee', changes };
    const body = Buffer.from(JSON.stringify({ journal: { ...journal, tick: 2000 } }));
    expect(body.byteLength).toBeGreaterThan(16 * 1024);
    const message = Buffer.concat([Buffer.from('before'), body]);
    await ask(`${near.twinUrl}/api/v1/worlds`, { method: 'POST' });
    const [call] = near.cluster.forwarded;
    if (call === undefined) throw new Error('nothing was forwarded');
    const forwarded = { ...call, body: message.subarray(6) };
    const { status, body: answer } = await far.cluster.answer(forwarded);
    expect([status, String(answer)]).toMatchObject([201, expect.stringContaining('"seed":3')]);
    expect(message.subarray(0, 6).toString()).toBe('before');
  });

  test('makes worlds itself again once it can', async () => {
    near.cluster.createsElsewhere = false;
    expect((await ask(`${near.twinUrl}/`)).status).toBe(303);
    expect([near.service.worlds.size, near.cluster.forwarded.length]).toEqual([1, 0]);
  });
});

describe('[N6] the addresses of a world', () => {
  const read = async ({ twinUrl }: NodeFront) =>
    (await ask(`${twinUrl}/api/v1/worlds/${world.id}`)).body as World;

  test('are those of the node that was asked', async () => {
    expect(await read(near)).toMatchObject({
      viewer_url: `${near.twinUrl}/worlds/${world.id}`,
      stream_url: `${near.twinUrl.replace('http', 'ws')}/ws/worlds/${world.id}`,
    });
  });

  test('have the public URL of the node that was asked, and the stream that of the world’s node', async () => {
    const far = { publicTwinUrl: 'https://far.example', nodeTwinUrl: 'https://node-2.example/x' };
    await open({ publicTwinUrl: 'https://twin.example' }, far);
    expect(await read(near)).toMatchObject({
      viewer_url: `https://twin.example/worlds/${world.id}`,
      stream_url: `wss://node-2.example/x/ws/worlds/${world.id}`,
    });
  });

  test('do not depend on a URL of the node where there is no cluster', async () => {
    const alone = openTestFront({ nodeTwinUrl: 'https://node-2.example' });
    try {
      const { body } = await ask(`${alone.twinUrl}/api/v1/worlds`, { method: 'POST' });
      const { stream_url, id } = body as World;
      expect(stream_url).toBe(`${alone.twinUrl.replace('http', 'ws')}/ws/worlds/${id}`);
      const { headers, body: page } = await ask(`${alone.twinUrl}/worlds/${id}`);
      expect(headers.get('content-security-policy')).not.toContain('ws: wss:');
      expect(page).not.toContain('name="streams"');
    } finally {
      await alone.close();
    }
  });
});

describe('[N7] the viewer of a world of another node', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  function pagesOf(name: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'web-'));
    folders.push(folder);
    for (const page of ['viewer', 'console', 'cluster', 'not-found']) {
      mkdirSync(join(folder, page));
      writeFileSync(join(folder, page, 'index.html'), `<head></head>the ${page} of ${name}`);
    }
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), '');
    return folder;
  }

  test('is the page of the node that was asked', async () => {
    await open({ webFolder: pagesOf('near') }, { webFolder: pagesOf('far') });
    const page = `${near.twinUrl}/worlds/${world.id}`;
    const { status, headers, body } = await ask(page);
    expect([status, body]).toEqual([200, expect.stringContaining('the viewer of near')]);
    expect(world.touches).toBe(1);
    const again = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
    expect((await ask(page, again)).status).toBe(304);
    far.service.worlds.delete(world.number);
    near.cluster.places.set(world.number, near.cluster.there);
    const gone = await ask(page);
    expect([gone.status, gone.body]).toEqual([404, expect.stringContaining('the viewer of near')]);
  });

  test('is refused as that node does', async () => {
    far.service.cold.add(world);
    far.service.loadFailure = new TwinError('store_unavailable', undefined, 3);
    const { status, headers, body } = await ask(`${near.twinUrl}/worlds/${world.id}`);
    expect([status, headers.get('retry-after')]).toEqual([503, '3']);
    expect(body).toMatchObject({ error: 'store_unavailable' });
  });

  test.each([
    [undefined, false],
    ['https://node-1.example', true],
  ])('may connect to the streams of other nodes if its own node has URL %s', async (url, may) => {
    await open({ nodeTwinUrl: url });
    const { headers, body } = await ask(`${near.twinUrl}/worlds/${world.id}`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(/connect-src 'self' ws: wss:[ ;]/.test(policy)).toBe(may);
    expect(String(body).includes('<meta name="streams" content="stream-url">')).toBe(may);
  });
});

describe('the map of a world of another node', () => {
  const map = () => ask(`${near.twinUrl}/api/v1/worlds/${world.id}/map`);

  test('has the bytes that each node has; only its tag comes from there', async () => {
    const { body } = await map();
    expect(body).toMatchObject({ city: world.city.name });
    expect(near.cluster.forwarded.map(({ head }) => head.ifNoneMatch)).toEqual(['*']);
  });

  test('comes from there if this node has no such city', async () => {
    const { body } = await map();
    near.service.cities = [];
    expect((await map()).body).toEqual(body);
    const asked = near.cluster.forwarded.map(({ head }) => head.ifNoneMatch);
    expect(asked).toEqual(['*', '*', '']);
  });
});

test('[O23] a request of a sampled trace can be followed from node to node', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const url = `${near.twinUrl}/api/v1/worlds/${world.id}/state`;
  const headers = { 'X-Request-Id': 'mine-3', traceparent };
  expect(await ask(url, { headers })).toMatchObject({ status: 200 });
  const [at, there] = [near, far].map(({ logLines }) => logLines.map((line) => JSON.parse(line)));
  const route = 'GET /api/v1/worlds/{id}/state';
  const common = { msg: 'traced request', traceId, requestId: 'mine-3', route, status: 200 };
  expect(at).toMatchObject([{ ...common, service: 'twin', parentId: '00f067aa0ba902b7' }]);
  expect(there).toMatchObject([{ ...common, service: 'forwarded', parentId: at?.[0].spanId }]);
});
