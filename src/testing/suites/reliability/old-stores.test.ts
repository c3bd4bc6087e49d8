import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../../city/geometry.ts';
import { systemTime } from '../../../time.ts';
import { TestTime } from '../../doubles/test-time.ts';
import { startTestNode, type TestNode } from '../../rigs/node.ts';
import { recomputed } from '../../rigs/recomputed-report.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../rigs/redis.ts';
import { until } from '../../rigs/until.ts';
import { DealerApi } from '../dealer/dealer-api.ts';
import { Api } from '../twin/api.ts';
import type { Incident } from '../twin/wire.ts';

/**
 * What version 1.4.2 left in a store in November 2026, and what it answered at that time. Worlds
 * would be behind by all the time since, so the node's time is that of the store.
 */
const STORED = new URL('../../fixtures/store-2026-11/', import.meta.url);
const JUST_AFTER_MS = Date.parse('2026-11-23T08:03:00Z');

const ENGINES = [
  { engine: 'embedded', file: 'data.mdb' },
  ...(HAS_REDIS ? [{ engine: 'redis', file: 'dump.rdb' }] : []),
];

const stored = (name: string) => readFileSync(new URL(name, STORED));

describe.each(ENGINES)('a store of 1.4.2, $engine', ({ engine, file }) => {
  const then = JSON.parse(stored(`${engine}.json`).toString());
  let folder: string;
  let redis: TestRedis | undefined;
  let node: TestNode;
  let twin: Api;
  let dealer: DealerApi;
  let token: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'twin-old-'));
    writeFileSync(join(folder, file), gunzipSync(stored(`${file}.gz`)));
    if (engine === 'redis') redis = await startRedis('--dir', folder, '--appendonly', 'no');
    // With Redis nodes have the clock of the server.
    const aheadMs = JUST_AFTER_MS - systemTime.wallMs();
    await redis?.ask(`HSET dt:{dp}:clock correction ${aheadMs}`);
    const settings = redis ? { REDIS_URL: redis.url } : { DATA_DIR: folder };
    node = await startTestNode(settings, { time: TestTime.running(JUST_AFTER_MS) });
    twin = new Api(node.twinUrl);
    dealer = new DealerApi(node.dealerUrl);
    const login = { role: 'user', username: 'tove', password: 'tove-secret' };
    const { body } = await dealer.ask('POST /api/auth/login', { json: login });
    token = String(body.access_token);
  });

  afterAll(async () => {
    await node?.discard();
    await redis?.discard();
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps accounts, with what is encrypted in them', async () => {
    const { body } = await dealer.ask('GET /api/me/profile', { token });
    expect(body).toEqual(then.profile);
  });

  it('keeps cars, their owners and their flags', async () => {
    const { text } = await dealer.ask('GET /api/cars', { token });
    const cars = JSON.parse(text).filter(({ vin }: { vin: string }) => vin === then.world.vin);
    const { viewer_url: url, ...car } = cars[0];
    expect(url).toContain(`/worlds/${then.world.id}`);
    expect([car]).toEqual(then.cars);
  });

  it.each(['world', 'second'])('keeps the journal of the %s', async (which) => {
    const { id, vin, journal } = then[which];
    const { seed, city, changes } = await twin.world('Journal', { id }, '/journal');
    expect({ seed, city, changes }).toEqual({
      seed: journal.seed,
      city: journal.city,
      changes: journal.changes,
    });
    const { declared } = await twin.vehicle('FeatureState', vin, '/features');
    expect(declared).toMatchObject(journal.changes[0].features);
  });

  it('keeps incidents with their explanations', async () => {
    const incidents = await twin.world('Incidents', then.world, '/incidents');
    const stored: Incident[] = then.world.incidents;
    expect(stored.length).toBeGreaterThan(0);
    for (const [i, { earned, ...report }] of stored.entries()) {
      const now = at(incidents, i);
      expect(now).toMatchObject(report);
      // Today it is computed from the figures that are shown.
      expect(now.earned).toEqual(recomputed(now));
      expect(now.earned.severity).toBe(earned.severity);
      expect(now.earned.injury_risk).toBeCloseTo(earned.injury_risk, 3);
      expect(now.earned.points).toBeCloseTo(earned.points, 0);
      expect(now.earned.repair_cost).toBeCloseTo(earned.repair_cost, 0);
    }
  });

  it('lets worlds go on: they take changes and move', async () => {
    const before = await twin.world('Snapshot', then.world, '/state');
    const { declared } = await twin.patch(then.world.vin, { brakes: true });
    expect(declared.brakes).toBe(true);
    await until('a later tick', async () => {
      return (await twin.world('Snapshot', then.world, '/state')).tick > before.tick;
    });
  });
});
