import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { rebuildsFor } from './rebuilds.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

test('one address has the pages as source and all of the node, until SIGINT', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'twin-dev-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', MAIN, '--port', '0'],
    {
      env: { ...process.env, DATA_DIR: dataDir, SHARDS: '1', LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  const [line] = await once(createInterface(child.stdout), 'line');
  const [, viewer = '', console = ''] = /^ready viewer=(\S+) console=(\S+)$/.exec(line) ?? [];

  // The root makes a world and leads to its page.
  const page = await fetch(viewer);
  expect(page.url).toMatch(new RegExp(`^${viewer}worlds/[0-9a-z]{10}$`));
  expect(page.headers.get('Content-Security-Policy')).toContain(
    "script-src 'self' 'wasm-unsafe-eval';",
  );
  expect(await page.text()).toContain('src="/viewer/main.tsx"');
  const source = await fetch(new URL('/viewer/main.tsx', viewer));
  expect(source.headers.get('Content-Type')).toBe('text/javascript');
  const html = await (await fetch(console)).text();
  expect(html).toContain('src="/console/main.tsx"');
  expect(html).toContain(`<meta name="twin-url" content="${viewer.slice(0, -1)}">`);

  const read = async (path: string) => (await fetch(new URL(path, viewer))).json();
  expect(await read('/api/v1/cities')).toHaveProperty('cities');
  expect(await read('/api/dealers')).toHaveLength(4);
  expect(await read('/asyncapi.json')).toHaveProperty('servers.twin.host', new URL(viewer).host);

  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
});

test.each([
  ['src/node.ts', ['none']],
  ['workers/shard.ts', ['none']],
  ['src/citygen/generate.ts', ['cities']],
  ['src/city/map.ts', ['cities']],
  ['assembly/step.ts', ['kernel', 'cities']],
  ['assembly/step.test.ts', undefined],
  ['src/testing/rigs/node.ts', undefined],
  ['src/web/viewer/main.tsx', undefined],
  ['src/http/README.md', undefined],
])('a change of %s asks for %s before the node restarts', (path, rebuilds) => {
  expect(rebuildsFor(path)).toEqual(rebuilds);
});
