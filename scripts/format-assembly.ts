/**
 * Formats the AssemblyScript sources with the project's Biome settings; with `--check` it writes
 * nothing and fails if a file would change.
 *
 * Biome cannot parse a decorator on a function. Each one is therefore replaced by a comment of the
 * same width while Biome works on a copy, so that no line breaks elsewhere for it.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DECORATOR = '@inline';
const STAND_IN = '/*@in*/';

const sources = globSync('assembly/**/*.ts', { cwd: ROOT })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

function writeInto(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** The formatted text of every source, in order. */
function formatted(): string[] {
  const copy = mkdtempSync(join(tmpdir(), 'format-assembly-'));
  try {
    const { files, ...style } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
    writeInto(copy, 'biome.json', JSON.stringify({ ...style, $schema: undefined }));
    for (const { path, text } of sources) {
      writeInto(copy, path, text.replaceAll(DECORATOR, STAND_IN));
    }
    const biome = join(ROOT, 'node_modules/.bin/biome');
    execFileSync(biome, ['format', '--write', '--log-level=warn', 'assembly'], { cwd: copy });
    return sources.map(({ path }) =>
      readFileSync(join(copy, path), 'utf8').replaceAll(STAND_IN, DECORATOR),
    );
  } finally {
    rmSync(copy, { recursive: true });
  }
}

const texts = formatted();
const changed = sources.filter(({ text }, i) => text !== texts[i]);
if (process.argv.includes('--check')) {
  for (const { path } of changed) console.error(`${path} is not formatted: npm run format`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  sources.forEach(({ path, text }, i) => {
    if (text !== texts[i]) writeFileSync(join(ROOT, path), texts[i] ?? text);
  });
  console.log(`assembly: ${changed.length} of ${sources.length} files were formatted`);
}
