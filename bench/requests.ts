/** Requests a second of the busiest endpoints, each against an empty handler in the same run. */
import { systemTime } from '../src/time.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { formatRequest, HttpPool } from './common/http-pool.ts';
import { type MadeWorld, makeWorlds } from './common/made-worlds.ts';
import { type Server, startEmptyServer, startNode } from './common/server.ts';
import { WatchSocket } from './common/watch-socket.ts';
import { bareLmdb } from './store.ts';
import { type Case, measure } from './turns.ts';
import type { Request } from './wrk.ts';

const WORLD_COUNT = 32;
const HOT_MS = 1000;
const PATCH_P99_MS_MAX = 30;
const CREATED_PER_S_MIN = 2000;

export async function run(): Promise<Figure[]> {
  const node = await startNode();
  const emptyServer = await startEmptyServer();
  try {
    const worlds = await makeWorlds(node.url, WORLD_COUNT);
    const first = worlds[0] as MadeWorld;
    const events = { message: () => {}, closed: () => {} };
    const watcher = await WatchSocket.open(node.url, `/ws/worlds/${first.id}`, events);
    await systemTime.sleep(HOT_MS);
    const figures = await measureAll(node, emptyServer, worlds);
    watcher.close();
    return figures;
  } finally {
    await Promise.all([node.stop(), emptyServer.stop()]);
  }
}

async function measureAll(node: Server, empty: Server, worlds: MadeWorld[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const each of await readCases(node.url, worlds[0] as MadeWorld)) {
    const { own, reference } = await measure(each, node.url, empty);
    figures.push(compared(each.name, own.perS, '/s', reference, each.bound));
  }
  const commits = async () => (await bareLmdb()).perS;
  const patch = await measure(patchCase(worlds), node.url, empty, commits);
  const lmdb = { name: 'bare lmdb', value: patch.beside };
  const create = await measure(createCase(), node.url, empty);
  return [
    ...figures,
    compared('PATCH features, durable', patch.own.perS, '/s', lmdb, { atLeast: 0.3 }),
    compared('PATCH features, durable', patch.own.perS, '/s', patch.reference),
    figure('its p99', patch.own.p99Ms, 'ms', { atMost: PATCH_P99_MS_MAX }),
    figure('POST worlds', create.own.perS, '/s', { atLeast: CREATED_PER_S_MIN }),
    compared('POST worlds', create.own.perS, '/s', create.reference),
  ];
}

async function readCases(url: URL, world: MadeWorld): Promise<Case[]> {
  const headers = { 'X-VIN': world.vins[0] ?? '' };
  const mapPath = `/api/v1/worlds/${world.id}/map`;
  const pool = await HttpPool.open(url, 1);
  const map = await pool.ask(formatRequest(url, 'GET', mapPath));
  const etag = /\r\netag: *(\S+)/i.exec(map.head)?.[1] ?? '';
  const reading = async (name: string, request: Request, atLeast: number): Promise<Case> => {
    const { method, path, headers: fields } = request;
    const answer = await pool.ask(formatRequest(url, method, path, fields));
    if (answer.status >= 400) throw new Error(`${path} was answered ${answer.status}`);
    const emptyPath = answer.status === 304 ? '/not-modified' : `/bytes/${answer.body.length}`;
    const empty = [{ method: 'GET', path: emptyPath, headers: fields ?? {} }];
    return { name, requests: [request], empty, bound: { atLeast } };
  };
  const get = (path: string, fields: Record<string, string> = {}): Request => ({
    method: 'GET',
    path,
    headers: fields,
  });
  const cases = [
    await reading('GET vehicle/features', get('/api/v1/vehicle/features', headers), 0.6),
    await reading('GET features', get('/api/v1/features'), 0.6),
    await reading('GET map, 304', get(mapPath, { 'If-None-Match': etag }), 0.6),
    await reading('GET map, whole', get(mapPath), 0.6),
    await reading('GET telemetry, hot', get('/api/v1/vehicle/telemetry', headers), 0.15),
    await reading('GET state, hot', get(`/api/v1/worlds/${world.id}/state`), 0.15),
  ];
  pool.close();
  return cases;
}

/** The feature of every car goes off and then on, so that each request changes something. */
function patchCase(worlds: readonly MadeWorld[]): Case {
  const vins = worlds.flatMap((world) => world.vins);
  const bodies = [false, true].map((value) => JSON.stringify({ aeb: value }));
  const patching = (path: string): Request[] =>
    bodies.flatMap((body) =>
      vins.map((vin) => ({ method: 'PATCH', path, headers: { 'X-VIN': vin }, body })),
    );
  return {
    name: 'PATCH features',
    requests: patching('/api/v1/vehicle/features'),
    empty: patching('/accept/600'),
  };
}

function createCase(): Case {
  const request = { method: 'POST', path: '/api/v1/worlds' };
  return { name: 'POST worlds', requests: [request], empty: [request] };
}
