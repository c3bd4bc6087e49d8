import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CITIES } from '../../city/catalogue.ts';
import { BUILT_CITIES } from '../../city/city-set.ts';
import {
  ask,
  openTestFront,
  openTestFronts,
  type TestFront,
} from '../../testing/doubles/test-front.ts';
import { TestTime } from '../../testing/doubles/test-time.ts';
import { CAR_TYPES } from '../../twin/fleet.ts';
import { createRateLimits } from '../server/rate-limits.ts';
import { type LockstepFiles, lockstepAssets } from './lockstep-assets.ts';
import { WorldAccess } from './world-access.ts';

const built = (path: string) => fileURLToPath(new URL(`../../../build/${path}`, import.meta.url));
const FILES: LockstepFiles = {
  kernel: built('kernel.wasm'),
  frames: built('frames.wasm'),
  cities: fileURLToPath(BUILT_CITIES),
};
const names = CITIES.map(({ name }) => name);

let front: TestFront;
beforeEach(() => {
  front = openTestFront();
});
afterEach(() => front.close());

/** The addresses that a front end with these files has. */
function assetsOf(city: string, files = FILES) {
  const limits = createRateLimits('off', TestTime.standing());
  return lockstepAssets(files, names, new WorldAccess(front.service, limits)).assetsOf(city);
}

/** The answer as it is sent; `fetch` would decompress it. */
function sent(url: string, acceptEncoding = '', tag = '') {
  const headers = { 'Accept-Encoding': acceptEncoding, 'If-None-Match': tag };
  return new Promise<{ status?: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      get(url, { headers }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode,
            headers: answer.headers,
            body: Buffer.concat(pieces),
          }),
        );
      }).on('error', reject);
    },
  );
}

const everyAddress = () =>
  new Set(names.flatMap((city) => Object.values(assetsOf(city)) as string[]));
const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;

describe('the files that a world is lived with', () => {
  test('[W41] have the hash of their content as their names, and are cached for ever by anybody', async () => {
    const addresses = everyAddress();
    expect(addresses.size).toBe(names.length + 3);
    for (const address of addresses) {
      const { status, headers, body } = await sent(front.twinUrl + address);
      const hash = createHash('sha256').update(body).digest('hex').slice(0, 32);
      expect([status, address]).toEqual([
        200,
        expect.stringMatching(`^/lockstep/${hash}\\.[a-z]+$`),
      ]);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['access-control-allow-origin']).toBe('*');
    }
  });

  test('are the kernel, the module of its frames, the table of the city and the types of cars', async () => {
    for (const city of names) {
      const { kernel, frames, table, car_types } = assetsOf(city);
      const contents = [
        [kernel, 'application/wasm', readFileSync(FILES.kernel)],
        [frames, 'application/wasm', readFileSync(FILES.frames)],
        [table, 'application/octet-stream', readFileSync(join(FILES.cities, `${city}.table`))],
        [car_types, 'application/json', Buffer.from(JSON.stringify(CAR_TYPES))],
      ] as const;
      for (const [address, type, content] of contents) {
        const { headers, body } = await sent(front.twinUrl + address);
        expect(headers['content-type']).toBe(type);
        expect(body.equals(content)).toBe(true);
      }
    }
    expect(() => assetsOf('nowhere')).toThrow('no city nowhere');
  });

  test('[W41] are sent in the best coding that a client accepts', async () => {
    for (const address of everyAddress()) {
      const url = front.twinUrl + address;
      const { body: plain, headers } = await sent(url);
      expect(headers.vary?.split(', ')).toContain('Accept-Encoding');
      for (const [accepted, coding] of [
        ['gzip, br', 'br'],
        ['gzip', 'gzip'],
      ] as const) {
        const { headers, body } = await sent(url, accepted);
        expect(headers['content-encoding']).toBe(coding);
        expect(body.byteLength).toBeLessThan(plain.byteLength);
        expect(decoders[coding](body).equals(plain)).toBe(true);
      }
    }
  });

  test('are answered with 304 if the client has them', async () => {
    const url = front.twinUrl + assetsOf('grid').table;
    for (const coding of ['br', 'gzip', 'identity']) {
      const { etag = '' } = (await sent(url, coding)).headers;
      const { status, body } = await sent(url, coding, etag);
      expect([status, body.byteLength]).toEqual([304, 0]);
    }
  });

  test.each(['', '.br', '/..'])(
    'do not include another name: with "%s" behind it',
    async (ending) => {
      const { kernel } = assetsOf('grid');
      const wrong =
        ending === '' ? kernel.replace(/[0-9a-f]{32}/, '0'.repeat(32)) : kernel + ending;
      const { id } = front.service.add();
      for (const path of [wrong, `/api/v1/worlds/${id}${wrong}`]) {
        expect(await ask(front.twinUrl + path)).toMatchObject({
          status: 404,
          body: { error: 'not_found' },
        });
      }
    },
  );

  test('have to be there when a node starts', () => {
    const kernel = built('nothing.wasm');
    expect(() => openTestFront({ lockstepFiles: { ...FILES, kernel } })).toThrow(
      `${kernel} is missing: run npm run build`,
    );
  });
});

describe('the files of a world', () => {
  test('[W42] are those of the node that serves the world, at every node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    const kernel = join(folder, 'kernel.wasm');
    writeFileSync(kernel, 'another kernel');
    const other = { ...FILES, kernel };
    const { near, far, close } = openTestFronts({}, { lockstepFiles: other });
    try {
      const ofOther = assetsOf('grid', other);
      expect(ofOther.kernel).not.toBe(assetsOf('grid').kernel);
      const { id } = far.service.add();
      expect((await ask(near.twinUrl + ofOther.kernel)).status).toBe(404);
      const ofWorld = (address: string) => `${near.twinUrl}/api/v1/worlds/${id}${address}`;
      const { status, headers, body } = await sent(ofWorld(ofOther.kernel));
      expect([status, body.toString()]).toEqual([200, 'another kernel']);
      expect(headers['content-type']).toBe('application/wasm');
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      // What both nodes have is not sent from one to the other.
      near.cluster.forwarded.length = 0;
      const table = await sent(ofWorld(ofOther.table), 'br');
      expect(brotliDecompressSync(table.body).byteLength).toBeGreaterThan(100_000);
      expect(near.cluster.forwarded.map(({ head }) => head.ifNoneMatch)).toEqual(['*']);
      const { etag = '' } = table.headers;
      expect((await sent(ofWorld(ofOther.table), 'br', etag)).status).toBe(304);
    } finally {
      await close();
      rmSync(folder, { recursive: true });
    }
  });

  test('are those of a world that is there', async () => {
    const { kernel } = assetsOf('grid');
    const world = front.service.add();
    expect((await sent(`${front.twinUrl}/api/v1/worlds/${world.id}${kernel}`)).status).toBe(200);
    expect(world.touches).toBe(1);
    expect(await ask(`${front.twinUrl}/api/v1/worlds/0000000000${kernel}`)).toMatchObject({
      status: 404,
      body: { error: 'unknown_world' },
    });
  });
});
