import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PRICES_US } from './http/server/prices.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function documentsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

const documents = [
  ...['README.md', 'SPEC.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['docs', 'src', 'assembly', 'bench', 'load', 'client'].flatMap(documentsIn),
].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

describe('the documents', () => {
  it('link to nothing that is missing', () => {
    const broken = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .filter(([, target = '']) => !existsSync(join(ROOT, dirname(path), target)))
        .map(([, target]) => `${path} → ${target}`),
    );
    expect(documents.length).toBeGreaterThan(20);
    expect(broken).toEqual([]);
  });

  it('quote no source file that is missing', () => {
    const missing = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:assembly|src|workers|bench|load|client)\/[\w/.-]+)`/g)]
        .filter(([, quoted = '']) => !existsSync(join(ROOT, quoted)))
        .map(([, quoted]) => `${path}: ${quoted}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the table of what an address may cost', () => {
  const operating = documents.find(({ path }) => path === 'docs/operating.md')?.text ?? '';
  const [, table = ''] = /## What an address may cost\n(.*?)\n## /s.exec(operating) ?? [];

  it('has every price', () => {
    const missing = Object.entries(PRICES_US).filter(([name, us]) => {
      const price = us >= 1000 ? `${us / 1000} ms` : `${us} µs`;
      return !new RegExp(`\\| [^|]*${price} [^|]*\\(\`${name}\`\\)`).test(table);
    });
    expect(missing).toEqual([]);
  });

  it('has every setting of a limit', () => {
    const [, settings = ''] = /## Settings\n(.*?)\n## /s.exec(operating) ?? [];
    const limits = [...settings.matchAll(/`(LIMIT_\w+|\w+_MAX|MAX_\w+)`/g)].map(([name]) => name);
    expect(limits.length).toBeGreaterThan(15);
    expect([...new Set(limits)].filter((name) => !table.includes(name))).toEqual([]);
  });
});
