import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, openTestFront, type TestFront } from './test-front.ts';

let front: TestFront;
let webFolder: string;

beforeEach(() => {
  webFolder = mkdtempSync(join(tmpdir(), 'web-'));
  writeFileSync(join(webFolder, 'index.html'), '<!doctype html><title>the page</title>');
  writeFileSync(join(webFolder, 'viewer.js'), 'export {};');
  writeFileSync(join(webFolder, 'viewer.test.ts'), 'no asset');
  writeFileSync(join(webFolder, 'icon.svg'), '<svg/>');
  front = openTestFront({ webFolder });
});

afterEach(async () => {
  await front.close();
  rmSync(webFolder, { recursive: true });
});

describe('the viewer', () => {
  test('is at the address of a world', async () => {
    const world = front.service.add();
    const { status, headers, body } = await ask(`${front.twinUrl}/worlds/${world.id}`);
    expect(status).toBe(200);
    expect(body).toContain('the page');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'self'; connect-src 'self' ws: wss:; frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(world.touches).toBe(1);
  });

  test('is the same page with status 404 where there is no such world', async () => {
    for (const id of ['zzzzzzzzzz', 'no-id']) {
      const { status, headers, body } = await ask(`${front.twinUrl}/worlds/${id}`);
      expect(status).toBe(404);
      expect(body).toContain('the page');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
  });

  test.each([
    ['viewer.js', 'text/javascript; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ])('has its file %s', async (file, type) => {
    const { status, headers } = await ask(`${front.twinUrl}/assets/${file}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
    const etag = headers.get('etag') ?? '';
    const again = await ask(`${front.twinUrl}/assets/${file}`, {
      headers: { 'If-None-Match': etag },
    });
    expect(again.status).toBe(304);
    expect(again.body).toBe('');
  });

  test.each(['none.js', 'viewer.test.ts', '..%2Findex.html', ''])(
    'has no file "%s"',
    async (file) => {
      const { status, body } = await ask(`${front.twinUrl}/assets/${file}`);
      expect(status).toBe(404);
      expect(body).toMatchObject({ error: 'not_found' });
    },
  );

  test('must have its page when the node starts', () => {
    rmSync(join(webFolder, 'index.html'));
    expect(() => openTestFront({ webFolder })).toThrow(`there is no index.html in ${webFolder}`);
  });
});

test.each(['/', '/nosuch', '/api/login'])('the dealer port has nothing at %s', async (path) => {
  const { status, headers, body } = await ask(front.dealerUrl + path);
  expect(status).toBe(404);
  expect(body).toEqual({ detail: 'Not Found' });
  expect(headers.get('content-type')).toBe('application/json');
  const posted = await ask(front.dealerUrl + path, { method: 'POST', body: '{}' });
  expect(posted.status).toBe(404);
});

describe('the private port', () => {
  test('says that the process lives and takes requests', async () => {
    expect(await ask(`${front.opsUrl}/healthz`)).toMatchObject({ status: 200 });
    expect(await ask(`${front.opsUrl}/readyz`)).toMatchObject({ status: 200 });
  });

  test('has the metrics', async () => {
    await ask(`${front.twinUrl}/api/v1/features`);
    const { status, headers, body } = await ask(`${front.opsUrl}/metrics`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toContain(
      'http_answers_total{service="twin",route="GET /api/v1/features",status="200"} 1',
    );
    for (const name of ['stream_watchers', 'nodejs_eventloop_lag_p99_seconds']) {
      expect(body).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });

  test('is not for scripts of other origins', async () => {
    const { headers } = await ask(`${front.opsUrl}/metrics`);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('has its own paths only, and the public ports have none of them', async () => {
    expect((await ask(`${front.opsUrl}/api/v1/features`)).status).toBe(404);
    expect((await ask(`${front.twinUrl}/metrics`)).status).toBe(404);
    expect((await ask(`${front.dealerUrl}/healthz`)).status).toBe(404);
  });
});

test('a port that is taken keeps all others closed as well', async () => {
  const start = () => openTestFront({ dealerPort: Number(new URL(front.dealerUrl).port) });
  expect(start).toThrow(/^dealer: cannot listen on 127\.0\.0\.1:\d+; is the port in use\?$/);
});

test('a node that has stopped listens nowhere', async () => {
  const stopped = openTestFront({ webFolder });
  await stopped.close();
  for (const url of [stopped.twinUrl, stopped.dealerUrl, stopped.opsUrl]) {
    await expect(ask(url)).rejects.toThrow('fetch failed');
  }
});
