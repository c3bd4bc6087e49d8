/** Requests a second of the busiest endpoints, each against an empty handler in the same run. */
import { systemTime } from '../src/time.ts';
import { compared, type Figure, figure } from './common/figures.ts';
import { askOnce, formatRequest } from './common/http-pool.ts';
import { type MadeWorld, makeWorlds } from './common/made-worlds.ts';
import type { Server } from './common/server.ts';
import { WatchSocket } from './common/watch-socket.ts';
import { bareLmdb } from './store.ts';
import { besideEmptyServer, measure, type Read, readFigures, togglingRequests } from './turns.ts';

const WORLD_COUNT = 32;
const HOT_MS = 1000;
const PATCH_P99_MS_MAX = 30;
const CREATED_PER_S_MIN = 2000;

export function run(): Promise<Figure[]> {
  return besideEmptyServer(async (node, empty) => {
    const worlds = await makeWorlds(node.url, WORLD_COUNT);
    const first = worlds[0] as MadeWorld;
    const events = { message: () => {}, closed: () => {} };
    const watcher = await WatchSocket.open(node.url, `/ws/worlds/${first.id}`, events);
    await systemTime.sleep(HOT_MS);
    const reads = await readFigures(await readsOf(node.url, first), node.url, empty);
    const changes = await changeFigures(node.url, empty, worlds);
    watcher.close();
    return [...reads, ...changes];
  });
}

async function readsOf(url: URL, { id, vins: [vin = ''] }: MadeWorld): Promise<Read[]> {
  const headers = { 'X-VIN': vin };
  const map = `/api/v1/worlds/${id}/map`;
  const { head } = await askOnce(url, formatRequest(url, 'GET', map));
  const unchanged = { 'If-None-Match': /\r\netag: *(\S+)/i.exec(head)?.[1] ?? '' };
  const telemetry = '/api/v1/vehicle/telemetry';
  return [
    { name: 'GET vehicle/features', path: '/api/v1/vehicle/features', headers, atLeast: 0.6 },
    { name: 'GET features', path: '/api/v1/features', atLeast: 0.6 },
    { name: 'GET map, 304', path: map, headers: unchanged, atLeast: 0.6 },
    { name: 'GET map, whole', path: map, atLeast: 0.6 },
    { name: 'GET telemetry, hot', path: telemetry, headers, atLeast: 0.15 },
    { name: 'GET state, hot', path: `/api/v1/worlds/${id}/state`, atLeast: 0.15 },
  ];
}

async function changeFigures(node: URL, empty: Server, worlds: MadeWorld[]): Promise<Figure[]> {
  const toggling = (path: string) =>
    togglingRequests(
      'aeb',
      worlds.flatMap(({ vins }) => vins),
      (vin) => ({ path, headers: { 'X-VIN': vin } }),
    );
  const patching = {
    own: toggling('/api/v1/vehicle/features'),
    empty: toggling('/accept/600'),
  };
  const commits = async () => (await bareLmdb()).perS;
  const patch = await measure(patching, node, empty, commits);
  const lmdb = { name: 'bare lmdb', value: patch.beside };
  const posting = [{ method: 'POST', path: '/api/v1/worlds' }];
  const create = await measure({ own: posting, empty: posting }, node, empty);
  return [
    compared('PATCH features, durable', patch.own.perS, '/s', lmdb, { atLeast: 0.3 }),
    compared('PATCH features, durable', patch.own.perS, '/s', patch.reference),
    figure('its p99', patch.own.p99Ms, 'ms', { atMost: PATCH_P99_MS_MAX }),
    figure('POST worlds', create.own.perS, '/s', { atLeast: CREATED_PER_S_MIN }),
    compared('POST worlds', create.own.perS, '/s', create.reference),
  ];
}
