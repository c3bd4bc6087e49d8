import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);
/** What a process of `SeedPool` loads first. */
const ENTRY = new URL('seed-process.ts', import.meta.url);
/** Decides which packages a run uses. */
const LOCK = new URL('package-lock.json', ROOT);
const DIGITS = 12;

/** What is imported for its types alone is not loaded. */
const IMPORT = /^(?:import|export) (?!type )(?:[^'"();]*? from )?'(\.{1,2}\/[^']+)'/gm;
const LATE_IMPORT = /\bimport\('(\.{1,2}\/[^']+)'\)/g;
const FILE = /\breadFileSync\(new URL\('([^']+)', import\.meta\.url\)/g;

/** A file and all that it loads by relative paths, and what these read when they are loaded. */
export function sourcesOf(entry: URL): readonly URL[] {
  const found = new Map<string, URL>();
  const waiting = [entry];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (found.has(each.href)) continue;
    found.set(each.href, each);
    if (!each.pathname.endsWith('.ts')) continue;
    const text = readFileSync(each, 'utf8');
    for (const pattern of [IMPORT, LATE_IMPORT, FILE]) {
      for (const [, path = ''] of text.matchAll(pattern)) waiting.push(new URL(path, each));
    }
  }
  return [...found.values()];
}

/** Of the paths below `root` and the contents of files. */
export function hashOf(files: readonly URL[], root: URL): string {
  const hash = createHash('sha256');
  const nameOf = ({ href }: URL) => href.slice(root.href.length);
  for (const file of files.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const content = readFileSync(file);
    hash.update(`${nameOf(file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, DIGITS);
}

/** Names the sources that a run depends on: where it is the same, a seed makes the same run. */
export function sourceHash(): string {
  return hashOf([...sourcesOf(ENTRY), LOCK], ROOT);
}
