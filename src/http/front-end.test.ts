import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, openTestFront, type TestFront } from '../testing/doubles/test-front.ts';

let front: TestFront;
let webFolder: string;

const SCRIPT = 'viewer-Bq3_x-9a.js';
const ICON = 'icon-0aZ_9b.svg';
const NOTICES = 'THIRD-PARTY-NOTICES.txt';
const LICENCES = 'three 0.187.0\nLicence: MIT.\n';
const CODE = 'export const streets = [];\n'.repeat(50);

/** A folder with the output of a page build. */
function makePages(): string {
  const folder = mkdtempSync(join(tmpdir(), 'web-'));
  for (const page of ['viewer', 'console', 'cluster', 'not-found']) {
    mkdirSync(join(folder, page));
    const html = `<!doctype html><html><head><title>the ${page}</title></head><body></body></html>`;
    writeFileSync(join(folder, page, 'index.html'), html);
  }
  const assets = join(folder, 'assets');
  mkdirSync(assets);
  writeFileSync(join(assets, SCRIPT), CODE);
  writeFileSync(join(assets, `${SCRIPT}.br`), brotliCompressSync(CODE));
  writeFileSync(join(assets, `${SCRIPT}.gz`), gzipSync(CODE));
  writeFileSync(join(assets, ICON), '<svg/>');
  writeFileSync(join(folder, NOTICES), LICENCES);
  return folder;
}

beforeEach(() => {
  webFolder = makePages();
  front = openTestFront({ webFolder });
});

afterEach(async () => {
  await front.close();
  rmSync(webFolder, { recursive: true });
});

/** Directives of a policy by their names. */
function directives(headers: Headers): Map<string, string> {
  const policy = headers.get('content-security-policy') ?? '';
  return new Map(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );
}

/** The policy of both pages: files of their own origin, and nothing inline. */
const STRICT = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
};

/** The response as it is sent; `fetch` would decompress it. */
function rawBody(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      get(url, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      }).on('error', reject);
    },
  );
}

describe('the viewer', () => {
  test('is checked for a newer version each time, and a visit counts as use of the world', async () => {
    const world = front.service.add();
    const { headers } = await ask(`${front.twinUrl}/worlds/${world.id}`);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(world.touches).toBe(1);
  });

  test('loads from its own origin only, connects to it and the dealer platform, and compiles the kernel', async () => {
    const { headers } = await ask(`${front.twinUrl}/worlds/${front.service.add().id}`);
    const { host } = new URL(front.twinUrl);
    expect(Object.fromEntries(directives(headers))).toEqual({
      ...STRICT,
      'script-src': "'self' 'wasm-unsafe-eval'",
      'connect-src': `'self' ws://${host} ${front.dealerUrl}`,
    });
  });

  test.each([
    [undefined, "'self' wss://twin.example"],
    ['https://dealers.example/a', "'self' wss://twin.example https://dealers.example"],
  ])('streams from the public address, and knows the console at %s', async (dealer, connect) => {
    const urls = { publicTwinUrl: 'https://twin.example/demo', publicDealerUrl: dealer };
    const far = openTestFront({ webFolder, ...urls });
    try {
      const { headers, body } = await ask(`${far.twinUrl}/worlds/${far.service.add().id}`);
      expect(directives(headers).get('connect-src')).toBe(connect);
      const [, named] = /<meta name="dealer-url" content="([^"]*)">/.exec(String(body)) ?? [];
      expect(named).toBe(dealer);
    } finally {
      await far.close();
    }
  });
});

test('what is not in an API is JSON there, also for a browser, and a page elsewhere', async () => {
  const typeOf = async (path: string, accept: string) => {
    const { status, headers } = await fetch(`${front.twinUrl}${path}`, { headers: { accept } });
    return [status, headers.get('content-type')?.split(';')[0]];
  };
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  expect(await typeOf('/api/v1/worldz', browser)).toEqual([404, 'application/json']);
  expect(await typeOf('/nowhere', browser)).toEqual([404, 'text/html']);
  const prefersJson = 'application/json, text/html;q=0.1';
  expect(await typeOf('/nowhere', prefersJson)).toEqual([404, 'application/json']);
});

describe('the console', () => {
  test('is the root of the dealer platform and connects only to it and to the twin', async () => {
    const { status, headers, body } = await ask(`${front.dealerUrl}/`);
    expect(status).toBe(200);
    expect(body).toContain('the console');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(Object.fromEntries(directives(headers))).toEqual({
      ...STRICT,
      'connect-src': `'self' ${front.twinUrl}`,
    });
  });

  test('contains the address of the twin, and no log-ins outside demo mode', async () => {
    const { body } = await ask(`${front.dealerUrl}/`);
    expect(body).toContain(`<meta name="twin-url" content="${front.twinUrl}">`);
    expect(body).toContain('<meta name="demo-logins" content="[]">');
  });

  test('contains the log-ins of demo mode, escaped for HTML', async () => {
    const name = '"<b>&';
    const demo = openTestFront({
      webFolder,
      demoLogins: [{ role: 'user', username: 'anna', name, password: 'secret' }],
    });
    try {
      const { body } = await ask(`${demo.dealerUrl}/`);
      const quoted = '\\&quot;&lt;b>&amp;';
      expect(body).toContain(
        `content="[{&quot;role&quot;:&quot;user&quot;,&quot;username&quot;:&quot;anna&quot;,` +
          `&quot;name&quot;:&quot;${quoted}&quot;,&quot;password&quot;:&quot;secret&quot;}]">`,
      );
    } finally {
      await demo.close();
    }
  });

  test('is not in the OpenAPI document', async () => {
    const { body } = await ask(`${front.dealerUrl}/openapi.json`);
    expect(Object.keys((body as { paths: object }).paths)).toEqual([]);
  });
});

describe('the files of the pages', () => {
  const both = () => [front.twinUrl, front.dealerUrl];

  test.each([
    [SCRIPT, 'text/javascript; charset=utf-8'],
    [ICON, 'image/svg+xml'],
  ])('%s is on both ports, and cached for ever', async (file, type) => {
    for (const url of both()) {
      const { status, headers } = await ask(`${url}/assets/${file}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('are sent in %s if the client prefers it', async (coding, unpack) => {
    for (const url of both()) {
      const accept = { 'Accept-Encoding': `identity;q=0.1, ${coding}` };
      const { headers, body } = await rawBody(`${url}/assets/${SCRIPT}`, accept);
      expect(headers['content-encoding']).toBe(coding);
      expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
      expect(headers.vary?.split(', ')).toContain('Accept-Encoding');
      expect(body.byteLength).toBeLessThan(CODE.length / 2);
      expect(unpack(body).toString()).toBe(CODE);
    }
  });

  test('are sent uncompressed without Accept-Encoding, and if no other coding is accepted', async () => {
    for (const accept of ['', 'br;q=0, gzip;q=0', 'deflate', 'identity, br;q=0.9']) {
      const header: Record<string, string> = accept === '' ? {} : { 'Accept-Encoding': accept };
      const { headers, body } = await rawBody(`${front.twinUrl}/assets/${SCRIPT}`, header);
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers.vary?.split(', ')).toContain('Accept-Encoding');
      expect(body.toString()).toBe(CODE);
    }
  });

  test('are sent uncompressed if there is no compressed version', async () => {
    const accept = { 'Accept-Encoding': 'br, gzip' };
    const { headers, body } = await rawBody(`${front.twinUrl}/assets/${ICON}`, accept);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary?.split(', ')).not.toContain('Accept-Encoding');
    expect(body.toString()).toBe('<svg/>');
  });

  test('are sent whole if they are large, with their length', async () => {
    const url = `${front.twinUrl}/docs/swagger-ui-bundle.js`;
    const file = readFileSync(
      fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    );
    for (const { headers, body } of await Promise.all([rawBody(url, {}), rawBody(url, {})])) {
      expect(headers['content-length']).toBe(String(file.length));
      expect(headers.etag).toMatch(/^"/);
      expect(body.equals(file)).toBe(true);
    }
    const etag = (await rawBody(url, {})).headers.etag ?? '';
    expect(await rawBody(url, { 'If-None-Match': etag })).toMatchObject({ status: 304 });
  });

  test('and the pages are answered with 304 if the client has them in the requested coding', async () => {
    const { id } = front.service.add();
    for (const path of [`/assets/${SCRIPT}`, `/worlds/${id}`]) {
      const url = front.twinUrl + path;
      const tags = new Set<string>();
      for (const coding of ['br', 'gzip', 'identity']) {
        const accept = { 'Accept-Encoding': coding };
        const first = await rawBody(url, accept);
        const tag = first.headers.etag ?? '';
        expect(first.status).toBe(200);
        const again = await rawBody(url, { ...accept, 'If-None-Match': tag });
        expect(again).toMatchObject({ status: 304, headers: { etag: tag } });
        expect(again.body.byteLength).toBe(0);
        expect(again.headers['content-encoding']).toBeUndefined();
        for (const other of tags) {
          const asked = { ...accept, 'If-None-Match': other };
          expect((await rawBody(url, asked)).status).toBe(200);
        }
        tags.add(tag);
      }
      expect(tags.size).toBe(3);
    }
  });

  test.each(['none.js', `${SCRIPT}.br`, '..%2Fviewer%2Findex.html', 'index.html'])(
    'do not include "%s"',
    async (file) => {
      const twin = await ask(`${front.twinUrl}/assets/${file}`);
      expect(twin).toMatchObject({ status: 404, body: { error: 'not_found' } });
      const dealer = await ask(`${front.dealerUrl}/assets/${file}`);
      expect(dealer).toMatchObject({ status: 404, body: { detail: 'Not Found' } });
    },
  );

  test('include the licences of the software of others, checked for a newer version each time', async () => {
    for (const url of both()) {
      const { headers, body } = await rawBody(`${url}/${NOTICES}`, {});
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      expect(body.toString()).toBe(LICENCES);
    }
  });

  test.each([
    'viewer/index.html',
    'console/index.html',
    'cluster/index.html',
    'not-found/index.html',
    NOTICES,
    'assets',
  ])('are required at the start of a node: %s', (missing) => {
    rmSync(join(webFolder, missing), { recursive: true });
    expect(() => openTestFront({ webFolder })).toThrow(
      `${webFolder} has no ${missing}: run npm run build:web`,
    );
  });
});

test.each(['/nosuch', '/assets', '/api/login', '/healthz'])(
  'the dealer port answers 404 at %s',
  async (path) => {
    const { status, headers, body } = await ask(front.dealerUrl + path);
    expect(status).toBe(404);
    expect(body).toEqual({ detail: 'Not Found' });
    expect(headers.get('content-type')).toBe('application/json');
    const posted = await ask(front.dealerUrl + path, { method: 'POST', body: '{}' });
    expect(posted.status).toBe(404);
  },
);

test('[O4] if one port is in use, no port is opened', async () => {
  const free = openTestFront({ webFolder });
  await free.close();
  const dealerPort = Number(new URL(front.dealerUrl).port);
  const start = () => openTestFront({ webFolder, twinPort: free.port, dealerPort });
  expect(start).toThrow(/^dealer: cannot listen on 127\.0\.0\.1:\d+; is the port in use\?$/);
  await expect(ask(free.twinUrl)).rejects.toThrow('fetch failed');
});

test('a stopped node listens on no port', async () => {
  const stopped = openTestFront({ webFolder });
  await stopped.close();
  for (const url of [stopped.twinUrl, stopped.dealerUrl, stopped.opsUrl]) {
    await expect(ask(url)).rejects.toThrow('fetch failed');
  }
});
