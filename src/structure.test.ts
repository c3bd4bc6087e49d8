import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE_LINES_MAX = 450;
const FUNCTION_LINES_MAX = 70;

interface Import {
  /** Path from the root, or the name of a package. */
  target: string;
  typeOnly: boolean;
}

interface Source {
  path: string;
  text: string;
  /** Folder directly below `src`, or the top folder elsewhere; files of `src` itself: 'root'. */
  area: string;
  isTest: boolean;
  imports: Import[];
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function areaOf(path: string): string {
  const parts = path.split('/');
  if (parts[0] !== 'src') return parts[0] ?? '';
  return parts.length === 2 ? 'root' : (parts[1] ?? '');
}

function importsOf(path: string, text: string): Import[] {
  const pattern = /^(?:import|export)\s+(type\s+)?(?:[\w*{][^;]*?\sfrom\s+)?'([^']+)';/gm;
  return [...text.matchAll(pattern)].map(([, type, target = '']) => ({
    target: target.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(path), target)) : target,
    typeOnly: type !== undefined,
  }));
}

const sources: Source[] = ['assembly', 'src', 'workers', 'bench', 'load']
  .flatMap(filesBelow)
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const isTest = /\.test\.tsx?$/.test(path) || areaOf(path) === 'testing';
    return { path, text, area: areaOf(path), isTest, imports: importsOf(path, text) };
  });

const product = sources.filter(({ isTest, area }) => !isTest && !['bench', 'load'].includes(area));

/** Areas whose values a folder may use beside its own; types may come from any pure folder. */
const MAY_USE: Record<string, readonly string[]> = {
  assembly: [],
  workers: ['shard'],
  kernel: [],
  city: [],
  citygen: ['city', 'kernel', 'twin', 'codec'],
  twin: [],
  codec: ['city', 'twin'],
  shard: ['kernel', 'twin', 'city', 'codec'],
  store: [],
  worlds: ['store', 'shard', 'twin', 'city'],
  dealer: ['store', 'twin'],
  http: ['worlds', 'dealer', 'twin', 'codec', 'city'],
  web: [],
};
const PURE = ['city', 'twin', 'codec'];
/** Files of `src` itself that any folder may use. */
const COMMON = [
  'src/errors.ts',
  'src/limits.ts',
  'src/clock.ts',
  'src/log.ts',
  'src/random.ts',
  'src/schema.ts',
  'src/time.ts',
];
const COMMON_OF: Record<string, readonly string[]> = {
  http: [...COMMON, 'src/metrics.ts', 'src/config.ts'],
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
  if (area === source.area || MAY_USE[source.area]?.includes(area)) return true;
  if (area === 'root') return typeOnly || (COMMON_OF[source.area] ?? COMMON).includes(target);
  // Tasks are typed from what their thread exports.
  if (source.path === 'src/shard/shard-pool.ts' && target === 'workers/shard.ts') return typeOnly;
  return typeOnly && (PURE.includes(area) || target === 'src/shard/protocol.ts');
}

describe('import directions', () => {
  const inside = (source: Source) =>
    source.imports.filter(({ target }) => /^(src|assembly|workers|bench|load)\//.test(target));

  it('finds the sources and their imports', () => {
    expect(product.length).toBeGreaterThan(60);
    expect(product.flatMap(inside).length).toBeGreaterThan(200);
  });

  it.each(Object.keys(MAY_USE))('%s uses only what it may', (area) => {
    const wrong = product
      .filter((source) => source.area === area && area !== 'assembly')
      .flatMap((source) =>
        inside(source)
          .filter((each) => !allowed(source, each))
          .map(({ target }) => `${source.path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('the kernel imports nothing but itself', () => {
    const outside = sources
      .filter(({ area, isTest }) => area === 'assembly' && !isTest)
      .flatMap(({ path, text }) =>
        [...text.matchAll(/from '([^']+)'/g)]
          .filter(([, target]) => !/^\.\.?\/([\w-]+\/)?[\w-]+$/.test(target ?? ''))
          .map(([, target]) => `${path} → ${target}`),
      );
    expect(outside).toEqual([]);
  });

  it('nothing imports the front end or the node but the node and the entry point', () => {
    const users = product.filter(
      ({ area, path, imports }) =>
        area !== 'http' &&
        !['src/node.ts', 'src/main.ts'].includes(path) &&
        imports.some(({ target }) => /^src\/(http\/|node\.ts)/.test(target)),
    );
    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it('nothing at run time imports what builds cities or what tests stand on', () => {
    const users = product
      .filter(({ area }) => area !== 'citygen')
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target }) => /^src\/(citygen|testing)\//.test(target))
          .map(({ target }) => `${path} → ${target}`),
      );
    expect(users).toEqual([]);
  });

  it('pure folders use no package and nothing of Node', () => {
    const impure = product
      .filter(({ area }) => PURE.includes(area))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target }) => !target.includes('/') || target.startsWith('node:'))
          .map(({ target }) => `${path} → ${target}`),
      );
    expect(impure).toEqual([]);
  });
});

describe('boundaries', () => {
  const using = (pattern: RegExp) =>
    product.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it('one file each touches what is not ours', () => {
    expect(using(/from 'uWebSockets\.js'/)).toEqual(['src/http/server/http-server.ts']);
    expect(using(/from 'piscina'/)).toEqual(['src/dealer/passwords.ts', 'src/shard/shard-pool.ts']);
    expect(using(/from 'ioredis'/)).toEqual(['src/store/redis/redis-link.ts']);
    expect(using(/from 'lmdb'/)).toEqual(['src/store/embedded-store.ts']);
    expect(using(/from '@node-rs\/argon2'/)).toEqual(['workers/passwords.ts']);
    expect(using(/from 'jose'/)).toEqual(['src/dealer/tokens.ts']);
    expect(using(/from 'fastest-validator'/)).toEqual(['src/http/dealer/form.ts']);
    expect(using(/WebAssembly\.Instance\b/)).toEqual([
      'src/codec/frame-module.ts',
      'src/kernel/kernel.ts',
    ]);
  });

  it('wall clock and chance come in by one door each', () => {
    expect(using(/\bDate\.now\(/)).toEqual(['src/time.ts']);
    expect(using(/\bMath\.random\(/)).toEqual([]);
    expect(using(/from 'node:crypto'/).filter((path) => path.startsWith('src/twin'))).toEqual([]);
  });

  it('the kernel reads the effective mask only where a sensor delivers, a function acts or an actuator moves', () => {
    const readers = sources
      .filter(
        ({ area, isTest, text }) =>
          area === 'assembly' && !isTest && /(get|load)[\w<>]*\(\w+, C_EFFECTIVE/.test(text),
      )
      .map(({ path }) => path);
    const functions = readers.filter((path) => path.startsWith('assembly/functions/'));
    expect(readers.filter((path) => !functions.includes(path))).toEqual([
      'assembly/collision.ts', // writes down what the car had, for the report
      'assembly/pair.ts', // for actuators.ts
      'assembly/sensors.ts',
      'assembly/wreck.ts',
    ]);
  });

  it('a step has no transcendental functions, no chance and no remainder of floats', () => {
    const steps = sources.filter(
      ({ area, isTest, path }) => area === 'assembly' && !isTest && path !== 'assembly/snapshot.ts',
    );
    const banned =
      /\b(Math|NativeMath|JSMath|Mathf)\.|f64\.(min|max)|f32\.(min|max)|new Map|sort\(/;
    expect(steps.filter(({ text }) => banned.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('sizes', () => {
  // The memory map is a list to look things up in, and belongs in one place.
  it('no file is longer than a newcomer reads in one go', () => {
    const long = sources
      .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
      .filter(({ path, lines }) => lines > FILE_LINES_MAX && !path.includes('.test.'))
      .filter(({ path }) => path !== 'assembly/layout.ts');
    expect(long).toEqual([]);
  });

  it('no function is longer than a screen', () => {
    const long = sources
      .filter(({ isTest }) => !isTest)
      .flatMap(({ path, text }) =>
        functionsOf(text)
          .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
          .map(({ name, lines }) => `${path} ${name} (${lines})`),
      );
    expect(long).toEqual([]);
  });
});

/** Functions and methods by the formatter's indentation: from their head to the brace below it. */
function functionsOf(text: string): { name: string; lines: number }[] {
  const lines = text.split('\n');
  const head = /^(\s*)(?:@inline )?(?:export )?(?:static )?(?:async )?(?:function\*? )?(#?\w+)\(/;
  return lines.flatMap((line, start) => {
    const match = head.exec(line);
    if (match === null || /^\s*(if|for|while|switch|catch|return)\b/.test(line)) return [];
    const [, indent = '', name = ''] = match;
    // A call whose argument is an object looks the same, but no method stands so deep.
    if (line.endsWith('({') && indent.length > 2) return [];
    const isParametersEnd = (each: string, i: number) => i > start && each.startsWith(`${indent})`);
    const open = line.endsWith('(') ? lines.findIndex(isParametersEnd) : start;
    if (!lines[open]?.endsWith('{')) return [];
    const end = lines.findIndex((each, i) => i > open && each === `${indent}}`);
    return end < 0 ? [] : [{ name, lines: end - start + 1 }];
  });
}
