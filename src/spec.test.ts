import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSources } from './testing/rigs/source-tree.ts';

const AREAS = 'WFSYIDRLTCHPONK';

const specification = readFileSync(new URL('../SPEC.md', import.meta.url), 'utf8');
const rules = [...specification.matchAll(/^- \*\*(\w+)\*\* (.*)$/gm)].map(
  ([, id = '', text = '']) => ({ id, withdrawn: text === '(withdrawn)' }),
);

/** The ids at the front of titles, `[F7]` or `[S3, S4]`, with the file that quotes them. */
const tests = readSources().filter(({ path }) => /\.(test|suite)\.tsx?$/.test(path));
const quotes = tests.flatMap(({ path, text }) => {
  return [...text.matchAll(/['"`]\[([A-Z]\d+(?:, [A-Z]\d+)*)\] /g)].flatMap(([, ids = '']) =>
    ids.split(', ').map((id) => ({ id, path })),
  );
});

describe('the specification', () => {
  it('numbers its rules area by area, without a gap', () => {
    const numbered = [...AREAS].flatMap((area) =>
      rules.filter(({ id }) => id.startsWith(area)).map((_, i) => `${area}${i + 1}`),
    );
    expect(rules.map(({ id }) => id)).toEqual(numbered);
    expect(rules.length).toBeGreaterThan(200);
  });

  it('has a test for every rule', () => {
    const quoted = new Set(quotes.map(({ id }) => id));
    expect(rules.filter(({ id, withdrawn }) => !withdrawn && !quoted.has(id))).toEqual([]);
  });

  it('has a rule for every id that a test title quotes', () => {
    const known = new Set(rules.filter(({ withdrawn }) => !withdrawn).map(({ id }) => id));
    expect(quotes.filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it('says of each promise of reliability which rules it has, and where tests show them', () => {
    const rows = specification.matchAll(/^\| [^|]+ \| ([A-Z]\d+(?:, [A-Z]\d+)*) \| (.*) \|$/gm);
    const wrong = [...rows].flatMap(([, ids = '', places = '']) => {
      const own = ids.split(', ');
      const unknown = own.filter((id) => !rules.some((rule) => rule.id === id));
      const files = [...places.matchAll(/`([^` ]+\.test\.ts)`/g)].map(([, path = '']) => path);
      const strange = files.filter(
        (file) => !quotes.some(({ id, path }) => path === file && own.includes(id)),
      );
      const shown = quotes.filter(({ path }) => files.includes(path)).map(({ id }) => id);
      const notShown = own.filter((id) => !shown.includes(id)).map((id) => `${id} of ${ids}`);
      return [...unknown, ...strange, ...notShown];
    });
    expect(wrong).toEqual([]);
    expect(specification).toContain('| Promise | Rules | Shown by |');
  });
});
