import { describe, expect, it } from 'vitest';
import {
  areaOf,
  functionsOf,
  type Import,
  importCircles,
  loadedWith,
  readSources,
  type Source,
} from './testing/rigs/source-tree.ts';

const FILE_LINES_MAX = 450;
const FUNCTION_LINES_MAX = 60;

const sources = readSources();
const TOOLS = ['bench', 'load', 'client'];
const product = sources.filter(({ isTest, area }) => !isTest && !TOOLS.includes(area));

/** Areas whose values a folder may use beside its own; types may come from any pure folder. */
const MAY_USE: Record<string, readonly string[]> = {
  assembly: [],
  workers: ['shard', 'twin', 'http', 'picture'],
  kernel: [],
  city: ['twin'],
  citygen: ['city', 'kernel', 'twin', 'codec'],
  twin: [],
  codec: ['city', 'twin'],
  shard: ['kernel', 'twin', 'city', 'codec'],
  store: [],
  worlds: ['store', 'shard', 'twin', 'city'],
  cluster: ['store', 'worlds', 'link', 'twin'],
  link: [],
  dealer: ['store', 'twin'],
  http: ['dealer', 'twin', 'codec', 'city', 'picture'],
  picture: ['city', 'twin'],
  web: [],
};
/** Names of the same things, which pages share with events and previews of links. */
const WORDS_OF_PAGES = 'src/twin/party-names.ts';
const PURE = ['city', 'twin', 'codec'];
/** The worker of the viewer, in which its world lives by the client package. */
const LIFE_WORKER = 'src/web/viewer/life/worker/';
/** Files of `src` itself that any folder may use. */
const COMMON = [
  'src/errors.ts',
  'src/histogram.ts',
  'src/json.ts',
  'src/largest-piece.ts',
  'src/limits.ts',
  'src/clock.ts',
  'src/log.ts',
  'src/lru-cache.ts',
  'src/phase.ts',
  'src/random.ts',
  'src/schema.ts',
  'src/slices.ts',
  'src/time.ts',
  'src/token-buckets.ts',
];
const COMMON_OF: Record<string, readonly string[]> = {
  http: [...COMMON, 'src/metric-names.ts', 'src/config.ts'],
  kernel: [],
  city: [],
  web: [],
  codec: ['src/errors.ts'],
  twin: ['src/errors.ts', 'src/limits.ts', 'src/schema.ts'],
};

function allowed(source: Source, { target, typeOnly }: Import): boolean {
  if (source.area === 'root') return true;
  if (/^assembly\/(frames\/)?layout\.ts$/.test(target)) return source.area !== 'store';
  const area = areaOf(target);
  if (source.path.startsWith(LIFE_WORKER) && target.startsWith('client/src/')) return true;
  if (area === source.area || MAY_USE[source.area]?.includes(area)) return true;
  if (source.area === 'web' && target === WORDS_OF_PAGES) return true;
  if (area === 'root') return typeOnly || (COMMON_OF[source.area] ?? COMMON).includes(target);
  // Tasks are typed from what their thread exports.
  if (source.path === 'src/shard/shard-pool.ts' && target === 'workers/shard.ts') return typeOnly;
  return typeOnly && (PURE.includes(area) || target === 'src/shard/protocol.ts');
}

/** `path → target` for every import that is wrong. */
function imports(of: readonly Source[], isWrong: (source: Source, each: Import) => boolean) {
  return of.flatMap((source) =>
    source.imports
      .filter((each) => isWrong(source, each))
      .map(({ target }) => `${source.path} → ${target}`),
  );
}

const isOurs = ({ target }: Import) => /^(src|assembly|workers|bench|load|client)\//.test(target);

describe('import directions', () => {
  it('the sources and their imports are found', () => {
    expect(product.length).toBeGreaterThan(200);
    expect(imports(product, (_, each) => isOurs(each)).length).toBeGreaterThan(800);
  });

  it.each(Object.keys(MAY_USE))('%s uses only what it may', (area) => {
    const inside = product.filter((source) => source.area === area);
    expect(inside.length).toBeGreaterThan(0);
    expect(imports(inside, (source, each) => isOurs(each) && !allowed(source, each))).toEqual([]);
  });

  it('the kernel imports nothing but itself', () => {
    const kernel = product.filter(({ area }) => area === 'assembly');
    expect(imports(kernel, (_, { target }) => areaOf(target) !== 'assembly')).toEqual([]);
  });

  it('nothing imports the front end or the node but what starts a process or a thread of it', () => {
    const roots = ['src/node.ts', 'src/node-front-end.ts', 'src/main.ts', 'workers/bodies.ts'];
    const others = product.filter(({ area, path }) => area !== 'http' && !roots.includes(path));
    expect(imports(others, (_, { target }) => /^src\/(http\/|node\.ts)/.test(target))).toEqual([]);
  });

  it('nothing at run time imports what builds cities or what only tests use', () => {
    const atRunTime = product.filter(({ area }) => area !== 'citygen');
    const isOther = (_: Source, { target }: Import) =>
      /^src\/(citygen|testing|simulation)\//.test(target);
    expect(imports(atRunTime, isOther)).toEqual([]);
  });

  it('the client package uses only what a browser can load, but for what is for Node.js', () => {
    const packed = sources.filter(({ path, isTest }) => path.startsWith('client/src/') && !isTest);
    expect(packed.length).toBeGreaterThan(10);
    const forNode = ['node', 'command', 'life-writer'].map((name) => `client/src/${name}.ts`);
    const inBrowser = packed.filter(({ path }) => !forNode.includes(path));
    const loaded = new Set(inBrowser.flatMap(({ path }) => [...loadedWith(path, sources)]));
    const PACKAGES = ['openapi-fetch', '@msgpack/msgpack'];
    const allowedInBrowser = (target: string) =>
      /^(client\/src|assembly|src\/(kernel|twin|city|codec|shard\/counterfactual))\//.test(
        target,
      ) ||
      [
        ...['src/shard/loaded-world.ts', 'src/shard/protocol.ts'],
        ...['src/errors.ts', 'src/limits.ts', 'src/phase.ts'],
      ].includes(target) ||
      ['build/frames-module.js', ...PACKAGES].includes(target);
    expect([...loaded].filter((target) => !allowedInBrowser(target))).toEqual([]);
    expect(loaded).toContain('src/kernel/kernel.ts');
    const users = product.filter(({ imports }) =>
      imports.some(({ target }) => /^client\b/.test(target)),
    );
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter(({ path }) => !path.startsWith(LIFE_WORKER))).toEqual([]);
  });

  it('the page of the viewer does not load what its worker does', () => {
    const loaded = loadedWith('src/web/viewer/main.tsx', sources);
    expect(loaded).toContain('src/web/viewer/life/local-life.ts');
    expect([...loaded].filter((path) => path.startsWith(LIFE_WORKER))).toEqual([]);
  });

  it('pure folders use no package and nothing of Node', () => {
    const pure = product.filter(({ area }) => PURE.includes(area));
    expect(imports(pure, (_, each) => !isOurs(each))).toEqual([]);
  });

  it('a node starts its shards before it loads what they do not need', () => {
    const loaded = loadedWith('src/main.ts', sources);
    expect(loaded).toContain('src/shard/shard-pool.ts');
    const later = ['src/dealer/dealer-platform.ts', 'src/http/front-end.ts', 'src/metrics.ts'];
    expect(sources.map(({ path }) => path)).toEqual(expect.arrayContaining(later));
    expect(later.filter((path) => loaded.has(path))).toEqual([]);
  });

  it('only the thread that draws loads what draws', () => {
    expect(loadedWith('workers/pictures.ts', sources)).toContain('src/picture/canvas.ts');
    expect(loadedWith('src/http/front-end.ts', sources)).not.toContain('src/picture/canvas.ts');
  });

  it('the thread of a shard loads no schemas', () => {
    const loaded = loadedWith('workers/shard.ts', sources);
    expect(loaded).toContain('src/codec/texts.ts');
    expect([...loaded].filter((path) => /^src\/(schema|twin\/wire)\.ts$/.test(path))).toEqual([]);
  });

  it('no files import each other in a circle, tests included', () => {
    expect(importCircles(sources)).toEqual([]);
  });
});

describe('boundaries', () => {
  const using = (pattern: RegExp, among: readonly Source[] = product) =>
    among.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it('one file touches each foreign library', () => {
    expect(using(/from 'uWebSockets\.js'/)).toEqual([
      'src/http/server/http-server.ts',
      'src/link/link-server.ts',
    ]);
    expect(using(/from 'ws'/)).toEqual(['src/link/link-client.ts']);
    expect(using(/from 'piscina'/)).toEqual([
      'src/dealer/passwords.ts',
      'src/http/pages/picture-thread.ts',
      'src/http/server/body-thread.ts',
      'src/shard/shard-pool.ts',
    ]);
    expect(using(/from 'ioredis'/)).toEqual(['src/store/redis/redis-client.ts']);
    expect(using(/from 'lmdb'/)).toEqual(['src/store/lmdb.ts']);
    expect(using(/from '@napi-rs\/canvas'/)).toEqual(['src/picture/canvas.ts']);
    expect(using(/from '@node-rs\/argon2'/)).toEqual(['workers/passwords.ts']);
    expect(using(/from 'jose\//)).toEqual(['src/dealer/token-signer.ts']);
    // All of jose takes four times as long to load.
    expect(using(/from 'jose'/)).toEqual([]);
    expect(using(/from 'fastest-validator'/)).toEqual(['src/http/dealer/form.ts']);
    expect(using(/WebAssembly\.Instance\b/)).toEqual([
      'src/codec/frame-module.ts',
      'src/kernel/kernel.ts',
    ]);
  });

  it('time and randomness are handed in: one file touches each of the platform', () => {
    // The pages run in a browser, and their tests with them.
    const served = sources.filter(
      ({ area, path }) => !['assembly', 'web'].includes(area) && path !== 'src/structure.test.ts',
    );
    const time =
      /(?<![.\w#])(set(Timeout|Interval|Immediate)|clear(Timeout|Interval|Immediate))\(|node:timers|\bDate\.now\b|new Date\(\)|\bperformance\.now\b|process\.hrtime/;
    const randomness = /\b(randomBytes|randomUUID|randomInt|getRandomValues)\b|\bMath\.random\b/;
    // The client package runs in browsers too, which have other clocks than Node.js.
    expect(using(time, served)).toEqual(['src/time.ts', 'client/src/platform.ts']);
    expect(using(randomness, served)).toEqual(['src/random.ts', 'client/src/platform.ts']);
  });

  it('the kernel reads the effective mask only where a sensor delivers, a function acts or an actuator moves', () => {
    const readers = product
      .filter(
        ({ area, text }) => area === 'assembly' && /(get|load)[\w<>]*\(\w+, C_EFFECTIVE/.test(text),
      )
      .map(({ path }) => path);
    const functions = readers.filter((path) => path.startsWith('assembly/functions/'));
    expect(readers.filter((path) => !functions.includes(path))).toEqual([
      'assembly/collision.ts', // writes down what the car had, for the report
      'assembly/consequences/watch.ts', // tells what came of it
      'assembly/quad.ts', // for actuators.ts
      'assembly/recovery/recovery.ts', // a car without throttle cannot drive off
      'assembly/sensors.ts',
      'assembly/wreck.ts',
    ]);
  });

  it('a step has no transcendental functions, no chance and no remainder of floats', () => {
    // What they compute is shown, and no step reads it.
    const shown = ['assembly/heading.ts', 'assembly/snapshot.ts'];
    const steps = product.filter(({ area, path }) => area === 'assembly' && !shown.includes(path));
    expect(using(/from '.*\/heading'/, product)).toEqual(['assembly/snapshot.ts']);
    const banned =
      /\b(Math|NativeMath|JSMath|Mathf)\.|f64\.(min|max)|f32\.(min|max)|new Map|sort\(/;
    expect(using(banned, steps)).toEqual([]);
  });
});

describe('sizes and names', () => {
  it('no file is longer than a newcomer reads in one go, but the memory map', () => {
    const long = sources
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > FILE_LINES_MAX && path !== 'assembly/layout.ts');
    expect(long).toEqual([]);
  });

  it('no function is longer than a screen', () => {
    const long = sources.flatMap(({ path, text }) =>
      functionsOf(text)
        // A function that only lists tests is no longer than its tests are many.
        .filter(({ name, lines }) => lines > FUNCTION_LINES_MAX && !name.startsWith('describe'))
        .map(({ name, lines }) => `${path} ${name} (${lines})`),
    );
    expect(long).toEqual([]);
  });

  it('a file that exports a class and nothing else carries its name', () => {
    const wrong = sources.flatMap(({ path, text }) => {
      // Errors stand beside what throws them.
      if (/^export class \w+ extends Error\b/m.test(text)) return [];
      const exported = [
        ...text.matchAll(/^export (?:abstract |async )?(class|function|const) (\w+)/gm),
      ];
      const [[, kind, name = ''] = []] = exported;
      if (exported.length !== 1 || kind !== 'class') return [];
      const wanted = name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
      const file = path.replace(/^.*\//, '').replace(/\.tsx?$/, '');
      return wanted === file ? [] : [`${path}: ${name}`];
    });
    expect(wrong).toEqual([]);
  });
});
