import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { systemRandom } from './random.ts';
import {
  composeNodes,
  dockerInstructions,
  documentsOf,
  imageSettings,
  readCompose,
  readRecipe,
  recipeFiles,
  type Settings,
  settingNames,
  settingsOf,
  unitLines,
} from './testing/rigs/recipes.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What an operator gives beside the recipe. */
const GIVEN: Settings = {
  ADMIN_PASSWORD: 'a long password',
  FIELD_KEY: Buffer.alloc(32).toString('base64'),
  REDIS_PASSWORD: 'secret',
};

const read = (settings: Settings) => readConfig(settings, systemRandom);
const defaults = read({});
const compose = readCompose();
const nodes = composeNodes(compose);
const haproxy = readRecipe('haproxy.cfg');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const [, stopMs = ''] =
  /STOP_MS = (2[\d_]+)/.exec(readFileSync(join(ROOT, 'src/main.ts'), 'utf8')) ?? [];
const stopS = Number(stopMs.replaceAll('_', '')) / 1000;

/** As compose fills in what the operator gives. */
function filledIn(environment: Settings): Settings {
  const fill = (value: string) =>
    value.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, rest) =>
      kind === '-' ? rest : (GIVEN[name] ?? ''),
    );
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, fill(value)]),
  );
}

function unitSettings(): Settings {
  return settingsOf(unitLines().flatMap(([key, value]) => (key === 'Environment' ? [value] : [])));
}

const all = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found]) => found);

describe('the recipes', () => {
  it('are YAML where their names say so, and are all of them in the documentation', () => {
    const files = recipeFiles();
    const yaml = files.filter((name) => name.endsWith('.yaml'));
    expect(yaml.length).toBeGreaterThan(4);
    for (const name of yaml) expect(documentsOf(name)).not.toContain(undefined);
    const operating = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
    const places = files.map((name) => name.split('/')[0] ?? '');
    expect(places.filter((name) => !operating.includes(`(operating/recipes/${name}`))).toEqual([]);
  });

  it('set only what a node reads', () => {
    const known = settingNames();
    expect(known.size).toBeGreaterThan(50);
    const set = [
      ...Object.keys(imageSettings()),
      ...Object.keys(unitSettings()),
      ...nodes.flatMap(([, { environment = {} }]) => Object.keys(environment)),
    ];
    expect(set.length).toBeGreaterThan(20);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
  });

  it('name exact versions of images', () => {
    const images = [
      ...dockerInstructions().flatMap(([keyword, rest]) => (keyword === 'FROM' ? [rest] : [])),
      ...Object.values(compose.services).map(({ image }) => image),
    ].map((image) => image.replace(/ AS .*/, ''));
    expect(images).toHaveLength(7);
    expect(images.filter((image) => !/:\d+\.\d+(\.\d+)?(-[\w.-]+)?$/.test(image))).toEqual([]);
  });

  it('wait longer for the end of a node than the node takes', () => {
    expect(stopS).toBe(20);
    const waits = nodes.map(([, service]) => Number.parseInt(service.stop_grace_period, 10));
    const unit = Number.parseInt(Object.fromEntries(unitLines()).TimeoutStopSec ?? '', 10);
    for (const wait of [...waits, unit]) expect(wait).toBeGreaterThan(stopS);
  });
});

describe('the image', () => {
  const instructions = dockerInstructions();
  const [, runtime = []] = instructions
    .map(([keyword], i) => (keyword === 'FROM' ? i : -1))
    .filter((i) => i >= 0)
    .map((start) => instructions.slice(start));
  const last = (keyword: string) => runtime.findLast(([each]) => each === keyword)?.[1] ?? '';

  it('starts a node as npm start does, without npm in between', () => {
    const [node, ...rest] = JSON.parse(last('ENTRYPOINT')) as string[];
    expect(['node', ...rest].join(' ')).toBe(scripts.start);
    expect(node).toBe('/app/node_modules/node/bin/node');
    expect(last('HEALTHCHECK')).toContain(`["${node}", `);
  });

  it('is not started by root, and only its volume is written', () => {
    expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(imageSettings().DATA_DIR).toBe(last('VOLUME'));
  });

  it('has what a node loads, and the licences', () => {
    const copied = runtime
      .filter(([keyword, rest]) => keyword === 'COPY' && rest.startsWith('--from=build'))
      .flatMap(([, rest]) => rest.split(' ').slice(1, -1))
      .map((path) => path.replace('/app/', ''));
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(copied).toContain('build/web/THIRD-PARTY-NOTICES.txt');
  });

  it('exposes the public ports, and checks the private one', () => {
    expect(last('EXPOSE')).toBe(`${defaults.twinPort} ${defaults.dealerPort}`);
    expect(last('HEALTHCHECK')).toContain(`OPS_PORT || ${defaults.opsPort}`);
  });

  it('refuses to start as long as nobody has decided about the published log-ins', () => {
    expect(() => read(imageSettings())).toThrow('DEMO');
    const { ADMIN_PASSWORD = '' } = GIVEN;
    expect(read({ ...imageSettings(), DEMO: 'off', ADMIN_PASSWORD }).host).toBe('0.0.0.0');
  });

  it('is built from everything that the build reads', () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining(['node_modules', 'build', '.git', '.env', 'data']),
    );
    for (const needed of ['src', 'assembly', 'scripts', 'client', 'workers', 'package-lock.json']) {
      expect(ignored).not.toContain(needed);
    }
  });
});

describe('the unit of systemd', () => {
  const unit = Object.fromEntries(unitLines());

  it('starts a node as npm start does', () => {
    const start = unit.ExecStart?.replace('/opt/driving-twin/node_modules/node/bin/', '');
    expect(start).toBe(scripts.start);
  });

  it('stores worlds where systemd lets it write', () => {
    expect(unitSettings().DATA_DIR).toBe(`/var/lib/${unit.StateDirectory}`);
    expect(read(unitSettings()).redisUrl).toBeUndefined();
  });
});

describe('the compose file', () => {
  const settings = nodes.map(([, { environment = {} }]) =>
    read({ ...imageSettings(), ...filledIn(environment) }),
  );

  it('has three nodes with settings that a node accepts, on one Redis', () => {
    expect(nodes.map(([name]) => name)).toEqual(settings.map(({ nodeName }) => nodeName));
    expect(new Set(settings.map(({ redisUrl }) => redisUrl))).toEqual(
      new Set(['redis://:secret@redis:6379/0']),
    );
    for (const { nodeName, link } of settings) {
      expect(link).toEqual({ host: '0.0.0.0', port: 7000, url: `ws://${nodeName}:${link.port}` });
    }
    expect(settings).toHaveLength(3);
  });

  it('has no secret in it', () => {
    const text = readRecipe('compose.yaml');
    const values = all(text, /^ +(?:ADMIN_PASSWORD|FIELD_KEY|REDISCLI_AUTH): (.*)$/gm);
    expect(values).toHaveLength(3);
    for (const value of values) expect(value).toMatch(/^\$\{[A-Z_]+:\?set [A-Z_]+\}$/);
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('.env');
  });

  it('has a Redis that keeps what a node has acknowledged', () => {
    const command = compose.services.redis?.command?.join(' ') ?? '';
    expect(command).toContain(
      '--appendonly yes --appendfsync always --maxmemory-policy noeviction',
    );
    expect(compose.services.redis?.networks).toEqual(['back']);
    expect(compose.networks.back?.internal).toBe(true);
  });

  it('publishes the two ports of the proxy alone, and nodes trust its address', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports);
    const { twinPort, dealerPort } = defaults;
    const both = [twinPort, dealerPort].map((port) => `${port}:${port}`);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([['proxy', both]]);
    const { networks } = compose.services.proxy ?? {};
    const { ipv4_address: address = '' } = (!Array.isArray(networks) && networks?.front) || {};
    const seen = { forwardedFor: '192.0.2.7', forwarded: '' };
    for (const { proxies } of settings) expect(proxies?.clientOf(address, seen)).toBe('192.0.2.7');
  });
});

describe('the configuration of the proxy', () => {
  const sections = new Map(
    haproxy
      .split(/^(?=[a-z]+(?: [\w-]+)?$)/m)
      .map((text) => [text.split('\n')[0] ?? '', text.replace(/^\s*#.*$/gm, '')]),
  );
  const section = (name: string) => sections.get(name) ?? '';
  const names = nodes.map(([name]) => name);

  it.each([
    ['twin-ready', defaults.twinPort],
    ['twin-alive', defaults.twinPort],
    ['dealer-ready', defaults.dealerPort],
    ['dealer-alive', defaults.dealerPort],
  ])('sends %s to all nodes', (backend, port) => {
    const servers = all(section(`backend ${backend}`), /^ +server (\S+ \S+)/gm);
    expect(servers).toEqual(names.map((name) => `${name} ${name}:${port}`));
  });

  it('checks what the private port serves', () => {
    expect(section('defaults')).toContain(`check port ${defaults.opsPort} `);
    // A node refuses HTTP/1.0, which is the default of HAProxy.
    const checks = all(haproxy, /http-check send meth GET uri (\S+) ver HTTP\/1\.1 hdr Host /g);
    expect(checks).toEqual(['/readyz', '/healthz']);
  });

  it.each(['twin', 'dealer'] as const)('names the client of the %s itself', (service) => {
    const frontend = section(`frontend ${service}`);
    expect(frontend).toContain('http-request set-header X-Forwarded-For %[src]\n');
    expect(frontend).toContain('http-request del-header Forwarded\n');
    expect(frontend).toContain(`bind *:${defaults[`${service}Port`]}\n`);
  });

  it('repeats only what has had no effect', () => {
    expect(section('defaults')).toContain('retry-on conn-failure empty-response\n');
    expect(section('frontend twin')).toContain(
      'disable-l7-retry unless { method GET } !{ path / }\n',
    );
    expect(section('frontend dealer')).toContain('disable-l7-retry unless { method GET }\n');
  });

  it('leaves a node out long before that ends', () => {
    const [, intervalMs = ''] = /inter (\d+)ms fall 1 /.exec(section('defaults')) ?? [];
    expect(Number(intervalMs)).toBeGreaterThan(0);
    expect(Number(intervalMs) * 4).toBeLessThan(defaults.drainMs);
  });
});
