import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function documentsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

const documents = [
  ...['README.md', 'SPEC.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['docs', 'src', 'assembly', 'bench', 'load'].flatMap(documentsIn),
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
