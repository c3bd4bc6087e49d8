import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Place } from '../../cluster-service.ts';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { BetweenNodes, TwinError } from '../../errors.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import { STORE_DOWN } from '../../testing/doubles/fake-twin.ts';
import { incidentWith } from '../../testing/doubles/incident.ts';
import { ask, type NodeFront, openTestFronts } from '../../testing/doubles/test-front.ts';
import { nextTurn } from '../../testing/doubles/test-time.ts';
import type { Incident } from '../../twin/wire.ts';

let near: NodeFront;
let far: NodeFront;
let close: () => Promise<void>;
/** A world of the far node. */
let world: FakeWorld;

beforeEach(() => {
  ({ near, far, close } = openTestFronts());
  world = addWorld();
});

afterEach(() => close());

function addWorld(): FakeWorld {
  const made = far.service.add();
  made.tickNow = 100;
  made.incidentList = Array.from({ length: 5 }, (_, i) => incident(made, i));
  made.changes = [{ tick: 3, car: 0, touched: 1, values: 0 }];
  return made;
}

function incident({ id, fleet: [car] }: FakeWorld, number: number): Incident {
  const when = { tick: number, time: number / 50 };
  return incidentWith(car?.vin ?? '', { id: `i${number}-0`, world: id, ...when });
}

const vin = () => world.fleet[0]?.vin ?? '';
const ofWorld = (path = '') => `/api/v1/worlds/${world.id}${path}`;
const ofCar = (path = '') => `/api/v1/vehicle${path}`;
const asCar = (init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { 'X-VIN': vin(), ...init.headers },
});

const VOLATILE = ['date', 'x-request-id'];

/** An answer without what differs each time. */
async function answerOf({ twinUrl }: NodeFront, path: string, init?: RequestInit) {
  const response = await fetch(twinUrl + path, { redirect: 'manual', ...init });
  const headers = [...response.headers].filter(([name]) => !VOLATILE.includes(name));
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  return { status: response.status, headers: Object.fromEntries(headers), body };
}

/** What the near node answers, which is what the far node does. */
async function forwarded(path: string, init?: RequestInit) {
  const before = near.cluster.forwarded.length;
  const own = await answerOf(far, path, init);
  const answer = await answerOf(near, path, init);
  expect(answer).toEqual(own);
  expect(near.cluster.forwarded.length).toBeGreaterThan(before);
  expect([near.service.loads, far.cluster.forwarded.length]).toEqual([0, 0]);
  return answer;
}

const WORLD_READS = [
  '/state',
  '/state?tick=40&hash=1',
  '/map',
  '/journal',
  '/incidents',
  '/incidents?after=i1-0&limit=2',
  '/incidents/i1-0',
  '/incidents/i1-0/replay?with=esc',
  '/events',
];
const CAR_READS = ['', '/features', '/telemetry', '/route', '/incidents'];

describe('[N1] a read of a world of another node is answered as that node answers it', () => {
  test.each([
    ['JSON', '*/*', 'application/json'],
    ['MessagePack', 'application/msgpack', 'application/msgpack'],
  ])('in %s', async (_, Accept, type) => {
    const paths = [...WORLD_READS.map(ofWorld), ...CAR_READS.map(ofCar)];
    for (const path of paths) {
      const { status, headers } = await forwarded(path, asCar({ headers: { Accept } }));
      expect([status, headers['content-type']]).toEqual([200, type]);
    }
    expect(world.touches).toBe(2 * paths.length);
  });

  test('also to HEAD', async () => {
    for (const path of [...WORLD_READS.map(ofWorld), ...CAR_READS.map(ofCar)]) {
      const { status, body } = await forwarded(path, asCar({ method: 'HEAD' }));
      expect([status, body]).toEqual([200, '']);
    }
  });

  test.each(['/map', '/journal', '/incidents'])('%s also with 304', async (path) => {
    const { headers } = await forwarded(ofWorld(path));
    const again = { headers: { 'If-None-Match': headers.etag ?? '' } };
    expect(await forwarded(ofWorld(path), again)).toMatchObject({ status: 304, body: '' });
  });

  test('a compressed map too', async () => {
    const { headers } = await forwarded(ofWorld('/map'), {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(headers['content-encoding']).toBe('gzip');
  });

  test.each([
    ['/incidents/i77-0', 404],
    ['/incidents/i1-0/replay?with=wings', 400],
    ['/incidents?limit=0', 400],
  ])('%s also with an error', async (path, status) => {
    expect(await forwarded(ofWorld(path))).toMatchObject({ status });
    const packed = { headers: { Accept: 'application/msgpack' } };
    expect(await forwarded(ofWorld(path), packed)).toMatchObject({ status });
  });

  test('an unknown world and VIN are unknown', async () => {
    far.service.worlds.delete(world.number);
    near.cluster.places.set(world.number, near.cluster.there);
    expect(await answerOf(near, ofWorld('/state'))).toEqual(await answerOf(far, ofWorld('/state')));
    const answer = await answerOf(near, ofCar(), asCar());
    expect(answer).toEqual(await answerOf(far, ofCar(), asCar()));
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'VIN']);
    expect(near.service.loads).toBe(0);
  });

  test('a world that is quarantined there is 503 with Retry-After', async () => {
    world.isHot = false;
    world.failure = new TwinError('world_unavailable', undefined, 60);
    const { status, headers, body } = await forwarded(ofWorld('/state'));
    expect([status, headers['retry-after']]).toEqual([503, '60']);
    expect(body).toContain('world_unavailable');
  });

  test('an internal error is 500 without details; the log of that node has them', async () => {
    world.isHot = false;
    world.failure = new Error('secret 123');
    const id = { headers: { 'X-Request-Id': 'mine-1' } };
    const { status, body } = await answerOf(near, ofWorld('/state'), id);
    expect(status).toBe(500);
    expect(body).not.toContain('secret');
    expect(near.logLines).toEqual([]);
    expect(far.logLines.map((line) => JSON.parse(line))).toMatchObject([
      {
        requestId: 'mine-1',
        route: 'GET /api/v1/worlds/{id}/state',
        err: { message: 'secret 123' },
      },
    ]);
  });

  test('a frame that is overwritten before it is sent is sent as it was', async () => {
    const whole = world.bytes('json').toString();
    world.frame = () => {
      const frame = world.bytes('json');
      void nextTurn().then(() => frame.fill(0));
      return frame;
    };
    expect((await answerOf(near, ofWorld('/state'))).body).toBe(whole);
  });

  test('the request id is that of the request', async () => {
    const headers = { 'X-Request-Id': 'mine-2' };
    const answer = await fetch(near.twinUrl + ofWorld('/state'), { headers });
    expect(answer.headers.get('x-request-id')).toBe('mine-2');
    expect(near.cluster.forwarded[0]).toMatchObject({
      requestId: 'mine-2',
      addressKey: '127.0.0.1',
    });
  });
});

test('[N1] every operation on a world or a car is answered by the node of the world', async () => {
  const { body } = await ask(`${near.twinUrl}/openapi.json`);
  const { paths } = body as { paths: Record<string, Record<string, { tags: string[] }>> };
  const operations = Object.entries(paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([method, { tags }]) => ({ path, method, tag: tags[0] ?? '' })),
  );
  const concerned = operations.filter(
    ({ path, tag }) => tag === 'vehicle' || (path.includes('{id}') && tag !== 'stream'),
  );
  expect(concerned.length).toBeGreaterThan(15);
  for (const { path, method } of concerned) {
    const url = path.replace('{id}', world.id).replace(/\{\w+\}/g, 'x');
    await ask(near.twinUrl + url, asCar({ method: method.toUpperCase() }));
    const last = near.cluster.forwarded.at(-1);
    expect([last?.path, last?.method], method + path).toEqual([url, method.toUpperCase()]);
  }
});

test('what names no world is answered at once', async () => {
  for (const path of [
    '/api/v1/worlds/x',
    '/api/v1/worlds/x/map',
    '/worlds/zz',
    '/api/v1/features',
  ]) {
    await ask(near.twinUrl + path);
  }
  expect((await ask(near.twinUrl + ofCar())).body).toMatchObject({ error: 'missing_vin' });
  const wrong = { headers: { 'X-VIN': 'DTW' } };
  expect((await ask(near.twinUrl + ofCar(), wrong)).body).toMatchObject({ error: 'unknown_vin' });
  expect(near.cluster.forwarded).toEqual([]);
});

describe('[N1] a change of a car of another node', () => {
  test('is made there, and answered as there', async () => {
    const patch = { method: 'PATCH', body: '{"brakes": false, "esc": false}' };
    const put = { method: 'PUT', body: '{"enabled": true}' };
    const changed = await answerOf(near, ofCar('/features'), asCar(patch));
    expect(JSON.parse(changed.body)).toMatchObject({ declared: { brakes: false, esc: false } });
    const set = await answerOf(near, ofCar('/features/esc'), asCar(put));
    expect(set.status).toBe(200);
    expect(await answerOf(far, ofCar('/features/esc'), asCar(put))).toEqual(set);
    const reset = await answerOf(near, ofCar('/features/reset'), asCar({ method: 'POST' }));
    expect(JSON.parse(reset.body)).toMatchObject({ declared: { brakes: true } });
    expect(world.changes).toHaveLength(5);
  });

  test.each(['{', '{"wings": true}', '{"brakes": 1}'])('is refused there: %s', async (body) => {
    const { status } = await forwarded(ofCar('/features'), asCar({ method: 'PATCH', body }));
    expect(status).toBe(400);
    expect(world.changes).toHaveLength(1);
  });
});

describe('an answer in pieces of another node', () => {
  beforeEach(() => {
    world.incidentList = Array.from({ length: 300 }, (_, i) => incident(world, i));
    world.steps = 2;
  });

  test('[N1] is sent in pieces, and complete', async () => {
    const { headers, body } = await forwarded(ofWorld('/incidents'));
    expect(headers['transfer-encoding']).toBe('chunked');
    expect(JSON.parse(body)).toEqual(world.incidentList);
  });

  test('that breaks off ends the connection; the next one is complete', async () => {
    near.cluster.piecesMax = 3;
    const response = await fetch(near.twinUrl + ofWorld('/incidents'));
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    near.cluster.piecesMax = Number.POSITIVE_INFINITY;
    expect((await forwarded(ofWorld('/incidents'))).status).toBe(200);
  });

  test('that breaks off before its first piece is 503', async () => {
    near.cluster.piecesMax = 0;
    const { status, body } = await ask(near.twinUrl + ofWorld('/incidents'));
    expect([status, body]).toMatchObject([503, { error: 'store_unavailable' }]);
  });

  test('is an error if its production fails before the first piece', async () => {
    world.journal = () => {
      throw new TwinError('world_unavailable');
    };
    world.incidents = async () => ({
      tag: 'a',
      pages: async function* () {
        yield '' as const;
        throw STORE_DOWN;
      },
    });
    expect((await forwarded(ofWorld('/journal'))).status).toBe(503);
    const { headers } = await forwarded(ofWorld('/incidents'));
    expect(headers['retry-after']).toBe('2');
  });
});

describe('a world between two nodes', () => {
  test('[N2] is waited for', async () => {
    for (const at of ['there', 'here'] as const) {
      const settled = Promise.withResolvers<Place>();
      near.cluster.places.set(world.number, { at: 'nowhere', retryMs: 700 });
      near.cluster.settles = settled.promise;
      const answer = ask(near.twinUrl + ofWorld('/state'));
      settled.resolve(at === 'here' ? { at } : near.cluster.there);
      if (at === 'here') near.service.worlds.set(world.number, world);
      expect(await answer).toMatchObject({ status: 200, body: { tick: 100 } });
      expect(near.cluster.forwarded).toHaveLength(1);
    }
  });

  test('[N2] is 503 with Retry-After if nobody takes it, and nothing is changed', async () => {
    near.cluster.places.set(world.number, { at: 'nowhere', retryMs: 700 });
    const patch = asCar({ method: 'PATCH', body: '{"brakes": false}' });
    for (const [path, init] of [
      [ofWorld('/state'), {}],
      [`/worlds/${world.id}`, {}],
      [ofCar('/features'), patch],
    ] as const) {
      const { status, headers, body } = await ask(near.twinUrl + path, init);
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
      const hint = expect.stringContaining('nothing was changed');
      expect(body).toEqual({ error: 'store_unavailable', hint });
    }
    expect([near.cluster.forwarded, world.changes.length]).toEqual([[], 1]);
  });

  test('[N2] a read that finds that its world has left is answered by the next node', async () => {
    near.cluster.places.set(world.number, { at: 'here' });
    near.service.load = async () => {
      near.cluster.places.set(world.number, near.cluster.there);
      throw STORE_DOWN;
    };
    expect((await ask(near.twinUrl + ofWorld('/state'))).status).toBe(200);
    expect(near.cluster.forwarded).toHaveLength(1);
  });

  test('[N2] a change that finds that its world has left is made at the next node, once', async () => {
    near.cluster.places.set(world.number, { at: 'here' });
    near.service.load = async () => {
      near.cluster.places.set(world.number, near.cluster.there);
      throw new BetweenNodes();
    };
    const patch = asCar({ method: 'PATCH', body: '{"brakes": false}' });
    expect((await ask(near.twinUrl + ofCar('/features'), patch)).status).toBe(200);
    expect([near.cluster.forwarded.length, world.changes.length]).toEqual([1, 2]);
  });

  test('[N3] a change is not sent again where the store may have it', async () => {
    near.cluster.places.set(world.number, { at: 'here' });
    near.service.load = async () => {
      near.cluster.places.set(world.number, near.cluster.there);
      throw STORE_DOWN;
    };
    const patch = asCar({ method: 'PATCH', body: '{"brakes": false}' });
    expect((await ask(near.twinUrl + ofCar('/features'), patch)).status).toBe(503);
    expect([near.cluster.forwarded.length, world.changes.length]).toEqual([0, 1]);
  });

  test('[N2] a node tells the one that asked if a world has left it: nothing was done', async () => {
    world.isHot = false;
    world.failure = new BetweenNodes();
    await ask(near.twinUrl + ofWorld('/state'));
    const [asked] = near.cluster.forwarded;
    if (asked === undefined) throw new Error('nothing was forwarded');
    await expect(far.cluster.answer(asked)).rejects.toBeInstanceOf(BetweenNodes);
  });

  test('a store that fails is no reason to ask another node', async () => {
    near.cluster.places.set(world.number, { at: 'here' });
    near.service.loadFailure = STORE_DOWN;
    expect((await ask(near.twinUrl + ofWorld('/state'))).status).toBe(503);
    expect(near.cluster.forwarded).toEqual([]);
  });
});

describe('a node that does not answer', () => {
  const patch = () => asCar({ method: 'PATCH', body: '{"brakes": false}' });

  test('is reported as the cluster does', async () => {
    near.cluster.failure = new TwinError('overloaded', 'Wait.', 3);
    const { status, headers, body } = await ask(near.twinUrl + ofWorld('/state'));
    expect([status, headers.get('retry-after')]).toEqual([503, '3']);
    expect(body).toEqual({ error: 'overloaded', hint: 'Wait.' });
  });

  test('[N3] makes a change 503, which says that it may have been made; a read does not', async () => {
    near.cluster.failure = new Error('the link is broken');
    const change = await ask(near.twinUrl + ofCar('/features'), patch());
    expect(change.status).toBe(503);
    expect(change.body).toEqual({
      error: 'store_unavailable',
      hint: expect.stringContaining('may have been made'),
    });
    near.cluster.createsElsewhere = true;
    for (const path of ['/', '/api/v1/worlds']) {
      const creation = await ask(near.twinUrl + path, { method: path === '/' ? 'GET' : 'POST' });
      expect(creation.body).toMatchObject({ hint: expect.stringContaining('may have been made') });
    }
    const read = await ask(near.twinUrl + ofWorld('/state'));
    expect(read.status).toBe(503);
    expect(read.body).toMatchObject({ hint: expect.not.stringContaining('may have been made') });
  });
});

describe('limits', () => {
  const tight = { burst: 1, perS: 0.001 };
  const limits = { ...DEFAULT_RATE_LIMITS, misses: tight, featureWrites: tight, worlds: tight };

  test('[N4] of forwarded calls count at the node of the world only', async () => {
    await close();
    const lenient = { ...DEFAULT_RATE_LIMITS, featureWrites: { burst: 3, perS: 0.001 } };
    ({ near, far, close } = openTestFronts({ rateLimits: limits }, { rateLimits: lenient }));
    world = addWorld();
    const patch = asCar({ method: 'PATCH', body: '{"brakes": false}' });
    const statuses = [];
    for (let i = 0; i < 4; i++) {
      statuses.push((await ask(near.twinUrl + ofCar('/features'), patch)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    far.service.worlds.delete(world.number);
    near.cluster.places.set(world.number, near.cluster.there);
    for (let i = 0; i < 4; i++) {
      expect((await ask(near.twinUrl + ofWorld('/state'))).status).toBe(404);
    }
  });

  test('[N4] of creations count at the node that creates', async () => {
    await close();
    ({ near, far, close } = openTestFronts({ rateLimits: limits }, { rateLimits: 'off' }));
    near.cluster.createsElsewhere = true;
    for (let i = 0; i < 4; i++) {
      const { status } = await ask(`${near.twinUrl}/api/v1/worlds`, { method: 'POST' });
      expect(status).toBe(201);
    }
    near.cluster.createsElsewhere = false;
    expect((await ask(`${near.twinUrl}/`)).status).toBe(303);
    expect((await ask(`${near.twinUrl}/`)).status).toBe(429);
  });
});

test('forwarded calls are counted at both nodes', async () => {
  await ask(near.twinUrl + ofWorld('/state'));
  await ask(near.twinUrl + ofWorld('/incidents/i77-0'));
  const countsOf = async ({ opsUrl }: NodeFront) => {
    const text = String((await ask(`${opsUrl}/metrics`)).body);
    return [...text.matchAll(/^twin_http_requests_total\{(.*)\} (\d+)$/gm)]
      .map(([, labels, count]) => `${labels} ${count}`)
      .filter((line) => line.includes('/worlds/{id}'));
  };
  const expected = (service: string) => [
    `service="${service}",route="GET /api/v1/worlds/{id}/state",status="200" 1`,
    `service="${service}",route="GET /api/v1/worlds/{id}/incidents/{incident}",status="404" 1`,
  ];
  expect(await countsOf(near)).toEqual(expected('twin'));
  expect(await countsOf(far)).toEqual(expected('forwarded'));
});
