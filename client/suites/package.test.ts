import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTwin } from '../../src/testing/suites/twin/api.ts';
import { LocalWorld } from '../src/local-world.ts';
import { builtAssets } from '../testing/built-assets.ts';
import { journalOf, randomChanges } from '../testing/random-journal.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const CLI = 'node_modules/driving-twin-client/dist/command.js';
/** What the package depends on, and what that depends on. */
const DEPENDENCIES = ['@msgpack/msgpack', 'openapi-fetch', 'openapi-typescript-helpers'];
const run = promisify(execFile);

const api = useTwin();
/** An empty project into which the package is installed as from a registry. */
let project: string;
const inProject = (...command: string[]) =>
  run(process.execPath, command, {
    cwd: project,
    env: { ...process.env, TWIN: api.url, NODE_OPTIONS: '' },
  });

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'client-package-'));
  await writeFile(join(project, 'package.json'), '{"type": "module", "private": true}');
  const folders = ['client', ...DEPENDENCIES.map((name) => join('node_modules', name))];
  const options = ['--ignore-scripts', '--json', '--pack-destination', project];
  const { stdout } = await run('npm', [
    'pack',
    ...folders.map((each) => join(ROOT, each)),
    ...options,
  ]);
  const packed = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  const files = packed.map(({ filename }) => join(project, filename));
  const offline = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...offline, ...files], { cwd: project });
});
afterAll(() => rm(project, { recursive: true }));

/** The programs of the README, in order. */
async function examples(): Promise<string[]> {
  const text = await readFile(join(ROOT, 'client/README.md'), 'utf8');
  return [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);
}

describe('[K9] the package', () => {
  test('installs into an empty project with what it depends on, and nothing else', async () => {
    const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dependencies?: Record<string, string>; version: string }>;
    };
    const own = lock.packages['node_modules/driving-twin-client'];
    expect(Object.keys(own?.dependencies ?? {})).toEqual(['@msgpack/msgpack', 'openapi-fetch']);
    expect(Object.keys(lock.packages)).toHaveLength(2 + DEPENDENCIES.length);
    const root = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as typeof own;
    expect(own?.version).toBe(root?.version);
  });

  test.each([
    [1, /^DTW\w{14}: emergency braking is degraded\n$/],
    [2, /^(tick \d+: \d+ cars are moving\n){5}$/],
    [3, /^state: live\nstate: verified\n[\s\S]*a minute ago the first car was in [rj]\d+\n/],
    [4, /^with brakes 0 collisions, without [1-9]\d*\nthe world is \w{16}, its fork \w{16}\n$/],
    [5, /^a collision in .+\n(front_(camera|radar) was off, so .+\.\n)+$/],
  ])('runs example %i of its README', async (number, printed) => {
    const all = await examples();
    expect(all).toHaveLength(5);
    const file = `example-${number}.js`;
    await writeFile(join(project, file), all[number - 1] ?? '');
    const { stdout, stderr } = await inProject(file);
    expect([stdout, stderr]).toEqual([expect.stringMatching(printed), '']);
  });

  test.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])('has types, for module %s and resolution %s', async (module, moduleResolution) => {
    const folder = join(project, moduleResolution);
    await mkdir(folder, { recursive: true });
    const typed = await Promise.all(
      (await examples()).map(async (code, i) => {
        // Where a program in JavaScript is sure of something, one in TypeScript has to say so.
        const sure = code
          .replaceAll('live.world.', 'live.world!.')
          .replaceAll('[{ vin }] = world.fleet', 'vin = world.fleet[0]?.vin')
          .replaceAll('[0].road', '[0]?.road')
          .replaceAll('incident.id', 'incident!.id');
        const file = join(folder, `example-${i}.ts`);
        await writeFile(file, sure);
        return file;
      }),
    );
    const strict = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--target', 'es2024'];
    const libraries = ['--lib', 'es2024,dom', '--types', 'node', '--typeRoots'];
    const roots = join(ROOT, 'node_modules/@types');
    const how = ['--module', module, '--moduleResolution', moduleResolution];
    const checked = inProject(COMPILER, ...strict, ...libraries, roots, ...how, ...typed);
    const failed = ({ stdout }: { stdout: string }) => stdout;
    expect(await checked.then(({ stdout }) => stdout, failed)).toBe('');
    const wrong = join(folder, 'wrong.ts');
    await writeFile(wrong, "import { watch } from 'driving-twin-client';\nwatch({ id: 7 });\n");
    const told = await inProject(COMPILER, ...strict, ...libraries, roots, ...how, wrong).catch(
      failed,
    );
    expect(told).toMatch(/Type 'number' is not assignable to type 'string'/);
  });
});

describe('[K10] the command', () => {
  const lines = async (file: string) =>
    (await readFile(join(project, file), 'utf8'))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  test('lives a world without a server, and writes what happens', async () => {
    const changes = randomChanges(5, 4000, 30);
    const journal = journalOf('grid', 11, changes);
    await writeFile(join(project, 'journal.json'), JSON.stringify(journal));
    const args = [
      'live',
      '--changes',
      'journal.json',
      '--ticks',
      '9000',
      '--explain',
      '--out',
      'life',
    ];
    const { stdout } = await inProject(CLI, ...args);
    const world = await LocalWorld.create({ journal, assets: builtAssets });
    world.step(9000);
    expect(stdout).toContain(`grid, seed 11, tick 9000, hash ${world.hash()}`);
    const snapshots = await lines('life/snapshots.ndjson');
    expect(snapshots.map(({ tick }) => tick)).toEqual(
      Array.from({ length: 2251 }, (_, i) => 4 * i),
    );
    expect(snapshots[1000]).toEqual(world.at(4000).snapshot());
    expect(await lines('life/events.ndjson')).toEqual(world.events(10_000));
    const { contacts } = world.happened(-1, 9000);
    // JSON has no negative zero.
    expect(await lines('life/contacts.ndjson')).toEqual(JSON.parse(JSON.stringify(contacts)));
    const incidents = await lines('life/incidents.ndjson');
    expect(incidents.length).toBeGreaterThan(3);
    const [first] = incidents;
    expect(first).toEqual(await world.explain(first.id));
  });

  test('takes a list of changes, and one a line', async () => {
    const changes = journalOf('grid', 2, randomChanges(6, 200)).changes;
    await writeFile(join(project, 'list.json'), JSON.stringify(changes));
    await writeFile(
      join(project, 'list.ndjson'),
      changes.map((each) => JSON.stringify(each)).join('\n'),
    );
    const args = ['live', '--city', 'old-town', '--seed', '2', '--ticks', '400', '--every', '0'];
    const first = await inProject(CLI, ...args, '--changes', 'list.json', '--out', 'a');
    const second = await inProject(CLI, ...args, '--changes', 'list.ndjson', '--out', 'b');
    expect(first.stdout).toMatch(
      /^old-town, seed 2, tick 400, hash \w{16}: 0 snapshots, \d+ events/,
    );
    expect(second.stdout).toBe(first.stdout);
    expect(await lines('a/events.ndjson')).toEqual(await lines('b/events.ndjson'));
  });

  test('says how it is used, and what is wrong with an option', async () => {
    expect((await inProject(CLI, '--help')).stdout).toMatch(/--ticks <n> .*\(3000\)/);
    const refused = (...args: string[]) =>
      inProject(CLI, ...args).then(
        () => undefined,
        ({ code, stderr }) => [code, stderr],
      );
    expect(await refused('live')).toEqual([2, expect.stringContaining('--out names the folder')]);
    expect(await refused('lve')).toEqual([2, expect.stringContaining('there is no command lve')]);
    expect(await refused('live', '--city', 'x', '--out', 'c')).toEqual([
      2,
      expect.stringContaining('--city takes one of grid, old-town, mixed-town'),
    ]);
    const none = ['live', '--changes', 'none.json', '--out', 'c'];
    expect(await refused(...none)).toEqual([2, expect.stringContaining('none.json')]);
    const both = ['live', '--changes', 'journal.json', '--seed', '3', '--out', 'c'];
    expect(await refused(...both)).toEqual([2, expect.stringContaining('Leave out seed')]);
  });
});
