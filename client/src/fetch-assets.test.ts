import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { CAR_TYPES } from '../../src/twin/fleet.ts';
import { builtAssets } from '../testing/built-assets.ts';
import type { CityAssets } from './city-assets.ts';
import { fetchAssets } from './fetch-assets.ts';
import { TwinAddress } from './twin-address.ts';

const ADDRESS = new TwinAddress({ id: 'w', stream_url: 'ws://node.test/ws/worlds/w' });
const built = (path: string) => readFileSync(new URL(`../../build/${path}`, import.meta.url));

const files = new Map<string, Uint8Array>();
function named(extension: string, content: Uint8Array): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 32);
  const path = `/lockstep/${hash}.${extension}`;
  files.set(path, content);
  return path;
}

/** Addresses of which a part is another one for each length, so that they are fetched anew. */
function assetsOf(length: number) {
  return {
    kernel: named('wasm', built('kernel.wasm')),
    frames: named('wasm', built('frames.wasm')),
    table: named('table', built('cities/grid.coded')),
    car_types: named('json', Buffer.from(JSON.stringify(CAR_TYPES).padEnd(length))),
  };
}

/** Which files come with a byte that is another one: as the node sends them, or as the browser keeps them. */
interface Spoiled {
  sent?: string;
  kept?: string;
}

/** A node that has these files, and a browser that has kept them. Returns what was asked past the cache. */
function serve({ sent, kept }: Spoiled = {}): string[] {
  const reloaded: string[] = [];
  const cached = new Set(kept === undefined ? [] : [kept]);
  vi.stubGlobal('fetch', async (url: string, { cache }: { cache?: string } = {}) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith('/map')) return Response.json((await builtAssets('grid')).map);
    if (cache === 'reload') {
      reloaded.push(pathname);
      cached.delete(pathname);
    }
    const bytes = Uint8Array.from(files.get(pathname) ?? []);
    const middle = bytes.length >> 1;
    if (pathname === sent || cached.has(pathname)) bytes[middle] = 1 ^ (bytes[middle] ?? 0);
    return new Response(bytes, { status: files.has(pathname) ? 200 : 404 });
  });
  return reloaded;
}
afterEach(() => vi.unstubAllGlobals());

const NAMES = ['kernel', 'table', 'car_types'] as const;

async function expectAssets(found: Promise<CityAssets>): Promise<void> {
  const wanted = await builtAssets('grid');
  const { kernel, table, carTypes, map } = await found;
  expect(Buffer.compare(kernel, wanted.kernel)).toBe(0);
  expect(Buffer.compare(new Uint8Array(table), new Uint8Array(wanted.table))).toBe(0);
  expect([carTypes, map.city]).toEqual([CAR_TYPES, 'grid']);
}

test.each(NAMES)('[K12] a spoiled asset is not used, and is asked for again: %s', async (name) => {
  const assets = assetsOf(100_000 + name.length);
  const reloaded = serve({ sent: assets[name] });
  await expect(fetchAssets(ADDRESS, { assets })).rejects.toThrow(`${assets[name]} is spoiled`);
  expect(reloaded).toEqual([assets[name]]);
  serve();
  await expectAssets(fetchAssets(ADDRESS, { assets }));
});

test.each(NAMES)(
  '[K12] a browser that keeps a spoiled asset gets a sound one: %s',
  async (name) => {
    const assets = assetsOf(200_000 + name.length);
    const reloaded = serve({ kept: assets[name] });
    await expectAssets(fetchAssets(ADDRESS, { assets }));
    expect(reloaded).toEqual([assets[name]]);
  },
);
