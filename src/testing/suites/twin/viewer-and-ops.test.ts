import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../rigs/until.ts';
import { Api, useTwin } from './api.ts';
import { recklessJournal } from './reckless.ts';

const api = useTwin();

const { dependencies } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { dependencies: Record<string, string> };
const IN_PAGES = ['@msgpack/msgpack', '@preact/signals', 'preact', 'three'];

const pageAt = async (url: string, from: Api = api) => {
  const { status, headers, bytes } = await from.ask(url);
  return { status, headers, text: new TextDecoder().decode(bytes) };
};

describe('the root', () => {
  test('[P1] makes a world and goes to its viewer, anew each time', async () => {
    const first = await api.ask('/');
    const second = await api.ask('/');
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(first.headers.get('Cache-Control')).toBe('no-store');
    const target = ({ headers }: typeof first) => headers.get('Location') ?? '';
    expect(target(first)).not.toBe(target(second));
    const id = target(first).split('/').at(-1) ?? '';
    const world = await api.world('World', { id });
    expect(new URL(target(first), api.url).href).toBe(world.viewer_url);
  });
});

describe('the viewer', () => {
  test('is a page for a browser at the address that the world gives', async () => {
    const { viewer_url } = await api.makeWorld();
    const { status, headers, text } = await pageAt(viewer_url);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(text).toMatch(/^<!doctype html>/i);
  });

  test('[P3] has what its page refers to, and nothing from elsewhere', async () => {
    const { viewer_url } = await api.makeWorld();
    const { text } = await pageAt(viewer_url);
    const references = [
      ...text.matchAll(/<(?:script|link|img)\b[^>]*?(?:src|href)="([^"]+)"/g),
    ].map(([, at = '']) => at);
    expect(references.length).toBeGreaterThan(1);
    for (const reference of references) {
      const url = new URL(reference, viewer_url);
      expect(url.origin).toBe(api.url);
      const { status, headers } = await pageAt(url.href);
      expect(status).toBe(200);
      expect(headers.get('ETag')).toMatch(/^"/);
    }
  });

  test('[P21] links to the licences of the software of others, which the dealer platform serves too', async () => {
    const { viewer_url } = await api.makeWorld();
    const { text } = await pageAt(viewer_url);
    const [, link = ''] = /<link rel="license"[^>]* href="([^"]+)"/.exec(text) ?? [];
    expect(link).toBe('/THIRD-PARTY-NOTICES.txt');
    const notices = await pageAt(link);
    const named = [...notices.text.matchAll(/^-{80}\n(\S+) \d/gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining([...Object.keys(dependencies), ...IN_PAGES]));
    expect((await pageAt(`${api.node.dealerUrl}${link}`)).text).toBe(notices.text);
  });

  test('keeps scripts of others out', async () => {
    const { viewer_url } = await api.makeWorld();
    const { headers } = await pageAt(viewer_url);
    expect(headers.get('Content-Security-Policy')).toMatch(
      /default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'/,
    );
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  test('lets no page but the viewer, and the worker of its world, compile WebAssembly', async () => {
    const { viewer_url } = await api.makeWorld();
    const { text } = await pageAt(viewer_url);
    const [, script = ''] = /src="(\/assets\/viewer-[^"]+)"/.exec(text) ?? [];
    const [worker = ''] = /life-worker-[\w-]+\.js/.exec((await pageAt(script)).text) ?? [];
    const policyOf = async (url: string) =>
      (await pageAt(url)).headers.get('Content-Security-Policy') ?? '';
    const connect = /connect-src [^;]+/.exec(await policyOf(viewer_url))?.[0];
    expect(await policyOf(`/assets/${worker}`)).toBe(
      `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ${connect}`,
    );
    const others = [script, api.node.dealerUrl ?? '', `${api.node.dealerUrl}/assets/${worker}`];
    for (const url of others) expect(await policyOf(url)).not.toContain('wasm');
  });

  test('[P2] says 404 for a world that is not there, with a page all the same', async () => {
    for (const id of ['0000000000', 'no-id']) {
      const { status, headers } = await pageAt(`${api.url}/worlds/${id}`);
      expect(status).toBe(404);
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'/);
    }
  });

  test('[P28] has title, description and picture for whoever shows a link to it', async () => {
    const { viewer_url } = await api.makeWorld();
    const { text } = await pageAt(viewer_url);
    const contentOf = (name: string) =>
      new RegExp(`property="og:${name}" content="([^"]+)"`).exec(text)?.[1] ?? '';
    for (const name of ['title', 'description']) expect(contentOf(name).length).toBeGreaterThan(20);
    expect(contentOf('image')).toMatch(new RegExp(`^${new URL(viewer_url).origin}/assets/`));
    const picture = await fetch(contentOf('image').replace(/^https?:..[^/]+/, api.url));
    expect(picture.headers.get('Content-Type')).toBe('image/png');
    const bytes = Buffer.from(await picture.arrayBuffer());
    // Width and height stand in the first chunk of a PNG.
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
  });

  test('[P34, P35] an incident has title, description and picture of its own, which every node shows', async () => {
    const world = await api.makeWorld({ journal: recklessJournal(), start_tick: 1500 });
    const [incident] = await api.world('Incidents', world, '/incidents');
    if (incident === undefined) throw new Error('nothing has collided');
    const { text } = await pageAt(`${world.viewer_url}?incident=${incident.id}`);
    const contentOf = (name: string) =>
      new RegExp(`property="og:${name}" content="([^"]+)"`).exec(text)?.[1] ?? '';
    expect(contentOf('title')).toMatch(/ (ahead of|ran into) /);
    expect(contentOf('description')).toContain(incident.place.street);
    const address = contentOf('image').replace(/^https?:..[^/]+/, api.url);
    let picture = await fetch(address);
    // A busy machine draws nothing more for now, and says when to ask again.
    await until('the picture', async () => {
      if (picture.status === 503) picture = await fetch(address);
      return picture.status !== 503;
    });
    expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, 'image/png']);
    const bytes = Buffer.from(await picture.arrayBuffer());
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
    const another = await fetch(address.replace(incident.id, 'i0-0'));
    expect(Buffer.from(await another.arrayBuffer()).equals(bytes)).toBe(false);
  });

  test('[P25] shows a browser a page where there is nothing, on both ports, and others the error', async () => {
    const asBrowser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    for (const url of [api.url, api.node.dealerUrl ?? '']) {
      for (const path of ['/nothing', '/worlds/']) {
        const answer = await fetch(`${url}${path}`, asBrowser);
        const text = await answer.text();
        expect(answer.status).toBe(404);
        expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
        expect(answer.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'/);
        expect(text).toContain('There is nothing at this address');
        const head = await fetch(`${url}${path}`, { method: 'HEAD', ...asBrowser });
        for (const name of ['Content-Type', 'Content-Length'])
          expect(head.headers.get(name)).toBe(answer.headers.get(name));
        const style = /href="(\/assets\/[^"]+\.css)"/.exec(text)?.[1];
        expect((await fetch(`${url}${style}`)).status).toBe(200);
        const other = await fetch(`${url}${path}`);
        expect(other.headers.get('Content-Type')).toMatch(/^application\/json/);
        const posted = await fetch(`${url}${path}`, { method: 'POST', body: '{}', ...asBrowser });
        expect([posted.status, (await posted.text()).startsWith('{')]).toEqual([404, true]);
      }
    }
  });

  test('[P25] answers a browser in an API as everybody else', async () => {
    const asBrowser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    for (const url of [api.url, api.node.dealerUrl ?? '']) {
      const answer = await fetch(`${url}/api/v1/nothing`, asBrowser);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
    }
  });

  test('gives out no file but its own', async () => {
    for (const file of ['package.json', '..%2fnode.ts', 'viewer.test.ts', '__proto__']) {
      expect(await api.refusal(`/assets/${file}`)).toEqual([404, 'not_found']);
    }
  });
});

describe('the private port', () => {
  let ops: Api;
  beforeAll(() => {
    ops = new Api(api.node.opsUrl);
  });

  test('[O5] says that the process lives and takes requests', async () => {
    expect((await pageAt('/healthz', ops)).status).toBe(200);
    expect((await pageAt('/readyz', ops)).status).toBe(200);
  });

  test('[O5] is another than the public ones', () => {
    const ports = [api.url, api.node.dealerUrl, api.node.opsUrl].map((url) => new URL(url).port);
    expect(new Set(ports).size).toBe(3);
  });

  test('[O6] counts in the text format of Prometheus', async () => {
    const { status, headers, text } = await pageAt('/metrics', ops);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      expect(line).toMatch(/^[a-zA-Z_:][\w:]*(\{.*\})? (-?[\d.]+(e[+-]?\d+)?|[+-]Inf|NaN)$/);
    }
    expect(text).toMatch(/^twin_event_loop_lag_seconds_count \d/m);
    const counted =
      /^twin_http_requests_total\{service="twin",route="POST \/api\/v1\/worlds",status="201"\} [1-9]/m;
    // Each node counts the requests that it gets, and one of them is asked here.
    await until('a request that is counted', async () => {
      await api.makeWorld();
      return counted.test((await pageAt('/metrics', ops)).text);
    });
  });

  test('[H18] tells nothing of a client: no world id and no VIN', async () => {
    const world = await api.makeWorld();
    await api.world('Snapshot', world, '/state');
    for (const { vin } of world.fleet) await api.vehicle('FeatureState', vin, '/features');
    const { text } = await pageAt('/metrics', ops);
    for (const secret of [world.id, ...world.fleet.map(({ vin }) => vin)]) {
      expect(text).not.toContain(secret);
    }
  });

  test('[O5] may not be read by scripts of other origins', async () => {
    const { headers } = await ops.ask('/metrics', { headers: { Origin: 'https://shop.example' } });
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
  });

  test('has nothing of the twin', async () => {
    expect((await fetch(`${ops.url}/api/v1/features`)).status).toBe(404);
  });
});
